import type { Address, EntryPointVersion, Hex } from '@paymaster/domain';
import type { TokenPaymentMessage } from '@paymaster/messaging';

/** A reservation as settlement reads it, with the wallet it belongs to. */
export interface ReservationRow {
  readonly id: string;
  readonly wallet_id: string;
  readonly entry_point_version: EntryPointVersion;
  readonly paymaster_id: string | null;
  readonly mode: 'sponsored' | 'token';
  readonly sender: Address;
  readonly nonce: string;
  readonly hold_wei: string;
  readonly expected_wei: string;
  readonly excess_wei: string;
  readonly network: string | null;
  readonly is_new_network: boolean;
  readonly user_op_hash: Hex | null;
  readonly transaction_hash: Hex | null;
  readonly block_number: string | null;
  readonly block_hash: Hex | null;
  readonly charged_wei: string | null;
  readonly actual_gas_cost_wei: string | null;
  readonly success: boolean | null;
  /** Unix seconds with microseconds, by the database's clock. */
  readonly made_at: string;
  /** What only the event of its landing says; null where it is in no block. */
  readonly told: ToldOfLanding | null;
}

export interface ToldOfLanding {
  /** What its sender paid in a token; null where that is not told. */
  readonly paid: { readonly inToken: TokenPaymentMessage | null } | null;
  /** Decimal text; null where that is not told. */
  readonly gasUsed: string | null;
}

/**
 * The columns of {@link ReservationRow}, of the table named `r`. The event of a landing is deleted with its block, and is
 * there for as long as its block is not final.
 */
export const RESERVATION_COLUMNS = `r.id, r.wallet_id, r.entry_point_version, r.paymaster_id, r.mode, r.sender,
  r.nonce, r.hold_wei, coalesce(r.expected_wei, r.hold_wei) AS expected_wei, r.excess_wei, r.network, r.is_new_network,
  r.user_op_hash, r.transaction_hash, r.block_number, r.block_hash, r.charged_wei,
  r.actual_gas_cost_wei, r.success, extract(epoch FROM r.created_at) AS made_at,
  (SELECT jsonb_build_object('gasUsed', e.payload -> 'actualGasUsed', 'paid', CASE WHEN e.payload ? 'paidInToken'
            THEN jsonb_build_object('inToken', e.payload -> 'paidInToken') END)
     FROM ledger.chain_events AS e
    WHERE e.chain_id = r.chain_id AND e.block_number = r.block_number AND e.log_index = r.log_index) AS told`;
