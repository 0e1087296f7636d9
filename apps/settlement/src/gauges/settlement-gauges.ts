import { Inject, Injectable } from '@nestjs/common';
import { mergeProviders, Metrics, watchNats, watchPool, watchProviders } from '@paymaster/nest-kit';
import { Pool } from 'pg';
import { FOLLOWED_CHAINS, type FollowedChain } from '../following/followed-chain';
import { OutboxPublisherService } from '../outbox/outbox-publisher.service';

/** What settlement is connected to. */
@Injectable()
export class SettlementGauges {
  constructor(
    metrics: Metrics,
    pool: Pool,
    @Inject(FOLLOWED_CHAINS) chains: readonly FollowedChain[],
    publisher: OutboxPublisherService,
  ) {
    watchNats(metrics, () => publisher.link);
    watchPool(metrics, () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }));
    watchProviders(metrics, () =>
      chains.flatMap(({ config: { chainId }, source }) =>
        mergeProviders({ chainId, use: 'books' }, source.providers?.() ?? []),
      ),
    );
  }
}
