/** The account families that the platform knows, one line each. */
export { BARZ } from './barz';
export { BICONOMY } from './biconomy';
export { COINBASE } from './coinbase';
export { ERC7579 } from './erc7579';
export { ETHERSPOT } from './etherspot';
export { KERNEL } from './kernel';
export { KERNEL_V2 } from './kernel-v2';
export { LIGHT_ACCOUNT, LIGHT_ACCOUNT_1 } from './light-account';
export { METAMASK } from './metamask';
export { MODULAR_ACCOUNT } from './modular-account';
export { NEXUS } from './nexus';
export { SAFE } from './safe';
export { SIMPLE_7702 } from './simple-7702';
export { SIMPLE_ACCOUNT } from './simple-account';
export { SOLADY } from './solady';
export { THIRDWEB } from './thirdweb';
