/** A Postgres for the test files of one run, until the channel to its parent closes. Started by tools/lib/postgres.mjs. */
import { startPostgres } from './processes/postgres';

/** For all test files that run at once, each with apps that keep pools. */
const MAX_CONNECTIONS = '600';
/** Else a worker looks at each of a hundred databases every minute, of which most live for seconds. */
const AUTOVACUUM_NAPTIME = '1h';

startPostgres({ settings: { max_connections: MAX_CONNECTIONS, autovacuum_naptime: AUTOVACUUM_NAPTIME } }).then(
  ({ url, stop }) => {
    process.once('disconnect', () => void stop());
    process.send?.({ url });
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
