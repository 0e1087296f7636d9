import { ClientNats } from '@nestjs/microservices';

export interface NatsClientOptions {
  /** One or more servers, comma separated: `nats://host:4222`. */
  readonly url: string;
  /** How this process is called in the server's connection list. */
  readonly name: string;
}

/** A NATS client that never stops trying to connect: a broker's outage ends by itself. */
export function createNatsClient({ url, name }: NatsClientOptions): ClientNats {
  return new ClientNats({
    servers: url.split(',').map((server) => server.trim()),
    name,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    timeout: 2_000,
  });
}
