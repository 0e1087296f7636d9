/** A row waits for processes that are killed and come back, on a machine that may be slow. */
jest.setTimeout(300_000);
