import { demoPriceFeedAbi, demoPriceFeedBytecode, demoTokenAbi, demoTokenBytecode } from '@paymaster/contract-abis';
import { readStack } from '@paymaster/devnet';
import { normalizeAddress, type Address } from '@paymaster/domain';
import { ContractFactory, JsonRpcProvider, Wallet, type InterfaceAbi } from 'ethers';

/** A new ERC-20 on the local chain. */
export function deployToken({ symbol = 'NEWx', decimals = 6 } = {}): Promise<Address> {
  return deploy(demoTokenAbi, demoTokenBytecode, [`The ${symbol}`, symbol, decimals]);
}

/** A new feed of 8 decimals that says one dollar. */
export function deployFeed(): Promise<Address> {
  return deploy(demoPriceFeedAbi, demoPriceFeedBytecode, [8, 'NEWx / USD', 100_000_000n]);
}

/** From an account of its own, so that nobody else's transactions get in between. */
async function deploy(abi: InterfaceAbi, bytecode: string, args: unknown[]): Promise<Address> {
  const provider = new JsonRpcProvider(readStack().chainRpc, undefined, { staticNetwork: true, pollingInterval: 100 });
  try {
    const wallet = new Wallet(Wallet.createRandom().privateKey, provider);
    await provider.send('anvil_setBalance', [wallet.address, '0xde0b6b3a7640000']);
    const contract = await new ContractFactory(abi, bytecode, wallet).deploy(...args);
    await contract.waitForDeployment();
    return normalizeAddress(await contract.getAddress());
  } finally {
    provider.destroy();
  }
}
