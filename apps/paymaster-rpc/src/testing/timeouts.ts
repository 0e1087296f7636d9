/** Integration tests start a chain, a broker and a database each, on machines that may be slow. */
jest.setTimeout(180_000);
