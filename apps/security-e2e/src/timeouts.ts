/** A world of real processes on a machine that may be slow. */
jest.setTimeout(300_000);
