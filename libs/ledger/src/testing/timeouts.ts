/** Integration tests start a Postgres each. */
jest.setTimeout(60_000);
