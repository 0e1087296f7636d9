import type { Address } from '@paymaster/domain';

/**
 * The Safe contracts an ERC-4337 Safe is made of, versions 1.4.1 and 1.5.0, the same address on every chain.
 *
 * Sources: permissionless 0.3.7 `accounts/safe/toSafeSmartAccount.ts` (`SAFE_VERSION_TO_ADDRESSES_MAP`);
 * SafeL2: safe-global/safe-deployments `src/assets/v1.4.1/safe_l2.json`.
 */
const SAFE = '0x41675c099f32341bf84bfc5382af534df5c7461a';
const SAFE_L2 = '0x29fcb43b46531bca003ddc8fcb67ffe91900c762';
const SAFE_1_5_0 = '0xff51a5898e281db6dfc7855790607438df2ca44b';

const MULTI_SEND = '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526';
const MULTI_SEND_CALL_ONLY = '0x9641d764fc13c8b624c04430c7356c1c7c8102e2';
const MULTI_SEND_1_5_0 = '0x218543288004cd07832472d464648173c77d7eb7';
const MULTI_SEND_CALL_ONLY_1_5_0 = '0xa83c336b20401af773b6219ba5027174338d1836';

const SAFE_4337_MODULE_V06 = '0xa581c4a4db7175302464ff3c06380bc3270b4037';
const SAFE_4337_MODULE_V07 = '0x75cf11467937ce3f2f357ce24ffc3dbf8fd5c226';

const SAFE_MODULE_SETUP_V06 = '0x8ecd4ec46d4d2a6b64fe960b3d64e8b94b2234eb';
const SAFE_MODULE_SETUP_V07 = '0x2dd68b007b46fbe91b9a7c3eda5a7a1063cb5b47';

/** Contracts a Safe runs by delegatecall to batch its calls. */
export const KNOWN_MULTI_SEND_CONTRACTS: ReadonlySet<Address> = new Set<Address>([
  MULTI_SEND,
  MULTI_SEND_CALL_ONLY,
  MULTI_SEND_1_5_0,
  MULTI_SEND_CALL_ONLY_1_5_0,
]);

/** The code behind a Safe proxy. */
export const KNOWN_SAFE_SINGLETONS: ReadonlySet<Address> = new Set<Address>([SAFE, SAFE_L2, SAFE_1_5_0]);

/** Fallback handler and module in one: decodes the call data of an operation. */
export const KNOWN_SAFE_4337_MODULES: ReadonlySet<Address> = new Set<Address>([
  SAFE_4337_MODULE_V06,
  SAFE_4337_MODULE_V07,
]);

/** Libraries that enable modules while a Safe is set up. */
export const KNOWN_SAFE_MODULE_SETUPS: ReadonlySet<Address> = new Set<Address>([
  SAFE_MODULE_SETUP_V06,
  SAFE_MODULE_SETUP_V07,
]);

/** Owner of passkey Safes, configured by delegatecall during setup. */
export const SAFE_WEB_AUTHN_SHARED_SIGNER: Address = '0x94a4f6affbd8975951142c3999aeab7ecee555c2';
