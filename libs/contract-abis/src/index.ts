/** ABIs and creation bytecode of this repository's contracts, the EntryPoint ABIs it uses, and measured gas figures. */
export * from './generated/call-meter';
export * from './generated/demo-counter';
export * from './generated/demo-permit-token';
export * from './generated/demo-price-feed';
export * from './generated/demo-token';
export * from './generated/entry-point-v06';
export * from './generated/entry-point-v07';
export * from './generated/entry-point-v08';
export * from './generated/entry-point-v09';
export * from './generated/gas-constants';
export * from './generated/hybrid-paymaster-v06';
export * from './generated/hybrid-paymaster-v07';
export * from './generated/hybrid-paymaster-v08';
export * from './generated/hybrid-paymaster-v09';
export * from './generated/operation-meter';
export * from './generated/paymaster-puppet';
export * from './generated/token-payment-simulator';
