import { demoPriceFeedAbi, demoPriceFeedBytecode, demoTokenAbi, demoTokenBytecode } from '@paymaster/contract-abis';
import { readStack } from '@paymaster/devnet';
import { normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { createTestClient, http, parseEther, publicActions, walletActions, type Abi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** A new ERC-20 on the local chain. */
export function deployToken({ symbol = 'NEWx', decimals = 6 } = {}): Promise<Address> {
  return deploy(demoTokenAbi, demoTokenBytecode, [`The ${symbol}`, symbol, decimals]);
}

/** A new feed of 8 decimals that says one dollar. */
export function deployFeed(): Promise<Address> {
  return deploy(demoPriceFeedAbi, demoPriceFeedBytecode, [8, 'NEWx / USD', 100_000_000n]);
}

/** From an account of its own, so that nobody else's transactions get in between. */
async function deploy(abi: Abi, bytecode: Hex, args: unknown[]): Promise<Address> {
  const account = privateKeyToAccount(generatePrivateKey());
  const transport = http(readStack().chainRpc);
  const chain = createTestClient({ account, mode: 'anvil', transport, pollingInterval: 100 })
    .extend(publicActions)
    .extend(walletActions);
  await chain.setBalance({ address: account.address, value: parseEther('1000') });
  // The other tests' operations may raise the base fee before this lands: far above what wallets allow for.
  const { maxFeePerGas, maxPriorityFeePerGas } = await chain.estimateFeesPerGas();
  const fees = { maxFeePerGas: maxFeePerGas * 20n, maxPriorityFeePerGas };
  const hash = await chain.deployContract({ abi, bytecode, args, chain: null, ...fees });
  const { contractAddress } = await chain.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('The contract was not deployed.');
  return normalizeAddress(contractAddress);
}
