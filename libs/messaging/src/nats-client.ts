import { setTimeout as sleep } from 'node:timers/promises';
import { ClientNats, type NatsOptions } from '@nestjs/microservices';
import { connect, type NatsConnection } from 'nats';
import { natsConnectionOptions, type NatsSettings } from './nats-connection';

/** Pause between two attempts to connect for the first time; milliseconds. */
const RETRY_MS = 250;

/**
 * A NATS client that never stops trying to connect until it is closed, so that it recovers from a broker's outage.
 *
 * @param name of the process in the server's connection list
 */
export function createNatsClient(settings: NatsSettings, name: string): ClientNats {
  return new PatientNatsClient(natsConnectionOptions(settings, name));
}

/**
 * Connects for as long as it takes. nats.js can do that too, but it can't be stopped before there is a connection: a
 * process that should stop while its broker is down would keep trying.
 *
 * @throws {Error} only when the signal is aborted before there is a connection
 */
export async function connectPatiently(
  options: Required<NatsOptions>['options'],
  signal: AbortSignal,
): Promise<NatsConnection> {
  while (!signal.aborted) {
    const connection = await connect({ ...options, waitOnFirstConnect: false }).catch(() => undefined);
    if (connection && !signal.aborted) return connection;
    await connection?.close();
    await sleep(RETRY_MS);
  }
  throw new Error('closed before there was a connection to NATS');
}

class PatientNatsClient extends ClientNats {
  private readonly closing = new AbortController();

  override createClient(): Promise<NatsConnection> {
    return connectPatiently(this.options, this.closing.signal);
  }

  override async close(): Promise<void> {
    this.closing.abort();
    await super.close();
  }
}
