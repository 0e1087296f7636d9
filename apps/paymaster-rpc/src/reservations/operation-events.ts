import type { EntryPointVersion, TraceLine, UserOperation } from '@paymaster/domain';
import type { Ledger, ReserveRequest } from '@paymaster/ledger';
import type { DecodeResult } from '@paymaster/policy';
import type { Caller } from '../callers/caller';

/** What both events say of an operation. */
export interface DecidedOperation {
  readonly caller: Caller;
  readonly mode: 'sponsored' | 'token';
  readonly operation: Pick<UserOperation, 'sender' | 'nonce'> & { readonly entryPointVersion: EntryPointVersion };
  /** The calls it makes, as far as they are understood. */
  readonly decoded: DecodeResult;
}

export interface GrantedOperation extends DecidedOperation {
  readonly prechargeWei: bigint;
  readonly validUntilSeconds: number;
  readonly fundingWallet: string;
  /** The sponsorship policy that allowed it; null where none was asked. */
  readonly policyId: string | null;
  readonly trace: readonly TraceLine[];
}

export interface RefusedOperation extends DecidedOperation {
  readonly reason: string;
  readonly message: string;
  /** Null where it was refused before its cost was known. */
  readonly prechargeWei: bigint | null;
  readonly trace: readonly TraceLine[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** What the owner hears of a signature; written with the reservation. */
export function grantedEvent(granted: GrantedOperation): ReserveRequest['event'] {
  const { prechargeWei, validUntilSeconds, fundingWallet, policyId, trace } = granted;
  return {
    ...whatOf(granted),
    kind: 'granted',
    ...{ fundingWallet, validUntilSeconds, policyId, trace },
    prechargeWei: prechargeWei.toString(),
  };
}

/** What the owner hears of a refusal. */
export function refusedEvent(refused: RefusedOperation): Parameters<Ledger['recordRefusal']>[0] {
  const { reason, message, prechargeWei, trace, details } = refused;
  return {
    ...whatOf(refused),
    ...{ kind: 'refused', reservationId: null, reason, message, trace },
    prechargeWei: prechargeWei?.toString() ?? null,
    details: Object.fromEntries(Object.entries(details).map(([key, value]) => [key, String(value)])),
  };
}

function whatOf({ caller, mode, operation, decoded }: DecidedOperation) {
  const { paymasterId, version } = caller.paymaster.snapshot;
  return {
    ...{ chainId: caller.chain.config.chainId, paymasterId, mode, requestId: caller.requestId },
    policyVersion: version,
    sender: operation.sender,
    nonce: operation.nonce.toString(),
    entryPointVersion: operation.entryPointVersion,
    targets: decoded.understood ? decoded.calls.map(targetOf) : [],
  };
}

function targetOf({ to, selector, valueWei }: { to: string; selector: string | undefined; valueWei: bigint }) {
  return { to, selector: selector ?? null, valueWei: valueWei.toString() };
}
