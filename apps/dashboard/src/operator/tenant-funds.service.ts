import { Injectable } from '@nestjs/common';
import { MAX_ASKED_WALLETS, type AskedWallet } from '@paymaster/messaging';
import { formatUsd } from '@paymaster/pricing';
import type { Money } from '../activity/operations/operation';
import { Gateways } from '../outbound/gateways/gateways.service';
import { GatewayUnavailableError } from '../platform/http/dashboard-errors';
import type { Tenant, TenantMoney, TenantPaymaster } from './tenants.repository';

/** No further question is asked after this time; milliseconds. */
const ASK_WITHIN_MS = 5_000;

/** A tenant's money on one chain. */
export interface ChainFunds {
  readonly chainId: number;
  /** What its funding wallets can spend, each wallet once; null where no gateway knows it. */
  readonly spendableWei: bigint | null;
  /** Of the operations of its paymasters in the last 30 days. */
  readonly money: Money;
}

/** What tenants have for operations, and spent on them. */
@Injectable()
export class TenantFunds {
  constructor(private readonly gateways: Gateways) {}

  /** For each tenant, its chains in order. Two tenants that linked the same wallet both have its money. */
  async of(tenants: readonly Pick<Tenant, 'paymasters'>[]): Promise<readonly (readonly ChainFunds[])[]> {
    const spendable = await this.spendable(tenants.flatMap(({ paymasters }) => walletsOf(paymasters)));
    return tenants.map(({ paymasters }) => {
      const chainIds = [...new Set(paymasters.map(({ chainId }) => chainId))].sort((left, right) => left - right);
      return chainIds.map((chainId) => {
        const there = paymasters.filter((each) => each.chainId === chainId);
        const amounts = walletsOf(there).map((wallet) => spendable.get(keyOf(wallet)) ?? null);
        return {
          chainId,
          spendableWei: amounts.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0n),
          money: sumOf(there.map(({ money }) => money)),
        };
      });
    });
  }

  /** By {@link keyOf}; without those that no gateway tells. */
  private async spendable(wallets: readonly AskedWallet[]): Promise<ReadonlyMap<string, bigint | null>> {
    const asked = [...new Map(wallets.map((wallet) => [keyOf(wallet), wallet]))];
    const known = new Map<string, bigint | null>();
    const endMs = performance.now() + ASK_WITHIN_MS;
    try {
      for (let at = 0; at < asked.length && performance.now() < endMs; at += MAX_ASKED_WALLETS) {
        const part = asked.slice(at, at + MAX_ASKED_WALLETS);
        const amounts = await this.gateways.ask('wallets', { wallets: part.map(([, wallet]) => wallet) });
        part.forEach(([key], place) => known.set(key, toWei(amounts[place])));
      }
    } catch (error) {
      if (!(error instanceof GatewayUnavailableError)) throw error;
    }
    return known;
  }
}

function sumOf(all: readonly TenantMoney[]): Money {
  const sum = (key: keyof TenantMoney): bigint => all.reduce((total, money) => total + BigInt(money[key]), 0n);
  const [spent, received] = [sum('spentUsdE36'), sum('receivedUsdE36')];
  return {
    ...{ spentWei: sum('spentWei').toString(), spentUsd: formatUsd(spent), unpriced: Number(sum('unpriced')) },
    ...{ receivedUsd: formatUsd(received), unrecorded: Number(sum('unrecorded')), netUsd: formatUsd(spent - received) },
  };
}

/** The wallets of paymasters, each once. */
function walletsOf(paymasters: readonly TenantPaymaster[]): readonly AskedWallet[] {
  const wallets = paymasters.flatMap(({ chainId, fundingWallet: wallet }) => (wallet ? [{ chainId, wallet }] : []));
  return [...new Map(wallets.map((each) => [keyOf(each), each])).values()];
}

const keyOf = ({ chainId, wallet }: AskedWallet): string => `${chainId} ${wallet}`;

const toWei = (amount: string | null | undefined): bigint | null => (amount ? BigInt(amount) : null);
