import { Injectable } from '@nestjs/common';
import { mergeProviders, Metrics, watchProviders } from '@paymaster/nest-kit';
import { SentOperations } from '../bundlers/sent-operations';
import { ServedChains } from '../chains/served-chains';

/** What this process knows of the chains: how old their heads are, and what is left to pay with. */
@Injectable()
export class ChainGauges {
  constructor(metrics: Metrics, chains: ServedChains, sent: SentOperations) {
    watchProviders(metrics, () =>
      [...chains.all()].flatMap((chain) =>
        chain
          .providers()
          .flatMap(({ use, statuses }) => mergeProviders({ chainId: chain.config.chainId, use }, statuses)),
      ),
    );
    metrics.total(
      {
        name: 'paymaster_bundler_requests_total',
        help: 'Estimates asked of bundlers: answered, refused for the operation or our deposit, failed, or slow where others were answered meanwhile',
        labelNames: ['chain', 'outcome'],
      },
      () =>
        [...chains.all()].flatMap((chain) =>
          Object.entries(chain.bundlerCalls() ?? {}).map(([outcome, value]) => ({
            labels: { chain: String(chain.config.chainId), outcome },
            value,
          })),
        ),
    );
    metrics.total(
      {
        name: 'paymaster_bundler_calls_total',
        help: 'Requests to bundlers for clients: answered (also with a refusal), failed, or slow where an estimate ran a code of theirs',
        labelNames: ['chain', 'bundler', 'outcome'],
      },
      () =>
        [...chains.all()].flatMap(({ config, bundlers }) =>
          bundlers.endpoints.flatMap(({ name: bundler, calls }) =>
            Object.entries(calls).map(([outcome, value]) => ({
              labels: { chain: String(config.chainId), bundler, outcome },
              value,
            })),
          ),
        ),
    );
    metrics.total(
      {
        name: 'paymaster_bundler_sends_total',
        help: 'Operations sent to bundlers: taken, refused for the operation, or failed for the bundler',
        labelNames: ['chain', 'bundler', 'outcome'],
      },
      () =>
        [...chains.all()].flatMap(({ config, bundlers }) =>
          bundlers.endpoints.flatMap(({ name: bundler, sends }) =>
            Object.entries(sends).map(([outcome, value]) => ({
              labels: { chain: String(config.chainId), bundler, outcome },
              value,
            })),
          ),
        ),
    );
    metrics.gauge(
      {
        name: 'paymaster_sent_operations_waiting',
        help: 'Operations of our paymasters that bundlers took and that this gateway follows',
        labelNames: ['chain'],
      },
      () =>
        sent.ofChains().map(({ chain, waiting }) => ({
          labels: { chain: String(chain.config.chainId) },
          value: waiting.size,
        })),
    );
    metrics.total(
      {
        name: 'paymaster_sent_operations_total',
        help: 'Operations of our paymasters that bundlers took: landed, expired, replaced by another of their nonce, unknown, or unfollowed because too many are on their way',
        labelNames: ['chain', 'fate'],
      },
      () =>
        sent.ofChains().flatMap(({ chain, fates }) =>
          Object.entries(fates).map(([fate, value]) => ({
            labels: { chain: String(chain.config.chainId), fate },
            value,
          })),
        ),
    );
    metrics.total(
      {
        name: 'paymaster_operations_sent_again_total',
        help: 'Operations that a bundler took and did not land, by the bundler that took them next',
        labelNames: ['chain', 'bundler'],
      },
      () =>
        sent.ofChains().flatMap(({ chain, sentAgain }) =>
          [...sentAgain].map(([bundler, value]) => ({
            labels: { chain: String(chain.config.chainId), bundler },
            value,
          })),
        ),
    );
    metrics.gauge(
      {
        name: 'paymaster_chain_head_age_seconds',
        help: 'How long the newest block of a chain has stood still; absent before one was seen',
        labelNames: ['chain'],
      },
      () =>
        [...chains.all()]
          .map(({ config, head }) => ({ labels: { chain: String(config.chainId) }, value: head.ageSeconds() }))
          .filter(({ value }) => Number.isFinite(value)),
    );
    metrics.gauge(
      {
        name: 'paymaster_l1_fee_age_seconds',
        help: 'How old the newest reading of what a rollup takes for L1 data is; absent before one was read',
        labelNames: ['chain'],
      },
      () =>
        [...chains.all()]
          .map(({ config, l1Fees }) => ({ labels: { chain: String(config.chainId) }, value: l1Fees.ageSeconds() }))
          .filter((sample): sample is typeof sample & { value: number } => Number.isFinite(sample.value)),
    );
    metrics.gauge(
      {
        name: 'paymaster_entry_point_deposit_wei',
        help: "What our contract has in an EntryPoint, all funding wallets' money together",
        labelNames: ['chain', 'entry_point'],
      },
      () =>
        [...chains.all()].flatMap((chain) =>
          chain.knownDeposits().map(({ entryPoint, wei }) => ({
            labels: { chain: String(chain.config.chainId), entry_point: entryPoint },
            value: Number(wei),
          })),
        ),
    );
  }
}
