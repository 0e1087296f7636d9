import type { Row } from '../row';
import { ANSWER_LOST_AFTER_COMMIT } from './answer-lost-after-commit';
import { DASHBOARDS_DOWN } from './dashboards-down';
import { GATEWAY_KILLED } from './gateway-killed';
import { GATEWAY_PAUSED } from './gateway-paused';
import { NATS_DOWN } from './nats-down';
import { POSTGRES_KILLED } from './postgres-killed';
import { POSTGRES_PAUSED } from './postgres-paused';

/** The rows that this suite plays, in the order of the matrix. Others have a test elsewhere: see elsewhere.ts. */
export const ROWS: readonly Row[] = [
  GATEWAY_KILLED,
  GATEWAY_PAUSED,
  DASHBOARDS_DOWN,
  NATS_DOWN,
  POSTGRES_KILLED,
  POSTGRES_PAUSED,
  ANSWER_LOST_AFTER_COMMIT,
];
