import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import { DeliveriesRepository } from '../../outbound/webhooks/deliveries.repository';
import { presentAccount } from './wallet-report.view';
import { WalletReports } from './wallet-reports.service';

/** How often wallets are looked at that somebody wants to be told about. */
const LOOK_MS = 60_000;
/** Held while looking, so that of several processes one does. An arbitrary constant. */
const LOCK = 4337_0003;

interface Watching {
  readonly webhookId: string;
  readonly paymasterId: string;
  readonly lowBalanceHours: number;
  readonly told: boolean;
}

/** Tells webhooks once that a funding wallet will soon be empty, and again only after it was filled. */
@Injectable()
export class LowWalletWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LowWalletWatch.name);
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly paymasters: PaymastersRepository,
    private readonly reports: WalletReports,
    private readonly deliveries: DeliveriesRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.looking = this.look().catch(({ message }: Error) =>
        this.logger.warn({ problem: message }, 'funding wallets cannot be looked at'),
      );
    }, LOOK_MS);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** Looks once at every wallet that a webhook wants to hear about. */
  async look(): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const [lock] = (await manager.query('SELECT pg_try_advisory_xact_lock($1) AS taken', [LOCK])) as {
        taken: boolean;
      }[];
      if (!lock?.taken) return;
      const watching = (await manager.query(
        `SELECT id AS "webhookId", paymaster_id AS "paymasterId", low_balance_hours AS "lowBalanceHours",
                told_low_at IS NOT NULL AS told
           FROM dashboard.webhooks WHERE active AND 'walletLow' = ANY (events)`,
      )) as Watching[];
      for (const each of watching) await this.judge(manager, each);
    });
  }

  private async judge(manager: EntityManager, watching: Watching): Promise<void> {
    const { webhookId, paymasterId, lowBalanceHours, told } = watching;
    const paymaster = await this.paymasters.get(manager, paymasterId);
    const accounts = await this.reports.of(paymaster).catch(() => undefined);
    // A chain that does not answer says nothing about a wallet.
    if (!accounts) return;
    const low = accounts.filter(({ runwayHours }) => runwayHours !== null && runwayHours < lowBalanceHours);
    if (low.length > 0 === told) return;
    if (low.length > 0) {
      const { chainId, fundingWallet } = paymaster;
      const data = { paymasterId, chainId, fundingWallet, lowBalanceHours, accounts: low.map(presentAccount) };
      const type = 'wallet.low';
      const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
      await this.deliveries.enqueueFor(webhookId, { eventId: randomUUID(), type, body });
    }
    await manager.query(`UPDATE dashboard.webhooks SET told_low_at = CASE WHEN $2 THEN now() END WHERE id = $1`, [
      webhookId,
      low.length > 0,
    ]);
  }
}
