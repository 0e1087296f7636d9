import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Logger, Module } from '@nestjs/common';
import { loadChainsFile } from '@paymaster/chain';
import { SettlementConfig } from '../config/settlement.config';
import { DatabaseModule } from '../database/database.module';
import { MetricsModule } from '../metrics/metrics.module';
import { ChainFollowers } from './chain-followers.service';
import { FOLLOWED_CHAINS, LEASE_HOLDER, type FollowedChain } from './followed-chain';
import { openChainSource } from './open-chain-source';

/** The chains of chains.json, each with its follower. */
@Module({
  imports: [DatabaseModule, MetricsModule],
  providers: [
    {
      provide: FOLLOWED_CHAINS,
      inject: [SettlementConfig],
      useFactory: ({ chainsFile }: SettlementConfig): readonly FollowedChain[] => {
        const logger = new Logger('Providers');
        return loadChainsFile(chainsFile).map((config) => ({
          config,
          source: openChainSource(config, ({ message }) =>
            logger.debug({ chainId: config.chainId, problem: message }, 'a provider failed'),
          ),
        }));
      },
    },
    { provide: LEASE_HOLDER, useFactory: () => `${hostname()}-${process.pid}-${randomUUID()}` },
    ChainFollowers,
  ],
  exports: [FOLLOWED_CHAINS, LEASE_HOLDER, ChainFollowers],
})
export class FollowingModule {}
