/** Everything that knows a chain: its configuration, providers, gas estimation, paymasterAndData and signers. */
export * from './chains/chain-config';
export * from './chains/chains-file';
