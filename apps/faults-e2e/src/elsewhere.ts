/** A row of the fault matrix that a test beside the code plays. */
export interface Elsewhere {
  readonly id: string;
  readonly fault: string;
  /** The file, from the root of the workspace. */
  readonly file: string;
  /** What stands in its title. */
  readonly title: string;
}

/** Rows whose fault is best made where the code is. `npm run faults` runs these tests, `npm test` has them in its other parts. */
export const ELSEWHERE: readonly Elsewhere[] = [
  {
    id: 'B12',
    fault: 'NATS killed while events are published and read',
    file: 'apps/settlement/src/main.integration.spec.ts',
    title:
      'settles while NATS is away, publishes when it is back, and fills the stream again when its data was deleted',
  },
  {
    id: 'B13',
    fault: 'NATS forgets what it had acknowledged last',
    file: 'apps/settlement/src/outbox/outbox-publisher.integration.spec.ts',
    title: 'is filled again when the server forgot the last messages only',
  },
  {
    id: 'B14',
    fault: 'NATS loses its stream',
    file: 'apps/settlement/src/main.integration.spec.ts',
    title:
      'settles while NATS is away, publishes when it is back, and fills the stream again when its data was deleted',
  },
  {
    id: 'B15',
    fault: 'an acknowledgement that is lost on its way',
    file: 'apps/settlement/src/outbox/outbox-publisher.integration.spec.ts',
    title: 'publishes again what was acknowledged and not marked, and the server drops it',
  },
  {
    id: 'B16',
    fault: 'a consumer that does not keep up',
    file: 'apps/settlement/src/outbox/stream-room.integration.spec.ts',
    title: 'keeps every event until all of its readers have acknowledged it',
  },
  {
    id: 'B17',
    fault: 'a message that no consumer can take',
    file: 'apps/settlement/src/outbox/sponsorship-consumer.integration.spec.ts',
    title: 'gives an event up after so many failures, and the stream moves on',
  },
  {
    id: 'B24',
    fault: 'everybody reserves on one budget',
    file: 'libs/ledger/src/gateway/reservation-race.integration.spec.ts',
    title: 'grants exactly 137 to 8 gateways with 500 requests each',
  },
  {
    id: 'B32',
    fault: 'logs that are missing or come twice',
    file: 'libs/chain/src/blocks/lying-providers.integration.spec.ts',
    title: 'the only provider drops logs from receipts too: nothing is read',
  },
  {
    id: 'B33',
    fault: 'a reorganisation, also one deeper than the window',
    file: 'apps/settlement/src/following/chain-follower.integration.spec.ts',
    title: 'deeper than the window halts the chain, and with it reservations',
  },
  {
    id: 'B38',
    fault: 'one of two signers down, then both',
    file: 'apps/paymaster-rpc/src/sign/signers.integration.spec.ts',
    title: 'fails none of 80 requests while the preferred one closes its connections',
  },
  {
    id: 'B45',
    fault: 'NATS shows another certificate, of a known authority and of a new one; a name that does not resolve',
    file: 'apps/paymaster-rpc/src/snapshots/nats-certificates.integration.spec.ts',
    title: 'are replaced without a failed request',
  },
  {
    id: 'B45',
    fault: 'Postgres shows another certificate, of a known authority and of a new one, or one of another name',
    file: 'libs/ledger/src/gateway/postgres-certificates.integration.spec.ts',
    title: 'of an authority that nobody knows are believed once it is in the file, without a restart',
  },
];
