import type { NewEvent } from './outbox-writer';
import type { ReservationRow } from './reservation-rows';
import type { LockedWallets } from './wallet-rows';

interface Context {
  readonly chainId: number;
  readonly wallets: LockedWallets;
}

/** The event of a reservation whose operation is in a block, was in a block that is undone, or is final. */
export function landedEvent(
  kind: 'landed' | 'unlanded' | 'settled',
  { row, ...context }: Context & { readonly row: ReservationRow },
): NewEvent {
  const userOpHash = row.user_op_hash ?? '';
  return {
    // The fact does not include the reservation: a restored backup may have lost it and may give its number to another.
    fact: [context.chainId, kind, userOpHash, row.block_hash ?? ''],
    event: {
      ...operationRef(row, context),
      kind,
      userOpHash,
      transactionHash: row.transaction_hash ?? '',
      blockNumber: row.block_number ?? '',
      fundingWallet: context.wallets.get(row.wallet_id)?.wallet ?? '',
      chargedWei: row.charged_wei ?? '0',
      actualGasCostWei: row.actual_gas_cost_wei ?? '0',
      success: row.success ?? false,
      ...(row.told?.gasUsed != null && { actualGasUsed: row.told.gasUsed }),
      ...(row.told?.paid && { tokenPayment: row.told.paid.inToken }),
    },
  };
}

/** The event of a reservation that ended without its operation. */
export function voidedEvent(
  because: 'expired' | 'nonceUsed',
  { row, ...context }: Context & { readonly row: ReservationRow },
): NewEvent {
  return {
    // A reservation ends only once, for whatever reason. Its number alone is not unique, because a restored backup may
    // give it to another reservation.
    fact: [context.chainId, 'voided', row.id, row.made_at],
    event: { ...operationRef(row, context), kind: 'voided', because, releasedWei: row.hold_wei },
  };
}

function operationRef(row: ReservationRow, { chainId }: Context) {
  return {
    chainId,
    paymasterId: row.paymaster_id,
    reservationId: row.id,
    mode: row.mode,
    sender: row.sender,
    nonce: row.nonce,
    entryPointVersion: row.entry_point_version,
  };
}
