/** Integration tests start a Postgres and a NATS each. */
jest.setTimeout(60_000);
