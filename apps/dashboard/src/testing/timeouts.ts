/** Integration tests start a Postgres and a NATS each, on machines that may be slow. */
jest.setTimeout(300_000);
