/** Integration tests start a Postgres, a NATS and a chain each. */
jest.setTimeout(120_000);
