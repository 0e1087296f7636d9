import type { EntryPointDeposits, WalletOnChain } from '@paymaster/chain';
import { DependencyUnavailableError, FundingWalletError, RequestTimedOutError, type Address } from '@paymaster/domain';
import { SpendingBrakeError, type Ledger, type PaymasterOperation } from '@paymaster/ledger';
import { assertInTime, inTime, NO_DEADLINE } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';

/**
 * More gas than usual operations promise, including an operation that deploys its account on v0.6, where verification
 * gas counts three times.
 */
const MUCH_GAS = 1_500_000n;

/** Refused clients cannot make the gateway read a wallet more often than once in this time. */
const LOOK_EVERY_MS = 1_000;
/** A refusal waits no longer for what the chain says of the wallet. */
const LOOK_WITHIN_MS = 500;
const MAX_LOOKS = 1_000;

type Look = Pick<WalletOnChain, 'balanceWei' | 'requestedWei'>;

/** The wallet, and the amount that an operation needs from it. */
export interface FundingQuestion {
  /** The paymaster contract. */
  readonly paymaster: Address;
  readonly wallet: Address;
  readonly entryPoint: Address;
  /** Before the limits are known, this is the part that is certain. */
  readonly neededWei: bigint;
  /** What it is expected to cost, which the spending brake counts; where that is not known, {@link neededWei}. */
  readonly expectedWei?: bigint;
  /** The operation; what it already holds is not needed again. */
  readonly operation: PaymasterOperation;
  /** True: no reservation follows, so this check refuses also when the reservation would stop the paymaster. */
  readonly isExplained?: boolean;
  /** The time at which the caller gets an answer at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number;
}

/**
 * Checks whether a funding wallet could pay, before the gateway asks the bundler. It holds nothing: only the
 * reservation right before the signature decides. There is one per chain.
 */
export class FundingCheck {
  private readonly looks = new LRUCache<string, Promise<Look>>({ max: MAX_LOOKS, ttl: LOOK_EVERY_MS });

  /** @param readWallet reads a wallet's account in a contract at the newest block */
  constructor(
    private readonly chainId: number,
    private readonly ledger: Pick<Ledger, 'availableWei' | 'spendableWei' | 'assertBrakeLeaves'>,
    private readonly deposits: Pick<EntryPointDeposits, 'depositWei'>,
    private readonly readWallet: (account: { contract: Address; wallet: Address }) => Promise<Look>,
  ) {}

  /**
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {SpendingBrakeError} SPENDING_BRAKE
   * @throws {DependencyUnavailableError} `database` or `ledger`, when they cannot be asked; `chain`
   * @throws {RequestTimedOutError} when the deadline is over
   */
  async assertCovers(question: FundingQuestion): Promise<void> {
    const { paymaster: contract, wallet, neededWei, operation, isExplained, deadlineMs = NO_DEADLINE } = question;
    await this.assertDepositCovers(question);
    assertInTime(deadlineMs, performance.now());
    const account = { chainId: this.chainId, contract, wallet };
    // The wallet's shared, cached amount is enough for most operations. Only if it is not, the operation's own hold can
    // matter.
    if (neededWei > (await this.ledger.availableWei(account)))
      refuseBelow(neededWei, await this.ledger.availableWei(account, operation));
    await this.ledger.assertBrakeLeaves(
      question.expectedWei ?? neededWei,
      { ...account, ...operation },
      { isExplained },
    );
  }

  /**
   * The spending brake allows one operation of any size while nothing else is held and nothing was lost, so that a
   * small wallet stays usable. But an operation that promises much gas may use at most half of the wallet. This method
   * checks that right before the reservation.
   *
   * @throws {SpendingBrakeError} SPENDING_BRAKE
   * @throws {DependencyUnavailableError} `database` or `ledger`, when they cannot be asked
   */
  async assertLeavesHalf(
    question: Pick<FundingQuestion, 'paymaster' | 'wallet' | 'neededWei'> & {
      readonly maxFeePerGas: bigint;
      /** Undefined where the owner turned the brake off. */
      readonly brakeReleasedAtMs: number | undefined;
    },
  ): Promise<void> {
    const { neededWei, maxFeePerGas, brakeReleasedAtMs } = question;
    if (brakeReleasedAtMs === undefined || neededWei <= MUCH_GAS * maxFeePerGas) return;
    const roomWei = (await this.spendableWei(question)) / 2n;
    if (neededWei > roomWei) throw new SpendingBrakeError({ roomWei, neededWei, lostWei: 0n });
  }

  /**
   * What the wallet can spend, in wei. What is held for operations under way is not subtracted.
   *
   * @throws {DependencyUnavailableError} `database` or `ledger`, when they cannot be asked
   */
  spendableWei({ paymaster: contract, wallet }: Pick<FundingQuestion, 'paymaster' | 'wallet'>): Promise<bigint> {
    return this.ledger.spendableWei({ chainId: this.chainId, contract, wallet });
  }

  /**
   * By how much the newest block has more of the wallet than the ledger counts: deposits whose blocks are not final. It
   * may be too low while operations of the wallet are under way. For explanations only.
   *
   * @returns undefined when chain and ledger do not say it soon
   */
  async uncountedWei({ paymaster, wallet }: Pick<FundingQuestion, 'paymaster' | 'wallet'>) {
    const difference = async (): Promise<bigint> => {
      const { balanceWei, requestedWei } = await this.lookAt({ contract: paymaster, wallet });
      const uncounted = balanceWei - requestedWei - (await this.spendableWei({ paymaster, wallet }));
      return uncounted > 0n ? uncounted : 0n;
    };
    return inTime(difference(), LOOK_WITHIN_MS, () => undefined).catch(() => undefined);
  }

  private lookAt(account: { contract: Address; wallet: Address }): Promise<Look> {
    const key = `${account.contract} ${account.wallet}`;
    const look = this.looks.get(key) ?? this.readWallet(account);
    if (!this.looks.has(key)) this.looks.set(key, look);
    return look;
  }

  /**
   * Like {@link assertCovers}, for answers without a signature: if the ledger cannot be asked, it does not refuse.
   *
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {DependencyUnavailableError} `chain`
   */
  async assertCoversIfKnown(question: FundingQuestion): Promise<void> {
    try {
      await this.assertCovers(question);
    } catch (error) {
      if (!(error instanceof DependencyUnavailableError) || error.dependency === 'chain') throw error;
      if (error instanceof RequestTimedOutError) throw error;
    }
  }

  /**
   * Checks our contract's deposit in the EntryPoint. The deposit is watched and not reserved, because the balances of
   * all wallets together are never more than the deposit.
   *
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {DependencyUnavailableError} `chain`
   */
  async assertDepositCovers({ entryPoint, neededWei }: Pick<FundingQuestion, 'entryPoint' | 'neededWei'>) {
    refuseBelow(neededWei, await this.deposits.depositWei(entryPoint));
  }
}

/**
 * Amounts travel in `details` as decimal strings; the gateway shows them only where the paymaster allows it.
 *
 * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
 */
export function refuseBelow(neededWei: bigint, availableWei: bigint): void {
  if (neededWei <= availableWei) return;
  throw new FundingWalletError(
    'FUNDING_WALLET_BALANCE_TOO_LOW',
    'the funding wallet of this paymaster does not hold enough gas deposit for this operation',
    { availableWei: availableWei.toString(), neededWei: neededWei.toString() },
  );
}
