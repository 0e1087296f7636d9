import type { Row } from './row';
import { ALL_REPLACED } from './all-replaced';
import { ANSWER_LOST_AFTER_COMMIT } from './answer-lost-after-commit';
import { BAD_NETWORK } from './bad-network';
import { CHAIN_HALTED } from './chain-halted';
import { DASHBOARD_KILLED_IN_WRITES } from './dashboard-killed-in-writes';
import { DASHBOARDS_DOWN } from './dashboards-down';
import { EVENT_LOOP_BLOCKED } from './event-loop-blocked';
import { GATEWAY_KILLED } from './gateway-killed';
import { GATEWAY_PAUSED } from './gateway-paused';
import { MIGRATION_UNDER_LOAD } from './migration-under-load';
import { NATS_DOWN } from './nats-down';
import { POSTGRES_KILLED } from './postgres-killed';
import { POSTGRES_PAUSED } from './postgres-paused';
import { PROVIDER_ROWS } from './providers';
import { SAME_NAME_AT_ONCE } from './same-name-at-once';
import { TWO_LIARS } from './two-liars';
import { WRONG_CLOCK } from './wrong-clock';

/** Faults of our own services and of the network between them and their servers, and what their deployment does. */
export const ROWS_OF_SERVICES: readonly Row[] = [
  GATEWAY_KILLED,
  ALL_REPLACED,
  GATEWAY_PAUSED,
  EVENT_LOOP_BLOCKED,
  WRONG_CLOCK,
  DASHBOARDS_DOWN,
  DASHBOARD_KILLED_IN_WRITES,
  SAME_NAME_AT_ONCE,
  MIGRATION_UNDER_LOAD,
  BAD_NETWORK,
];

/** Faults of what the services use: NATS, Postgres, the providers and the chain. */
export const ROWS_OF_WHAT_SERVICES_USE: readonly Row[] = [
  NATS_DOWN,
  POSTGRES_KILLED,
  POSTGRES_PAUSED,
  ANSWER_LOST_AFTER_COMMIT,
  ...PROVIDER_ROWS,
  TWO_LIARS,
  CHAIN_HALTED,
];

/** The rows that this suite plays. Others have a test elsewhere: see elsewhere.ts. */
export const ROWS: readonly Row[] = [...ROWS_OF_SERVICES, ...ROWS_OF_WHAT_SERVICES_USE];
