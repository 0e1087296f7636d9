import type { ClientAsk } from '@paymaster/ledger';
import type { Caller } from '../callers/caller';
import type { AskedOfWallet } from './asked-of-wallet';
import { isShared } from './live-claims';

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
