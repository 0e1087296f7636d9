import { CallRevertedError } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import type { ChainSource } from './chain-source';

/**
 * Selectors (the first four bytes of call data) of the views. They are the same in every version of our contract and of
 * the EntryPoint. The first generation of our contract has no WITHDRAWAL_WINDOW_SECONDS and no feesOf. The contract for
 * EntryPoint v0.6 has no unsettledOf.
 */
const SELECTORS = {
  'balanceOf(address)': '70a08231',
  'strandedOf(address)': '9d2fa402',
  'feesOf(address)': 'ad8c450d',
  'unsettledOf(address)': 'f4195da0',
  'withdrawalOf(address)': '14bf9d2b',
  'feeBalance()': '60b71d4e',
  'owner()': '8da5cb5b',
  'WITHDRAWAL_WINDOW_SECONDS()': '2b88348d',
  'MAX_WAITING_STATEMENTS()': 'cb50d2b7',
  // No view: it is only asked whether it would revert, and how.
  'creditUnsettled(address)': '0c38ef86',
} as const;

/** `StatementNotDue(uint256)`: the first four bytes of its error data. */
const STATEMENT_NOT_DUE = '0xe425971d';

type View = keyof typeof SELECTORS;

interface Question {
  readonly to: Address;
  readonly view: View;
  readonly account?: Address | undefined;
}

/** Reads amounts of our contracts and of the EntryPoint at the end of one block. */
export class ViewsAtBlock {
  constructor(
    private readonly source: Pick<ChainSource, 'callAt'>,
    private readonly blockHash: Hex,
  ) {}

  /** @throws when the providers do not agree, or the contract's answer is not a single number */
  async wei(to: Address, view: View, account?: Address): Promise<bigint> {
    const [amount] = await this.numbers(1, { to, view, account });
    return amount!;
  }

  /** A wallet's withdrawal request in one of our contracts; zeros when there is none. Throws as {@link wei}. */
  async withdrawal(to: Address, wallet: Address): Promise<{ requestedWei: bigint; executableAtSeconds: bigint }> {
    const [requestedWei, executableAtSeconds] = await this.numbers(2, {
      ...{ to, view: 'withdrawalOf(address)', account: wallet },
    });
    return { requestedWei: requestedWei!, executableAtSeconds: executableAtSeconds! };
  }

  /** How long a due request can be executed; undefined where it never ends. Throws as {@link wei}. */
  withdrawalWindowSeconds(to: Address): Promise<bigint | undefined> {
    return unlessReverted(this.wei(to, 'WITHDRAWAL_WINDOW_SECONDS()'));
  }

  /**
   * An amount that only some versions and generations of our contract have; 0 for the others. Throws as {@link wei}.
   */
  async weiIfKnown(to: Address, view: View, account: Address): Promise<bigint> {
    return (await unlessReverted(this.wei(to, view, account))) ?? 0n;
  }

  /**
   * From when on the oldest statement about a wallet's unsettled precharges can be credited, unix seconds: 0 where it can
   * be credited now, undefined where none waits. Throws as {@link wei}.
   */
  async creditableAtSeconds(to: Address, wallet: Address): Promise<bigint | undefined> {
    try {
      await this.answer({ to, view: 'creditUnsettled(address)', account: wallet });
      return 0n;
    } catch (error) {
      if (!(error instanceof CallRevertedError)) throw error;
      const data = String(error.data);
      // The first generation has no statements, and reverts without data.
      if (!data.startsWith(STATEMENT_NOT_DUE)) return undefined;
      return BigInt(`0x${data.slice(STATEMENT_NOT_DUE.length)}`) || undefined;
    }
  }

  /** Whether each statement about unsettled precharges waits for itself; before the third generation a new one delays all. */
  async hasDateOfEachStatement(to: Address): Promise<boolean> {
    return (await unlessReverted(this.wei(to, 'MAX_WAITING_STATEMENTS()'))) !== undefined;
  }

  /** Who owns one of our contracts. Throws as {@link wei}. */
  async owner(to: Address): Promise<Address> {
    const [owner] = await this.numbers(1, { to, view: 'owner()' });
    return `0x${owner!.toString(16).padStart(40, '0')}`;
  }

  /** Whether one of our contracts is there. Throws as {@link wei}. */
  async isDeployed(to: Address): Promise<boolean> {
    return (await this.answer({ to, view: 'feeBalance()' })) !== '0x';
  }

  private async numbers(count: number, call: Question): Promise<readonly bigint[]> {
    const answer = await this.answer(call);
    if (!new RegExp(`^0x[0-9a-f]{${64 * count}}$`, 'i').test(answer))
      throw new Error(`${call.view} of ${call.to} did not answer ${count === 1 ? 'a number' : `${count} numbers`}`);
    return Array.from({ length: count }, (_, at) => BigInt(`0x${answer.slice(2 + 64 * at, 66 + 64 * at)}`));
  }

  private answer({ to, view, account }: Question): Promise<Hex> {
    const data: Hex = `0x${SELECTORS[view]}${account ? account.slice(2).padStart(64, '0') : ''}`;
    return this.source.callAt(this.blockHash, { to, data });
  }
}

/** A contract without this view reverts. */
async function unlessReverted(answer: Promise<bigint>): Promise<bigint | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CallRevertedError) return undefined;
    throw error;
  }
}
