/** Everything that knows a chain: its configuration, providers, gas estimation, paymasterAndData and signers. */
export * from './chains/chain-config';
export * from './chains/chains-file';
export * from './digest/digest-hasher';
export * from './paymaster-data/decode-paymaster-and-data';
export * from './paymaster-data/encode-paymaster-and-data';
export * from './paymaster-data/encode-sponsor-data';
export * from './paymaster-data/sponsor-fields';
export * from './paymaster-data/stub';
export * from './signer/load-signer';
export * from './signer/local-key-signer';
export * from './signer/signer';
export * from './signer/signer-key-error';
