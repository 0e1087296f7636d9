import type { EntryPointDeposits } from '@paymaster/chain';
import {
  assertInTime,
  DependencyUnavailableError,
  FundingWalletError,
  NO_DEADLINE,
  RequestTimedOutError,
  type Address,
} from '@paymaster/domain';
import { SpendingBrakeError, type Ledger, type PaymasterOperation } from '@paymaster/ledger';

/** More than usual operations promise, one that sets up its account on v0.6 too, where verification counts three times. */
const MUCH_GAS = 1_500_000n;

/** Whose money, and how much of it is asked for. */
export interface FundingQuestion {
  /** The paymaster contract. */
  readonly paymaster: Address;
  readonly wallet: Address;
  readonly entryPoint: Address;
  /** Before the limits are known: what is certain. */
  readonly neededWei: bigint;
  /** Whose cost it is: what it holds already is not asked for again. */
  readonly operation: PaymasterOperation;
  /** Nobody goes on to reserve: what would stop the paymaster is refused here already. */
  readonly isExplained?: boolean;
  /** When who asks is answered, whatever is known by then; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number;
}

/**
 * Whether a funding wallet could pay, asked before the bundler is bothered; nothing is held. What counts is the
 * reservation right before the signature. One per chain.
 */
export class FundingCheck {
  constructor(
    private readonly chainId: number,
    private readonly ledger: Pick<Ledger, 'availableWei' | 'spendableWei' | 'assertBrakeLeaves'>,
    private readonly deposits: Pick<EntryPointDeposits, 'depositWei'>,
  ) {}

  /**
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {SpendingBrakeError} SPENDING_BRAKE
   * @throws {DependencyUnavailableError} `database` or `ledger`, when nobody knows; `chain`
   * @throws {RequestTimedOutError} when the deadline is over
   */
  async assertCovers(question: FundingQuestion): Promise<void> {
    const { paymaster: contract, wallet, neededWei, operation, isExplained, deadlineMs = NO_DEADLINE } = question;
    await this.assertDepositCovers(question);
    assertInTime(deadlineMs, performance.now());
    const account = { chainId: this.chainId, contract, wallet };
    // What every operation of the wallet shares is enough for most; only where it is not, its own hold can matter.
    if (neededWei > (await this.ledger.availableWei(account)))
      refuseBelow(neededWei, await this.ledger.availableWei(account, operation));
    await this.ledger.assertBrakeLeaves(neededWei, { ...account, ...operation }, { isExplained });
  }

  /**
   * The spending brake lets one operation of any size through where nothing else is held or was lost, so that a small
   * wallet stays usable. Of an operation that promises much gas it is half of the wallet at most, asked right before it
   * is reserved.
   *
   * @throws {SpendingBrakeError} SPENDING_BRAKE
   * @throws {DependencyUnavailableError} `database` or `ledger`, when nobody knows
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
   * What the wallet has, whatever of it is held.
   *
   * @throws {DependencyUnavailableError} `database` or `ledger`, when nobody knows
   */
  spendableWei({ paymaster: contract, wallet }: Pick<FundingQuestion, 'paymaster' | 'wallet'>): Promise<bigint> {
    return this.ledger.spendableWei({ chainId: this.chainId, contract, wallet });
  }

  /**
   * {@link assertCovers} for what is not signed: with a ledger that cannot be asked, quotes go on.
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
   * What our contract has in the EntryPoint. It is watched and not reserved, for the wallets' balances add up to no
   * more than it.
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
