import type { Hex } from '@paymaster/domain';

/**
 * The account functions whose arguments are calls. Each signature is hashed again in the test.
 *
 * Sources: BICONOMY bcnmy/scw-contracts SmartAccount.sol (V2 `execute`, `execute_ncC`, `executeBatch`,
 * `executeBatch_y6U`; V1 the `executeCall` family); SimpleAccount of @account-abstraction/contracts 0.6 to 0.8;
 * SAFE safe-global/safe-modules Safe4337Module.sol; ERC-7579 `execute`; ERC-4337 `IAccountExecute`.
 */
export const EXECUTION_SIGNATURES = {
  execute: 'execute(address,uint256,bytes)',
  executeNcC: 'execute_ncC(address,uint256,bytes)',
  executeCall: 'executeCall(address,uint256,bytes)',
  executeCallS1m: 'executeCall_s1m(address,uint256,bytes)',
  executeBatchWithoutValues: 'executeBatch(address[],bytes[])',
  executeBatch: 'executeBatch(address[],uint256[],bytes[])',
  executeBatchY6U: 'executeBatch_y6U(address[],uint256[],bytes[])',
  executeBatchCall: 'executeBatchCall(address[],uint256[],bytes[])',
  executeBatchCall4by: 'executeBatchCall_4by(address[],uint256[],bytes[])',
  executeBatchOfTuples: 'executeBatch((address,uint256,bytes)[])',
  safeExecuteUserOp: 'executeUserOp(address,uint256,bytes,uint8)',
  safeExecuteUserOpWithErrorString: 'executeUserOpWithErrorString(address,uint256,bytes,uint8)',
  erc7579Execute: 'execute(bytes32,bytes)',
  erc4337ExecuteUserOp: 'executeUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32)',
} as const;

export const EXECUTION_SELECTORS: Readonly<Record<keyof typeof EXECUTION_SIGNATURES, Hex>> = {
  execute: '0xb61d27f6',
  executeNcC: '0x0000189a',
  executeCall: '0x9e5d4c49',
  executeCallS1m: '0x00000772',
  executeBatchWithoutValues: '0x18dfb3c7',
  executeBatch: '0x47e1da2a',
  executeBatchY6U: '0x00004680',
  executeBatchCall: '0x912ccaa3',
  executeBatchCall4by: '0x00008f2d',
  executeBatchOfTuples: '0x34fcd5be',
  safeExecuteUserOp: '0x7bb37428',
  safeExecuteUserOpWithErrorString: '0x541d63c8',
  erc7579Execute: '0xe9ae5c53',
  erc4337ExecuteUserOp: '0x8dd7712f',
};

/** Further functions of accounts that pass calls on; never allowed in a call of the account to itself. */
export const FORWARDING_SIGNATURES = {
  multicall: 'multicall(bytes[])',
  executeFromExecutor: 'executeFromExecutor(bytes32,bytes)',
  execTransactionFromModule: 'execTransactionFromModule(address,uint256,bytes,uint8)',
  execTransactionFromModuleReturnData: 'execTransactionFromModuleReturnData(address,uint256,bytes,uint8)',
} as const;

export const FORWARDING_SELECTORS: Readonly<Record<keyof typeof FORWARDING_SIGNATURES, Hex>> = {
  multicall: '0xac9650d8',
  executeFromExecutor: '0xd691c964',
  execTransactionFromModule: '0x468721a7',
  execTransactionFromModuleReturnData: '0x5229073f',
};

/** Safe's `multiSend(bytes)`. */
export const MULTI_SEND_SELECTOR: Hex = '0x8d80ff0a';
