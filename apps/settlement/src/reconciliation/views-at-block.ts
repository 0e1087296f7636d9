import type { Address, Hex } from '@paymaster/domain';
import type { ChainSource } from '../following/chain-source';

/** First four bytes of the call data of each view; the same in every version of our contract and the EntryPoint. */
const SELECTORS = {
  'balanceOf(address)': '70a08231',
  'strandedOf(address)': '9d2fa402',
  'feesOf(address)': 'ad8c450d',
  'feeBalance()': '60b71d4e',
} as const;

type View = keyof typeof SELECTORS;

/** Reads amounts of our contracts and of the EntryPoint at the end of one block. */
export class ViewsAtBlock {
  constructor(
    private readonly source: Pick<ChainSource, 'callAt'>,
    private readonly blockHash: Hex,
  ) {}

  /** @throws when the providers do not agree, or the contract answers something else than one number */
  async wei(to: Address, view: View, account?: Address): Promise<bigint> {
    const data: Hex = `0x${SELECTORS[view]}${account ? account.slice(2).padStart(64, '0') : ''}`;
    const answer = await this.source.callAt(this.blockHash, { to, data });
    if (!/^0x[0-9a-f]{64}$/i.test(answer)) throw new Error(`${view} of ${to} did not answer a number`);
    return BigInt(answer);
  }
}
