// Deposits and operations wait for blocks of the local chain, one a second, on machines that may be slow.
jest.setTimeout(300_000);
