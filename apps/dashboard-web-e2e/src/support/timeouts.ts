/** A browser, a chain and a bundler share a busy machine. */
jest.setTimeout(240_000);
