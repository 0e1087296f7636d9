import { readBatch, readBatchOfTuples, readBatchWithoutValues, readSingleCall } from '../decode/plain-calls';
import { ECDSA_STUB, type AccountFamily, type AccountFunction, type AccountProxy } from './account-family';

// All families that have these functions decode them as Solidity does, and look at nothing else of the call data:
// SimpleAccount, Simple7702Account, Biconomy V2, LightAccount, Barz, Coinbase Smart Wallet, Kernel v2.

export const EXECUTE: AccountFunction = {
  name: 'execute',
  signature: 'execute(address,uint256,bytes)',
  selector: '0xb61d27f6',
  read: readSingleCall,
  ignoresSuffix: true,
};

/** Of EntryPoint v0.6. */
export const EXECUTE_BATCH_WITHOUT_VALUES: AccountFunction = {
  name: 'executeBatchWithoutValues',
  signature: 'executeBatch(address[],bytes[])',
  selector: '0x18dfb3c7',
  read: readBatchWithoutValues,
  ignoresSuffix: true,
};

/** Of EntryPoint v0.7. */
export const EXECUTE_BATCH: AccountFunction = {
  name: 'executeBatch',
  signature: 'executeBatch(address[],uint256[],bytes[])',
  selector: '0x47e1da2a',
  read: (reader, { account }) => readBatch(reader, account?.batchNeedsValues !== true),
  ignoresSuffix: true,
};

/** Of EntryPoint v0.8 and later. */
export const EXECUTE_BATCH_OF_TUPLES: AccountFunction = {
  name: 'executeBatchOfTuples',
  signature: 'executeBatch((address,uint256,bytes)[])',
  selector: '0x34fcd5be',
  read: readBatchOfTuples,
  ignoresSuffix: true,
};

// OpenZeppelin's ERC1967Proxy, as compiled into SimpleAccountFactory of @account-abstraction/contracts 0.6.0, 0.7.0 and
// 0.8.0: proven by the test.
const PROXY_V06: AccountProxy = {
  codeHash: '0x0acbd632c56f6f227951f6c832b36177319145deddb8df3a12c3bcc91fbf49b3',
  implementationSlot: 'erc1967',
};
const PROXY_V07: AccountProxy = {
  codeHash: '0x0cf33e42b59cd30ce43a3d95a9c4de2589047c5e0968708337764f9776097210',
  implementationSlot: 'erc1967',
};
/** Also of v0.9. */
const PROXY_V08: AccountProxy = {
  codeHash: '0x41ee894da413cc99e8dec0a1784470eceb736845ad1591e06ff0ecdf0aca26c9',
  implementationSlot: 'erc1967',
};

/** SimpleAccount of @account-abstraction/contracts 0.6 to 0.9. */
export const SIMPLE_ACCOUNT: AccountFamily = {
  name: 'SimpleAccount',
  functions: [EXECUTE, EXECUTE_BATCH_WITHOUT_VALUES, EXECUTE_BATCH, EXECUTE_BATCH_OF_TUPLES],
  clientName: {
    name: 'INFINITISM',
    // In a widely used SDK's enumeration.
    misspelt: ['INFINITSM'],
    versions: { '1.0.0': { stubSignature: ECDSA_STUB, lacksExecuteUserOp: true } },
  },
  // The first three: permissionless 0.3.7 accounts/simple/toSimpleSmartAccount.ts.
  factories: [
    { name: 'SimpleAccountFactory for EntryPoint v0.6', address: '0x9406cc6185a346906296840746125a0e44976454' },
    { name: 'SimpleAccountFactory for EntryPoint v0.7', address: '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985' },
    { name: 'SimpleAccountFactory for EntryPoint v0.8', address: '0x13e9ed32155810fdbd067d4522c492d6f68e5944' },
    {
      // Where the code of @account-abstraction/contracts 0.9.0-rc.1 lands by CREATE2, and nothing else can.
      name: 'SimpleAccountFactory for EntryPoint v0.9, release candidate',
      address: '0xedd9667c46f5fc5115ec33940df899ad4eae5949',
    },
  ],
  // Each is its factory's first creation (nonce 1), in the constructor: proven by the test.
  implementations: [
    {
      name: 'SimpleAccount for EntryPoint v0.6',
      address: '0x8abb13360b87be5eeb1b98647a016add927a136c',
      proxies: [PROXY_V06],
    },
    {
      name: 'SimpleAccount for EntryPoint v0.7',
      address: '0x68641de71cfea5a5d0d29712449ee254bb1400c2',
      proxies: [PROXY_V07],
    },
    {
      name: 'SimpleAccount for EntryPoint v0.8',
      address: '0x28426d752372d68d34340bd94390950dce3c9ec3',
      proxies: [PROXY_V08],
    },
    {
      name: 'SimpleAccount for EntryPoint v0.9, release candidate',
      address: '0x35c86afff646b02fcf5c8231246e433d7a30e705',
      proxies: [PROXY_V08],
    },
  ],
};
