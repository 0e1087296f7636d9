/** A Postgres for the test files of one run, until the channel to its parent closes. Started by tools/lib/postgres.mjs. */
import { startPostgres } from './processes/postgres';

/** For all test files that run at once, each with apps that keep pools. */
const MAX_CONNECTIONS = '600';

startPostgres({ settings: { max_connections: MAX_CONNECTIONS } }).then(
  ({ url, stop }) => {
    process.once('disconnect', () => void stop());
    process.send?.({ url });
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
