import type { Address } from '@paymaster/domain';
import type { ChainHead } from '../providers/chain-head';
import type { FundingWalletBalances } from './funding-wallet-balances';
import { balanceTooLow, type LiveSignatures, type SignatureHold, type WalletAccount } from './live-signatures';

/**
 * Whether a funding wallet can pay, asked twice per request: before the bundler is bothered, and with the final
 * precharge right before signing. One per chain.
 */
export class FundingGuard {
  constructor(
    private readonly head: Pick<ChainHead, 'nowSeconds'>,
    private readonly balances: FundingWalletBalances,
    private readonly live: LiveSignatures,
  ) {}

  /** What the wallet can still promise: its balance less what this process has signed and may yet land; wei. */
  async availableWei(account: WalletAccount): Promise<bigint> {
    const balanceWei = await this.balances.spendableWei(account);
    const availableWei = balanceWei - this.live.liveWei(account, this.head.nowSeconds());
    return availableWei > 0n ? availableWei : 0n;
  }

  /**
   * The check without a hold. Before the limits are known, ask for what is certain (1 wei at least).
   *
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {DependencyUnavailableError} `chain`
   */
  async assertCovers(request: WalletAccount & { entryPoint: Address; neededWei: bigint }): Promise<void> {
    const [availableWei, depositWei] = await Promise.all([
      this.availableWei(request),
      this.balances.entryPointDepositWei(request),
    ]);
    this.refuseBelow(request.neededWei, availableWei < depositWei ? availableWei : depositWei);
  }

  /**
   * The check with a hold until the signature has expired. Call it right before signing.
   *
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {SponsorshipRefusedError} TOO_MANY_LIVE_SIGNATURES
   * @throws {DependencyUnavailableError} `chain`
   */
  async reserve(hold: SignatureHold): Promise<void> {
    const [balanceWei, depositWei] = await Promise.all([
      this.balances.spendableWei(hold),
      this.balances.entryPointDepositWei(hold),
    ]);
    this.refuseBelow(hold.prechargeWei, depositWei);
    this.live.reserve({ hold, balanceWei, nowSeconds: this.head.nowSeconds() });
  }

  private refuseBelow(neededWei: bigint, availableWei: bigint): void {
    if (neededWei > availableWei) throw balanceTooLow({ availableWei, neededWei });
  }
}
