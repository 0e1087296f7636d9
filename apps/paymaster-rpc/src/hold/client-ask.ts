import type { ClientAsk } from '@paymaster/ledger';
import type { Caller } from '../callers/caller';
import { isShared } from './live-claims';

/** What an operation asks of the funding wallet (docs/adr/0025), as `decide/terms/asked-of-wallet.ts` computes it. */
export interface AskedOfWallet {
  /** What it is expected to cost; wei. */
  readonly expectedWei: bigint;
  /** The part of it by which limits and fees can be billed above the gateway's own answer; wei. */
  readonly excessWei: bigint;
  /** Limits and tip are the gateway's own answer, or less. */
  readonly isOwnAnswer: boolean;
  /** The part of the wallet that operations like this may cost a client network in an hour; millionths. */
  readonly roomMillionths: bigint;
  /** Ten million gas at the chain's price; wei. */
  readonly leastRoomWei: bigint;
  /** A million gas at the chain's price: the precharge of an ordinary operation; wei. */
  readonly ordinaryWei: bigint;
}

/**
 * What the bounds on strangers count a request for; undefined where they do not count it.
 *
 * Written as one object literal for speed, because this code runs for every signature.
 */
export function clientAskOf(
  { strangerNetwork, chain, paymaster }: Caller,
  asked: AskedOfWallet,
): ClientAsk | undefined {
  if (strangerNetwork === undefined) return undefined;
  return {
    network: strangerNetwork,
    excessWei: asked.excessWei,
    isOwnAnswer: asked.isOwnAnswer,
    roomMillionths: asked.roomMillionths,
    leastRoomWei: asked.leastRoomWei,
    ordinaryWei: asked.ordinaryWei,
    isTestnet: chain.config.testnet,
    holdsFreely: !isShared(paymaster.snapshot.settings.liveSignatureCaps),
  };
}
