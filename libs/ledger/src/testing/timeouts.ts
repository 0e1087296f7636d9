/** Integration tests start a Postgres each, on a machine that may be slow and stand still for seconds. */
jest.setTimeout(300_000);
