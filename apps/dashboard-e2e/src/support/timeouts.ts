/** Making an account runs a command, which takes a second or more on a busy machine. */
jest.setTimeout(30_000);
