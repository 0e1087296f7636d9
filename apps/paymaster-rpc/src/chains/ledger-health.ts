import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Ledger } from '@paymaster/ledger';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { LastLedgerFault, LEDGER } from './open-gateway-ledger';
import type { ServedChain } from './served-chain';
import { ServedChains } from './served-chains';

/** Whether budgets can be promised: the database answers, its schema is there, and settlement follows each chain. */
@Injectable()
export class LedgerHealth implements HealthCheck, OnApplicationShutdown {
  readonly name = 'ledger';
  readonly essential = true;

  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    private readonly chains: ServedChains,
    private readonly config: PaymasterRpcConfig,
    private readonly trouble: LastLedgerFault,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.ledger.close();
  }

  /** Down when nothing can be signed on any chain. A single chain that lags or is halted makes the process degraded. */
  async check(): Promise<HealthReport> {
    if (!this.ledger.isUp()) return { status: 'down', detail: this.trouble.last ?? 'not connected yet' };
    const chains = [...this.chains.all()];
    const faults = (await Promise.all(chains.map((chain) => this.faultOf(chain)))).flatMap((fault) => fault ?? []);
    if (faults.length === 0) return { status: 'up' };
    return { status: faults.length === chains.length ? 'down' : 'degraded', detail: faults.join('; ') };
  }

  /** Why nothing can be reserved on a chain. Another check judges the chain's head. */
  private async faultOf({ config, head }: ServedChain): Promise<string | undefined> {
    const cursor = await this.ledger.cursor(config.chainId);
    if (!cursor) return `no settlement has opened the books of chain ${config.chainId}`;
    if (cursor.haltedReason !== null) return `chain ${config.chainId} is halted: ${cursor.haltedReason}`;
    if (head.ageSeconds() === Infinity) return undefined;
    const { ledgerMaxLagSeconds } = this.config;
    // Decides like `ledger.reserve`: the head may be old if settlement has lately confirmed that the chain stands
    // still.
    const isChecked = cursor.checkedSecondsAgo !== undefined && cursor.checkedSecondsAgo < ledgerMaxLagSeconds;
    const chainSeconds = isChecked ? head.latest().timestampSeconds : head.nowSeconds();
    const lagSeconds = chainSeconds - cursor.headTimeSeconds;
    if (lagSeconds <= ledgerMaxLagSeconds) return undefined;
    return `settlement is ${lagSeconds} s behind chain ${config.chainId}`;
  }
}
