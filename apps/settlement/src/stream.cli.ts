import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectPatiently, SPONSORSHIP_STREAM } from '@paymaster/messaging';
import { loadConfig, runCommand } from '@paymaster/nest-kit';
import { NatsError } from 'nats';
import { StreamConfig } from './config/stream.config';
import { EventStream, problemOf, streamConnectionOptions, streamSettings } from './outbox/event-stream';

const HELP = `Makes the stream ${SPONSORSHIP_STREAM} on NATS, or gives it the limits of today's settings, then ends.

  --help   this text

Safe to repeat, and while settlement and the dashboard are at work. Waits two minutes for NATS. It is a user of its own
there, which no service is: NATS_USER=stream-maker.
Exit code 0: the stream is as the settings say. 1: it is as it was before. 2: the command is wrong.
Reads NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE, OUTBOX_RETENTION_DAYS, STREAM_MAX_BYTES and STREAM_REPLICAS.
`;

/** How long NATS may take to start, or to have a leader again; milliseconds. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 500;

runCommand(HELP, {}, async () => {
  const config = loadConfig(StreamConfig);
  const untilMs = performance.now() + PATIENCE_MS;
  const options = streamConnectionOptions(config, 'stream-maker');
  const connection = await connectPatiently(options, AbortSignal.timeout(PATIENCE_MS)).catch((cause: unknown) => {
    throw new Error(`The stream ${SPONSORSHIP_STREAM} is not made. NATS lets nobody in at ${config.natsUrl}.`, {
      cause,
    });
  });
  try {
    const changed = await makePatiently(new EventStream(connection, streamSettings(config)), untilMs);
    const what = changed === undefined ? 'was made' : `had to be changed in: ${changed.join(', ') || 'nothing'}`;
    process.stdout.write(`The stream ${SPONSORSHIP_STREAM} ${what}.\n`);
  } finally {
    await connection.close();
  }
});

async function makePatiently(stream: EventStream, untilMs: number): Promise<readonly string[] | undefined> {
  for (;;) {
    try {
      return await stream.make();
    } catch (error) {
      if (performance.now() < untilMs && isPassing(error)) await sleep(PAUSE_MS);
      else throw new Error(`The stream ${SPONSORSHIP_STREAM} is not made. ${problemOf(error)}`, { cause: error });
    }
  }
}

/** A cluster that has just started has no leader yet. */
function isPassing(error: unknown): boolean {
  return error instanceof NatsError && (error.api_error?.code === 503 || ['503', 'TIMEOUT'].includes(error.code));
}
