import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { limitInWords } from '@paymaster/domain';
import { formatEther } from 'ethers';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { GatewayUnavailableError } from '../../platform/http/dashboard-errors';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import { PoliciesRepository } from '../../programs/policies/policies.repository';
import { OperationsRepository } from '../operations/operations.repository';
import type { LimitUseView } from '../policy-use/limit-use.view';
import { PolicyUseService } from '../policy-use/policy-use.service';
import type { WalletAccountReport } from '../wallet-reports/wallet-report';
import { WalletReports } from '../wallet-reports/wallet-reports.service';
import type { Alert, AlertSubject } from './alert';
import { AlertDeliveries } from './alert-deliveries';
import { AlertsRepository } from './alerts.repository';
import { levelOf, limitLevel, percentOf, refusalsLevel, walletLevel, type Level, type Refusals } from './alert-levels';

/** How often it is asked which paymasters nobody has looked at for a minute. */
const ASK_MS = 5_000;
const LOOKS_AT_ONCE = 8;
const HOUR_MS = 3_600_000;

/** What one look found of something that an alert is about. */
interface Reading extends Level {
  /** Which wallet, limit and so on. */
  readonly subject: string;
  readonly type: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What is known of a paymaster, each read once and only when an alert is about it. */
interface Facts {
  readonly paymaster: Paymaster;
  readonly symbol: string;
  wallet(): Promise<readonly WalletAccountReport[]>;
  limits(): Promise<readonly (LimitUseView & { readonly key: string })[]>;
  refusals(): Promise<{ lastHour: Refusals; dayBefore: Refusals }>;
  stops(): Promise<readonly string[]>;
}

/**
 * Looks once a minute at each paymaster that has alerts, by what the dashboard reads for its owner anyway, and queues
 * what there is to tell. Of several processes one looks: its lease is a row (`alert_looks`).
 */
@Injectable()
export class AlertWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(AlertWatch.name);
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly alerts: AlertsRepository,
    private readonly deliveries: AlertDeliveries,
    private readonly paymasters: PaymastersRepository,
    private readonly chains: SupportedChains,
    private readonly reports: WalletReports,
    private readonly policies: PoliciesRepository,
    private readonly policyUse: PolicyUseService,
    private readonly operations: OperationsRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.lookAgain();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private lookAgain(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look()
        .catch(({ message }: Error) => this.logger.warn({ problem: message }, 'alerts cannot be looked at'))
        .finally(() => this.lookAgain());
    }, ASK_MS);
    this.timer.unref();
  }

  /** Looks at every paymaster that is due, at several side by side: a chain that hangs keeps few others waiting. */
  async look(): Promise<void> {
    await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, () => this.lookAtDue()));
  }

  private async lookAtDue(): Promise<void> {
    for (;;) {
      const id = this.stopped ? undefined : await this.alerts.claimLook();
      if (id === undefined) return;
      const paymaster = await this.paymasters.findOfAnyAccount(id);
      if (paymaster?.archivedAt) await this.alerts.forgetAllOf(id);
      else if (paymaster) await this.lookAt(paymaster);
    }
  }

  private async lookAt(paymaster: Paymaster): Promise<void> {
    const facts = this.factsOf(paymaster);
    for (const alert of await this.alerts.listOf(paymaster.id)) {
      if (!alert.active) continue;
      const levels = await this.deliveries.levelsOf(alert.id);
      for (const about of alert.about) {
        // What cannot be read says nothing: what was told stays told.
        const readings = await READ[about](facts, alert).catch(({ message }: Error) => {
          this.logger.debug({ paymasterId: paymaster.id, about, problem: message }, 'an alert cannot be judged now');
          return [];
        });
        for (const reading of readings) await this.judge(paymaster, alert, reading, levels.get(reading.subject) ?? 0);
      }
    }
  }

  private async judge({ id, chainId }: Paymaster, alert: Alert, reading: Reading, level: number): Promise<void> {
    const { subject, reached, held, type, text, data } = reading;
    const of = { alertId: alert.id, subject };
    if (reached > level) {
      const timestamp = new Date().toISOString();
      const message = { type, timestamp, text, data: { paymasterId: id, chainId, ...data } };
      await this.deliveries.raise({ ...of, level: reached, message });
    } else if (held < level) {
      await this.deliveries.lower({ ...of, level: held });
    }
  }

  private factsOf(paymaster: Paymaster): Facts {
    return {
      paymaster,
      symbol: this.chains.find(paymaster.chainId)?.nativeSymbol ?? 'ETH',
      wallet: once(() => this.reports.of(paymaster)),
      limits: once(() => this.limitsOf(paymaster)),
      refusals: once(() => this.refusalsOf(paymaster)),
      stops: once(async () => [...(await this.operations.stops(paymaster)).keys()]),
    };
  }

  /** Of all policies in force that have limits, over all users; those that no gateway tells of are left out. */
  private async limitsOf(paymaster: Paymaster) {
    const policies = [...(await this.policies.listOf(paymaster.id)), ...(await this.policies.sharedOf(paymaster.id))];
    const found: (LimitUseView & { readonly key: string })[] = [];
    for (const { id, active, policyType } of policies) {
      if (!active || policyType === 'WEBHOOK' || policyType === 'WALLET_DEPLOYMENT') continue;
      try {
        const limits = await this.policyUse.of(paymaster, id, undefined);
        limits.forEach((limit, index) => found.push({ ...limit, key: `${id}:${index}` }));
      } catch (error) {
        if (error instanceof GatewayUnavailableError) break;
        throw error;
      }
    }
    return found;
  }

  /**
   * By the counters of clock hours: the last hour is the present one and the rest of the hour before, in proportion;
   * the day before it ends where the hour before begins.
   */
  private async refusalsOf({ id: paymasterId }: Paymaster) {
    const now = Date.now();
    const present = Math.floor(now / HOUR_MS) * HOUR_MS;
    const from = new Date(present - 25 * HOUR_MS);
    const points = await this.operations.usage({ paymasterId, from, to: new Date(now), interval: 'hour' });
    const sum = (fromMs: number, toMs: number, part = 1): Refusals => {
      const within = points.filter(({ start }) => start.getTime() >= fromMs && start.getTime() < toMs);
      const total = (count: (point: (typeof points)[number]) => number) =>
        Math.round(part * within.reduce((all, point) => all + count(point), 0));
      return { refused: total(({ refused }) => refused), all: total(({ refused, granted }) => refused + granted) };
    };
    const before = sum(present - HOUR_MS, present, 1 - (now - present) / HOUR_MS);
    const presentHour = sum(present, now);
    const lastHour = { refused: presentHour.refused + before.refused, all: presentHour.all + before.all };
    return { lastHour, dayBefore: sum(present - 25 * HOUR_MS, present - HOUR_MS) };
  }
}

const READ: Readonly<Record<AlertSubject, (facts: Facts, alert: Alert) => Promise<Reading[]>>> = {
  walletLow: async ({ wallet, symbol }, { walletBelowWei }) => {
    const belowWei = BigInt(walletBelowWei ?? 0);
    const accounts = await wallet();
    const used = accounts.filter(({ balanceWei, spentPerDayWei }) => balanceWei > 0n || spentPerDayWei > 0n);
    // A wallet that never paid anywhere is empty once, and not once for each EntryPoint.
    return (used.length > 0 ? used : accounts.slice(-1)).map(({ entryPointVersion, spendableWei, runwayHours }) => ({
      ...{ subject: `wallet:${entryPointVersion}`, type: 'wallet.low', ...walletLevel(spendableWei, belowWei) },
      text:
        `The wallet can spend ${formatEther(spendableWei)} ${symbol} (EntryPoint v${entryPointVersion}), ` +
        `less than ${formatEther(belowWei)} ${symbol}.` +
        (runwayHours === null ? '' : ` At the spending of the last 24 hours this lasts ${runwayHours} hours.`),
      data: { entryPointVersion, spendableWei: `${spendableWei}`, belowWei: `${belowWei}`, runwayHours },
    }));
  },

  limitUsed: async ({ limits, symbol }, { limitPercents }) =>
    (await limits()).flatMap(({ key, rule, unit, used, amount, resetsAt }) => {
      if (used === null) return [];
      const level = limitLevel(BigInt(used), BigInt(amount), limitPercents);
      return {
        ...{ subject: `limit:${key}`, type: 'limit.used', ...level },
        text:
          `${level.reached} % of a limit is used: ${limitInWords(rule)}. It is ${inUnit(used, unit, symbol)} of ` +
          `${inUnit(amount, unit, symbol)}${operationsOf(unit, amount)}${resetsAt === null ? '' : `; it resets at ${toMinute(resetsAt)}`}.`,
        data: { policyId: key.split(':')[0], rule, unit, used, amount, resetsAt, percent: level.reached },
      };
    }),

  refusalsRising: async ({ refusals }) => {
    const { lastHour, dayBefore } = await refusals();
    return [
      {
        ...{ subject: 'refusals', type: 'refusals.rising', ...refusalsLevel(lastHour, dayBefore) },
        text:
          `Refusals rise: ${lastHour.refused} of ${lastHour.all} operations of the last hour (${percentOf(lastHour)} %), ` +
          `${percentOf(dayBefore)} % in the 24 hours before.`,
        data: { lastHour, dayBefore },
      },
    ];
  },

  walletBraked: async ({ stops }) => {
    const contracts = await stops();
    return [
      {
        ...{ subject: 'brake', type: 'wallet.braked', ...levelOf(contracts.length > 0) },
        text: 'The spending brake stopped the paymaster: it signs nothing until you release the brake.',
        data: { contracts },
      },
    ];
  },

  paymasterSuspended: ({ paymaster: { suspendedAt, suspensionReason: reason } }) =>
    Promise.resolve([
      {
        ...{ subject: 'suspended', type: 'paymaster.suspended', ...levelOf(suspendedAt !== null) },
        text: `The operator of this installation suspended the paymaster: ${reason ?? ''}`,
        data: { reason },
      },
    ]),
};

function inUnit(amount: string, unit: LimitUseView['unit'], symbol: string): string {
  if (unit === 'wei') return `${formatEther(amount)} ${symbol}`;
  return unit === 'microUsd' ? `${(Number(amount) / 1e6).toFixed(2)} USD` : amount;
}

/** What a number without a unit counts. */
function operationsOf(unit: LimitUseView['unit'], amount: string): string {
  if (unit !== 'count') return '';
  return amount === '1' ? ' operation' : ' operations';
}

/** `2026-11-27 00:00 UTC` */
function toMinute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** The first answer, however often it is asked for. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= read());
}
