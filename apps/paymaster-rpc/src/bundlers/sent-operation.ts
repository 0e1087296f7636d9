import type { BundlerEndpoint, Sending } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import type { SentChange, SentOperation as LeftOperation } from '@paymaster/ledger';
import type { ServedChain } from '../chains/served-chain';
import { ourDataOf } from './our-signature';

/** An operation with our signature that was sent to a bundler. */
export interface OurOperation {
  readonly sending: Omit<Sending, 'deadlineMs' | 'onRefused'>;
  /** The paymaster of the operation, for the bound on one paymaster. */
  readonly paymasterId: string;
  /** The wallet that pays for it. */
  readonly fundingWallet: Address;
  /** When our signature ends; unix seconds on chain. */
  readonly validUntilSeconds: number;
}

/** How the ledger names an operation. */
export function identityOf({ config }: ServedChain, { sending, paymasterId, fundingWallet }: OurOperation) {
  const { complete, userOpHash, version } = sending;
  const { sender, nonce } = complete.operation;
  const contract = complete.paymaster?.paymaster as Address;
  return {
    ...{ chainId: config.chainId, userOpHash, paymasterId, contract, wallet: fundingWallet, sender, nonce },
    entryPointVersion: version,
  } satisfies Partial<SentChange>;
}

/** The text of all that another process needs to send it again; amounts as `123n`. */
export function toText({ complete, entryPoint, version, isSponsored }: OurOperation['sending']): string {
  return JSON.stringify({ complete, entryPoint, version, isSponsored }, (_name, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

/**
 * An operation that another process has left behind, with the bundlers that took it.
 *
 * @returns undefined when this process cannot send it: its text is of another version, or chains.json has changed
 */
export function fromLeft(
  chain: ServedChain,
  { operation, userOpHash, paymasterId, bundlers, validUntilSeconds }: LeftOperation,
): (OurOperation & { readonly takenBy: readonly BundlerEndpoint[] }) | undefined {
  try {
    const sending = { ...(JSON.parse(operation, reviveAmount) as Omit<Sending, 'userOpHash'>), userOpHash };
    const { fundingWallet } = ourDataOf(sending.complete, { chain })!.sponsorFields;
    if (chain.config.entryPoints[sending.version]?.entryPoint !== sending.entryPoint) return undefined;
    const endpoints = new Map(chain.bundlers.endpoints.map((each) => [each.name, each]));
    const takenBy = bundlers.flatMap((name) => endpoints.get(name) ?? []);
    return { sending, paymasterId, fundingWallet, validUntilSeconds, takenBy };
  } catch {
    return undefined;
  }
}

const reviveAmount = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
