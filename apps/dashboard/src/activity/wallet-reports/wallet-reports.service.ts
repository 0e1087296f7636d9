import { Injectable, Logger } from '@nestjs/common';
import { ChainProvider, readWalletAccount, type ChainConfig, type WalletOnChain } from '@paymaster/chain';
import { DependencyUnavailableError, type Address, type EntryPointVersion } from '@paymaster/domain';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { ChainUnavailableError } from '../../platform/http/dashboard-errors';
import { OperationsRepository } from '../operations/operations.repository';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { withDeadline } from '../../platform/chains/with-deadline';
import { runwayHours, type WalletAccountReport } from './wallet-report';
import { walletTransactions, type WalletTransactions } from './wallet-transactions';

/** All reads of one account together; milliseconds. */
const DEADLINE_MS = 5_000;
const DAY_MS = 86_400_000;

/** What a paymaster's funding wallet has left, by chain, and how long that lasts. */
@Injectable()
export class WalletReports {
  private readonly logger = new Logger(WalletReports.name);
  private readonly providers = new Map<number, ChainProvider>();

  constructor(
    private readonly chains: SupportedChains,
    private readonly operations: OperationsRepository,
  ) {}

  /**
   * One account for each EntryPoint of the chain; none before the paymaster has a wallet.
   *
   * @throws {ChainUnavailableError}
   */
  async of(paymaster: Paymaster): Promise<WalletAccountReport[]> {
    const { id, chainId, fundingWallet } = paymaster;
    const chain = this.chains.find(chainId);
    if (!fundingWallet || !chain) return [];
    const stops = await this.operations.stops(paymaster);
    const since = new Date(Date.now() - DAY_MS);
    const served = Object.entries(chain.entryPoints) as [EntryPointVersion, { paymaster: Address }][];
    return Promise.all(
      served.map(async ([entryPointVersion, { paymaster: contract }]) => {
        const spent = { paymasterId: id, chainId, fundingWallet, entryPointVersion, since };
        const [{ balanceWei, requestedWei, withdrawableAtSeconds }, spentPerDayWei] = await Promise.all([
          this.read(chain, contract, fundingWallet),
          this.operations.spentWei(spent),
        ]);
        const spendableWei = balanceWei > requestedWei ? balanceWei - requestedWei : 0n;
        return {
          ...{ entryPointVersion, contract, balanceWei, requestedWei, spendableWei, spentPerDayWei },
          withdrawableAt: withdrawableAtSeconds === null ? null : new Date(withdrawableAtSeconds * 1_000),
          runwayHours: runwayHours(spendableWei, spentPerDayWei),
          stoppedAt: stops.get(contract.toLowerCase()) ?? null,
        };
      }),
    );
  }

  /** One for each EntryPoint of the chain; none before the paymaster has a wallet. */
  transactions({ chainId, fundingWallet }: Paymaster, amountWei: bigint): readonly WalletTransactions[] {
    const chain = this.chains.find(chainId);
    return fundingWallet && chain ? walletTransactions(chain, { fundingWallet, amountWei }) : [];
  }

  private async read(chain: ChainConfig, contract: Address, wallet: Address): Promise<WalletOnChain> {
    try {
      return await withDeadline(readWalletAccount(this.providerOf(chain), { contract, wallet }), DEADLINE_MS);
    } catch (error) {
      if (error instanceof DependencyUnavailableError) throw new ChainUnavailableError({ cause: error });
      throw error;
    }
  }

  private providerOf(chain: ChainConfig): ChainProvider {
    const known = this.providers.get(chain.chainId);
    if (known) return known;
    const onFault = ({ message }: Error): void =>
      this.logger.warn({ chainId: chain.chainId, problem: message }, 'a chain endpoint did not answer as it should');
    const provider = new ChainProvider(chain, { onFault });
    this.providers.set(chain.chainId, provider);
    return provider;
  }
}
