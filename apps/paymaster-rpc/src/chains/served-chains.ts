import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ChainConfig } from '@paymaster/chain';
import { InvalidApiKeyError } from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import type { OpenedSigners } from '@paymaster/signers';
import type { Logger } from 'pino';
import { DEADLINES, type Deadlines } from '../platform/config/deadlines';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { APP_LOGGER } from '../platform/logging/app-logger';
import { LEDGER } from './open-gateway-ledger';
import { openPriceApis } from './price-apis';
import { ServedChain } from './served-chain';
import type { TokenListeners } from './served-tokens';

export const CHAIN_CONFIGS = Symbol('CHAIN_CONFIGS');
/** Injection token of the `OpenedSigners` of this process. */
export const SIGNERS = Symbol('SIGNERS');

/** The chains of chains.json, by id. */
@Injectable()
export class ServedChains implements HealthCheck, OnApplicationBootstrap, OnApplicationShutdown {
  readonly name = 'chains';
  readonly essential = true;
  readonly ids: readonly number[];
  private readonly chains: ReadonlyMap<number, ServedChain>;
  /** By the text in a path: `8453` is a chain, `08453` is not. */
  private readonly byText: ReadonlyMap<string, ServedChain>;

  constructor(
    @Inject(CHAIN_CONFIGS) configs: readonly ChainConfig[],
    @Inject(SIGNERS) { set: signers }: OpenedSigners,
    @Inject(LEDGER) ledger: Ledger,
    @Inject(APP_LOGGER) logger: Logger,
    config: PaymasterRpcConfig,
    @Inject(DEADLINES) { trialMs }: Deadlines,
  ) {
    const apis = openPriceApis(config);
    const chains = configs.map((chain) => {
      const listeners = backgroundLog(logger, chain.chainId);
      return [chain.chainId, new ServedChain(chain, { signers, ledger, apis, listeners, trialMs })] as const;
    });
    this.chains = new Map(chains);
    this.byText = new Map(chains.map(([id, chain]) => [String(id), chain]));
    this.ids = configs.map(({ chainId }) => chainId);
    signers.onChange(() => {
      for (const chain of this.chains.values()) void chain.signer.start();
    });
  }

  /**
   * Starts to read heads and signer sets. Does not wait for them, because a chain that is down must not stop the start
   * of the others.
   */
  onApplicationBootstrap(): void {
    for (const chain of this.chains.values()) chain.start();
  }

  onApplicationShutdown(): void {
    for (const chain of this.chains.values()) chain.stop();
  }

  /** Every chain, in the order of chains.json. */
  all(): Iterable<ServedChain> {
    return this.chains.values();
  }

  /**
   * The chain that a path names. @throws {InvalidApiKeyError} when it is not served, because no key can belong to it
   */
  named(text: string): ServedChain {
    const chain = this.byText.get(text);
    if (chain) return chain;
    const served = this.ids.join(', ');
    throw new InvalidApiKeyError(`No API key is of chain ${text.slice(0, 20)}: chains served here are ${served}.`);
  }

  /** The chain of a snapshot. @throws {InvalidApiKeyError} when the operator no longer serves it */
  get(chainId: number): ServedChain {
    return this.named(String(chainId));
  }

  /** Down only when the gateway can sign for no chain. A single chain without signatures makes the process degraded. */
  check(): HealthReport {
    const chains = [...this.chains.values()];
    const halted = chains.filter(({ config, head }) => head.ageSeconds() > config.maxHeadAgeSeconds);
    // While a chain stands still its fees are not read, so they are old too.
    const unpriced = chains.filter((chain) => !halted.includes(chain) && chain.l1Fees.trouble() !== undefined);
    if (halted.length + unpriced.length === 0) return { status: 'up' };
    const detail = [
      ...(halted.length > 0 ? [`no recent block: ${halted.map(({ config }) => config.chainId).join(', ')}`] : []),
      ...unpriced.map(({ l1Fees }) => l1Fees.trouble()),
    ].join('; ');
    return { status: halted.length + unpriced.length === chains.length ? 'down' : 'degraded', detail };
  }
}

/** Log lines for what happens in the background of one chain. */
function backgroundLog(logger: Logger, chainId: number): TokenListeners {
  return {
    onFault: (error) =>
      logger.warn({ chainId, fault: error instanceof Error ? error.message : 'unknown' }, 'chain fault'),
  };
}
