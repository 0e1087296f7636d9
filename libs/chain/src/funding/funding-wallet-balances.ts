import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import { parseWords } from '../json-rpc/parse';
import type { ChainProvider } from '../providers/chain-provider';
import { CallRevertedError } from '../providers/eth-call';
import { FreshReads } from '../providers/fresh-reads';
import type { MonotonicClock } from '../providers/monotonic-clock';

/** First four bytes of keccak-256 of the signature; the same function on the paymaster and on the EntryPoint. */
const BALANCE_OF = '0x70a08231';
/** `withdrawalOf(address) returns (uint256 amountWei, uint256 executableAt)` of our contract. */
const WITHDRAWAL_OF = '0x14bf9d2b';

/** How old a balance may be that a signature relies on. */
const DEFAULT_MAX_AGE_MS = 3_000;
const DEFAULT_MAX_ENTRIES = 10_000;

/**
 * What the chain says about money: gas deposits of funding wallets in our contract, and our contract's own deposit
 * in the EntryPoint. At most a few seconds old; one per chain.
 */
export class FundingWalletBalances {
  private readonly spendable: FreshReads<bigint>;
  private readonly deposits: FreshReads<bigint>;

  constructor(
    private readonly provider: Pick<ChainProvider, 'ethCall'>,
    options: { maxAgeMs?: number; maxEntries?: number; clock?: MonotonicClock } = {},
  ) {
    const cache = { maxAgeMs: DEFAULT_MAX_AGE_MS, maxEntries: DEFAULT_MAX_ENTRIES, ...options };
    this.spendable = new FreshReads(cache);
    this.deposits = new FreshReads(cache);
  }

  /**
   * The wallet's gas deposit less what it asked to withdraw; wei. The contract would still debit a requested amount
   * until it is paid out, but an operation signed now may land after that.
   *
   * @throws {DependencyUnavailableError} `chain`, when it cannot be read
   */
  spendableWei({ paymaster, wallet }: { paymaster: Address; wallet: Address }): Promise<bigint> {
    return this.spendable.get(`${paymaster}:${wallet}`, async () => {
      // The request before the balance: a withdrawal executed in between can then only lower the result.
      const requestedWei = await this.readFirstWord({ to: paymaster, data: callOn(WITHDRAWAL_OF, wallet), words: 2 });
      const balanceWei = await this.readFirstWord({ to: paymaster, data: callOn(BALANCE_OF, wallet), words: 1 });
      return balanceWei > requestedWei ? balanceWei - requestedWei : 0n;
    });
  }

  /**
   * The paymaster contract's deposit in the EntryPoint, out of which every operation is really paid; wei.
   *
   * @throws {DependencyUnavailableError} `chain`, when it cannot be read
   */
  entryPointDepositWei({ entryPoint, paymaster }: { entryPoint: Address; paymaster: Address }): Promise<bigint> {
    return this.deposits.get(`${entryPoint}:${paymaster}`, () =>
      this.readFirstWord({ to: entryPoint, data: callOn(BALANCE_OF, paymaster), words: 1 }),
    );
  }

  /** None of these reads reverts on the contracts we deploy: a revert is a wrong address or a broken node. */
  private async readFirstWord(call: { to: Address; data: Hex; words: number }): Promise<bigint> {
    try {
      return await this.provider.ethCall({ to: call.to, data: call.data }, (returned) => {
        const [first = 0n] = parseWords(returned, call.words, `return data of ${call.to}`);
        return first;
      });
    } catch (cause) {
      if (!(cause instanceof CallRevertedError)) throw cause;
      throw new DependencyUnavailableError('chain', `balances of ${call.to} cannot be read`, { cause });
    }
  }
}

function callOn(selector: Hex, account: Address): Hex {
  return `${selector}${account.slice(2).padStart(64, '0')}`;
}
