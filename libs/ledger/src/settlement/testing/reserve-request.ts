import type { Address } from '@paymaster/domain';
import type { BudgetClaim, ReserveRequest } from '../../gateway/ledger';
import { CHAIN_ID, GENESIS } from './books-under-test';
import { hex, type ModelOperation } from './model-chain';

export const ENTRY_POINT: Address = hex(20, 0xee);
export const CONTRACT: Address = hex(20, 0xc0);
export const WALLET: Address = hex(20, 0xf0);
export const SENDER: Address = hex(20, 0x5e);

export const paymasterId = (index: number): string => `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;

/** A request; a test sets only the fields that it is about. */
export function reserveRequest(request: Partial<ReserveRequest> = {}): ReserveRequest {
  const filled = {
    chainId: CHAIN_ID,
    contract: CONTRACT,
    wallet: WALLET,
    entryPoint: ENTRY_POINT,
    entryPointVersion: '0.7' as const,
    paymasterId: paymasterId(1),
    policyVersion: 1,
    mode: 'sponsored' as const,
    sender: SENDER,
    nonce: 0n,
    prechargeWei: 1_000n,
    validUntilSeconds: GENESIS.timeSeconds + 300,
    nowSeconds: GENESIS.timeSeconds,
    claims: [] as readonly BudgetClaim[],
    ...request,
  };
  return {
    ...filled,
    event: {
      kind: 'granted',
      requestId: 'test',
      chainId: filled.chainId,
      paymasterId: filled.paymasterId,
      fundingWallet: filled.wallet,
      mode: filled.mode,
      sender: filled.sender,
      nonce: filled.nonce.toString(),
      entryPointVersion: filled.entryPointVersion,
      prechargeWei: filled.prechargeWei.toString(),
      validUntilSeconds: filled.validUntilSeconds,
      policyId: null,
      policyVersion: filled.policyVersion,
      targets: [],
      trace: [],
    },
  };
}

export function claim(fields: Partial<BudgetClaim> & { readonly key: string }): BudgetClaim {
  return {
    live: false,
    unit: 'wei',
    amount: 1_000n,
    limit: 1_000_000n,
    refusal: { rule: 'test', reason: 'TEST', message: 'test' },
    ...fields,
  };
}

/** The operation of the request. */
export function operationOf(request: ReserveRequest, userOpHash: number): ModelOperation {
  return { ...request, userOpHash: hex(32, userOpHash) };
}
