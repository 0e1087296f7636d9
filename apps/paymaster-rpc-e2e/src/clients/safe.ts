import { encodeFunctionData, parseAbi, zeroAddress } from 'viem';
import type { Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { publicClient, richWallet, transact } from '../support/chain';

const FACTORY: Hex = '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67';
const SINGLETON: Hex = '0x41675c099f32341bf84bfc5382af534df5c7461a';
const MODULE_SETUP: Hex = '0x2dd68b007b46fbe91b9a7c3eda5a7a1063cb5b47';
/** Of EntryPoint v0.7. */
const MODULE: Hex = '0x75cf11467937ce3f2f357ce24ffc3dbf8fd5c226';

const abi = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 salt) returns (address)',
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address handler, address token, uint256 payment, address receiver)',
  'function enableModules(address[] modules)',
]);

/** A Safe 1.4.1 with its real 4337 module, on chain. */
export async function deployedSafe(stack: Stack): Promise<Hex> {
  const owner = await richWallet(stack);
  const enable = encodeFunctionData({ abi, functionName: 'enableModules', args: [[MODULE]] });
  const initializer = encodeFunctionData({
    ...{ abi, functionName: 'setup' },
    args: [[owner.address], 1n, MODULE_SETUP, enable, MODULE, zeroAddress, 0n, zeroAddress],
  });
  const args = [SINGLETON, initializer, 0n] as const;
  const chain = publicClient(stack);
  const call = { abi, address: FACTORY, functionName: 'createProxyWithNonce', args } as const;
  const { result } = await chain.simulateContract({ ...call, account: owner });
  await transact(stack, { from: owner, to: FACTORY, data: encodeFunctionData(call) });
  return result;
}
