import type { Address, Hex } from '@paymaster/domain';
import { readBatch, readSingleCall } from '../decode/plain-calls';
import { ECDSA_STUB, type AccountFamily, type AccountFunction, type AccountProxy } from './account-family';
import { expectKnown, readerOf } from './setup-reader';
import { EXECUTE, EXECUTE_BATCH } from './simple-account';

const ECDSA_MODULE: Address = '0x0000001c5b32f37f5bea87bdd5374eb2ac54ea8e';

/**
 * Authorization modules that a Biconomy V2 account may start with.
 *
 * Sources: permissionless 0.3.7 `accounts/biconomy/toBiconomySmartAccount.ts` (ECDSA ownership registry);
 * bcnmy/biconomy-client-sdk `DEFAULT_MULTICHAIN_MODULE`.
 */
const MODULES: ReadonlySet<Address> = new Set<Address>([ECDSA_MODULE, '0x000000824dc138db84fd9109fc154bdad332aa8e']);

const single = (name: string, functionName: string, selector: Hex): AccountFunction => ({
  name,
  signature: `${functionName}(address,uint256,bytes)`,
  selector,
  read: readSingleCall,
});
const batch = (name: string, functionName: string, selector: Hex): AccountFunction => ({
  name,
  signature: `${functionName}(address[],uint256[],bytes[])`,
  selector,
  read: (reader) => readBatch(reader, false),
});

/** Behind the creation code in permissionless 0.3.7 accounts/biconomy/toBiconomySmartAccount.ts. */
const PROXY_V2: AccountProxy = {
  codeHash: '0xeb943ca16c0a3d8c19be2c02105552f49d4ff1d02fb80b199b613f085c8c7847',
  implementationSlot: 'ownAddress',
};

/** Biconomy Smart Account V1 and V2 (bcnmy/scw-contracts SmartAccount.sol). V1 has the `executeCall` functions. */
export const BICONOMY: AccountFamily = {
  name: 'Biconomy',
  functions: [
    EXECUTE,
    EXECUTE_BATCH,
    single('executeNcC', 'execute_ncC', '0x0000189a'),
    single('executeCall', 'executeCall', '0x9e5d4c49'),
    single('executeCallS1m', 'executeCall_s1m', '0x00000772'),
    batch('executeBatchY6U', 'executeBatch_y6U', '0x00004680'),
    batch('executeBatchCall', 'executeBatchCall', '0x912ccaa3'),
    batch('executeBatchCall4by', 'executeBatchCall_4by', '0x00008f2d'),
  ],
  clientName: {
    name: 'BICONOMY',
    versions: {
      // Verifies the bytes themselves.
      '1.0.0': { stubSignature: ECDSA_STUB, batchNeedsValues: true, lacksExecuteUserOp: true },
      '2.0.0': { stubSignature: stubWithModule(ECDSA_MODULE), batchNeedsValues: true },
    },
  },
  factories: [
    {
      // bcnmy/scw-contracts CHANGELOG, "Version 2.0.0-launch" (PROD_WALLET_FACTORY_V0_11042023)
      name: 'Biconomy Smart Account V1 factory',
      address: '0x000000f9ee1842bb72f6bbdd75e6d3d4e3e9594c',
      clientVersion: '1.0.0',
    },
    {
      // permissionless 0.3.7 accounts/biconomy/toBiconomySmartAccount.ts
      name: 'Biconomy Smart Account V2 factory',
      address: '0x000000a56aaca3e9a4c479ea6b6cd0dbcb6634f5',
      clientVersion: '2.0.0',
      checkSetup: checkBiconomySetup,
    },
  ],
  // V1 is left out, because its proxy's code is in no published package: such accounts count as unknown.
  implementations: [
    {
      // permissionless 0.3.7 accounts/biconomy/toBiconomySmartAccount.ts (ACCOUNT_V2_0_LOGIC)
      name: 'Biconomy Smart Account V2',
      address: '0x0000002512019dafb59528b82cb92d3c5d2423ac',
      proxies: [PROXY_V2],
    },
  ],
};

/** `deployCounterFactualAccount(address moduleSetupContract, bytes moduleSetupData, uint256 index)`. */
const DEPLOY_SELECTOR = 'df20ffbc';
/** `initForSmartAccount(address owner)` of the modules; it returns the module itself. */
const INIT_SELECTOR = '2ede3bc0';

/**
 * Asserts that a Biconomy V2 deployment starts its account with a known module.
 *
 * The implementation is fixed in the factory, but a module may make the account run delegatecalls, so the module
 * that validates the first operation could replace the account's code. The setup call returns the address that
 * becomes the module: another function of a known module could return any address, so the function counts too.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 * @see bcnmy/scw-contracts ModuleManager.sol, `_initialSetupModules`
 */
export function checkBiconomySetup(digits: string): void {
  const reader = readerOf(digits, DEPLOY_SELECTOR, 'the factory function');
  expectKnown(MODULES, reader.address('module'), 'module');
  const setupOffset = reader.smallNumber('offset of module setup');
  reader.uint256('index');
  reader.expectTail(setupOffset, 'module setup');
  const setup = reader.bytes('module setup');
  reader.finish();

  const setupReader = readerOf(setup, INIT_SELECTOR, 'the module setup');
  setupReader.address('owner');
  setupReader.finish();
}

/** V2 asks the module that `abi.encode(bytes signature, address module)` names. */
function stubWithModule(module: Address): Hex {
  const word = (digits: string) => digits.padStart(64, '0');
  return `0x${word('40')}${word(module.slice(2))}${word('41')}${ECDSA_STUB.slice(2).padEnd(192, '0')}`;
}
