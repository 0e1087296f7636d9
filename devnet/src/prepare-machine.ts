/** Sees to what npm cannot install, before anything is started: nats-server. Run by tools/bootstrap.mjs. */
import { natsServerBinary } from './processes/nats-binary';

natsServerBinary((line) => void process.stdout.write(`${line}\n`)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
