// Deposits and operations wait for blocks of the local chain, one a second.
jest.setTimeout(60_000);
