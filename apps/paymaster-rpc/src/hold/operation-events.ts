import type {
  Address,
  EntryPointVersion,
  RefusalError,
  TokenListing,
  TraceLine,
  UserOperation,
} from '@paymaster/domain';
import type { Ledger, ReserveRequest } from '@paymaster/ledger';
import type { DecodeResult } from '@paymaster/policy';
import { formatUsd, type TokenRate } from '@paymaster/pricing';
import type { Caller } from '../callers/caller';
import { nativeUsdE36IfKnown } from '../chains/native-price';

/** The fields that both events have. */
export interface DecidedOperation {
  readonly caller: Caller;
  readonly mode: 'sponsored' | 'token';
  readonly operation: Pick<UserOperation, 'sender' | 'nonce'> & { readonly entryPointVersion: EntryPointVersion };
  /** The calls that the operation makes, as far as they are understood. */
  readonly decoded: DecodeResult;
}

export interface RefusedOperation extends DecidedOperation {
  /** That its sender wanted to pay in; undefined where it was to be sponsored. */
  readonly token?: Address | undefined;
}

export interface GrantedOperation extends DecidedOperation {
  readonly prechargeWei: bigint;
  readonly validUntilSeconds: number;
  readonly terms: { readonly fundingWallet: string };
  /** The sponsorship policy that allowed the operation; null where no policy was asked. */
  readonly policy?: { readonly policyId: string | null };
  readonly trace: readonly TraceLine[];
  /** The token that the sender is to pay in, at the price of the moment; absent where the owner pays. */
  readonly paidIn?: { readonly token: Pick<TokenListing, 'address' | 'decimals'>; readonly rate: TokenRate };
}

/** The event that tells the owner of a signature; it is written with the reservation. */
export function grantedEvent(granted: GrantedOperation): ReserveRequest['event'] {
  const { caller, operation } = granted;
  const { paymasterId, version } = caller.paymaster.snapshot;
  // Written as one object literal for speed, because this code runs for every signature.
  return {
    chainId: caller.chain.config.chainId,
    paymasterId,
    mode: granted.mode,
    requestId: caller.requestId,
    policyVersion: version,
    sender: operation.sender,
    nonce: operation.nonce.toString(),
    entryPointVersion: operation.entryPointVersion,
    targets: targetsOf(granted),
    kind: 'granted',
    fundingWallet: granted.terms.fundingWallet,
    validUntilSeconds: granted.validUntilSeconds,
    policyId: granted.policy?.policyId ?? null,
    trace: granted.trace,
    prechargeWei: granted.prechargeWei.toString(),
    keyId: caller.paymaster.snapshot.key?.keyId ?? null,
    nativeUsd: nativeUsd(granted),
    token: granted.paidIn?.token.address,
    tokenPrice: tokenPrice(granted),
  };
}

/** The price with which the token was priced where there is one, else the price of now; from memory. */
function nativeUsd({ caller, paidIn }: GrantedOperation): string | null {
  const usdE36 = paidIn?.rate.nativeUsdE36 ?? nativeUsdE36IfKnown(caller.chain);
  return usdE36 === undefined ? null : formatUsd(usdE36);
}

function tokenPrice({ paidIn }: GrantedOperation) {
  if (!paidIn) return null;
  const { token, rate } = paidIn;
  return { token: token.address.toLowerCase(), decimals: token.decimals, usd: formatUsd(rate.tokenUsdE36) };
}

/** The event that tells the owner of a refusal. */
export function refusedEvent(
  refused: RefusedOperation,
  { reason, message, prechargeWei, trace, details }: RefusalError,
): Parameters<Ledger['recordRefusal']>[0] {
  const { caller, operation, mode } = refused;
  const { paymasterId, version } = caller.paymaster.snapshot;
  return {
    ...{ chainId: caller.chain.config.chainId, paymasterId, mode, requestId: caller.requestId },
    policyVersion: version,
    sender: operation.sender,
    nonce: operation.nonce.toString(),
    entryPointVersion: operation.entryPointVersion,
    targets: targetsOf(refused),
    ...{ kind: 'refused', reservationId: null, reason, message, trace },
    prechargeWei: prechargeWei?.toString() ?? null,
    token: refused.token,
    details: Object.fromEntries(Object.entries(details).map(([key, value]) => [key, String(value)])),
  };
}

function targetsOf({ decoded }: DecidedOperation) {
  return decoded.understood ? decoded.calls.map(targetOf) : [];
}

function targetOf({ to, selector, valueWei }: { to: string; selector: string | undefined; valueWei: bigint }) {
  return { to, selector: selector ?? null, valueWei: valueWei.toString() };
}
