import { ClientNats } from '@nestjs/microservices';
import { natsConnectionOptions, type NatsSettings } from './nats-connection';

/**
 * A NATS client that never stops trying to connect: a broker's outage ends by itself.
 *
 * @param name what the process is called in the server's connection list
 */
export function createNatsClient(settings: NatsSettings, name: string): ClientNats {
  return new ClientNats(natsConnectionOptions(settings, name));
}
