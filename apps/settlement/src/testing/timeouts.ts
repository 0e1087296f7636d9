/** Integration tests start a Postgres, a NATS, a chain and services each, on a machine that may be slow. */
jest.setTimeout(600_000);
