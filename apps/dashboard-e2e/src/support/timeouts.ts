/** Making an account runs a command, and a busy machine takes its time over everything. */
jest.setTimeout(180_000);
