import { Client } from 'pg';
import type { Row } from './row';
import { successPercent } from '../world/fault-scene';

export const MIGRATION_UNDER_LOAD: Row = {
  id: 'B25',
  fault: 'a column added to hot tables under load, and taken away',
  play: (scene) =>
    scene.underLoad(
      async (load) => {
        await load.recoversWithin(30_000);
        const startedMs = performance.now();
        const client = new Client({ connectionString: scene.world.servers.postgres.url });
        await client.connect();
        let slowestMs = 0;
        try {
          // As migrations are told to: rather give up than keep everybody waiting behind them.
          await client.query(`SET lock_timeout = '2s'`);
          for (const change of ['ADD COLUMN IF NOT EXISTS faults_probe integer', 'DROP COLUMN faults_probe']) {
            for (const table of ['reservations', 'budgets', 'wallets', 'outbox']) {
              const fromMs = performance.now();
              await client.query(`ALTER TABLE ledger.${table} ${change}`);
              slowestMs = Math.max(slowestMs, performance.now() - fromMs);
            }
          }
        } finally {
          await client.end();
        }
        await load.recoversWithin(30_000);
        return [
          { what: 'RPC success', value: successPercent(load.since(startedMs)), unit: '%', atLeast: 100 },
          { what: 'slowest step', value: slowestMs / 1_000, unit: 's', atMost: 2 },
        ];
      },
      { perSecond: 50 },
    ),
};
