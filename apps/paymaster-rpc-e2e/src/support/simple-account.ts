import { concat, encodeFunctionData, numberToHex, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { publicClient } from './chain';
import { currentFees } from './fees';
import type { WireOperation } from './wire-operation';

const factoryAbi = parseAbi([
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
]);

/** A SimpleAccount that may not be deployed yet, with its owner's key. */
export interface SimpleAccount {
  readonly version: EntryPointVersion;
  readonly owner: PrivateKeyAccount;
  readonly address: Hex;
  readonly factory: Hex;
  readonly factoryData: Hex;
}

/** A fresh SimpleAccount: a new owner, nothing deployed, no coin. */
export async function newSimpleAccount(stack: Stack, version: EntryPointVersion): Promise<SimpleAccount> {
  const owner = privateKeyToAccount(generatePrivateKey());
  const factory = stack.accountFactories[version];
  const args = [owner.address, 0n] as const;
  const address = await publicClient(stack).readContract({
    abi: factoryAbi,
    address: factory,
    functionName: 'getAddress',
    args,
  });
  const factoryData = encodeFunctionData({ abi: factoryAbi, functionName: 'createAccount', args });
  return { version, owner, address, factory, factoryData };
}

export interface Draft {
  readonly callData: Hex;
  readonly nonce?: bigint;
  /** Leave the factory out: the account is deployed. */
  readonly deployed?: boolean;
}

/** What an account sends to be sponsored: no gas limits, no signature, fees of the moment. */
export async function draftOperation(
  stack: Stack,
  account: SimpleAccount,
  { callData, nonce = 0n, deployed = false }: Draft,
): Promise<WireOperation> {
  const common = {
    sender: account.address,
    nonce: numberToHex(nonce),
    callData,
    ...(await currentFees(stack)),
  };
  if (account.version === '0.6') {
    return { ...common, initCode: deployed ? '0x' : concat([account.factory, account.factoryData]) };
  }
  return deployed ? common : { ...common, factory: account.factory, factoryData: account.factoryData };
}
