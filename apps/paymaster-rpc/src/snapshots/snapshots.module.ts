import { Module } from '@nestjs/common';
import { createNatsClient, indexKeysOf, MessageAuthenticator, PolicyClient } from '@paymaster/messaging';
import { DEADLINES, type Deadlines } from '../platform/config/deadlines';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { PolicySnapshots } from './policy-snapshots.service';

@Module({
  providers: [
    {
      provide: PolicyClient,
      inject: [PaymasterRpcConfig, DEADLINES],
      useFactory: (config: PaymasterRpcConfig, { policyMs }: Deadlines) =>
        new PolicyClient(
          createNatsClient(config, 'paymaster-rpc'),
          new MessageAuthenticator(indexKeysOf(config)),
          policyMs,
        ),
    },
    PolicySnapshots,
  ],
  exports: [PolicySnapshots],
})
export class SnapshotsModule {}
