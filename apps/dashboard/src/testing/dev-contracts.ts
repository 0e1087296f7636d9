import { demoPriceFeedAbi, demoPriceFeedBytecode, demoTokenAbi, demoTokenBytecode } from '@paymaster/contract-abis';
import { normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { AutomineProvider } from '@paymaster/chain/testing';
import { ContractFactory, type InterfaceAbi } from 'ethers';

/** Puts contracts on a chain of anvil's, from its first unlocked account. */
export class DevContracts {
  private readonly provider: AutomineProvider;
  private lastDeployment: Promise<unknown> = Promise.resolve();

  constructor(url: string) {
    this.provider = new AutomineProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 20 });
  }

  /** An ERC-20 as it should be. */
  token({ symbol = 'USDx', decimals = 6 } = {}): Promise<Address> {
    return this.deploy(demoTokenAbi, demoTokenBytecode, [`The ${symbol}`, symbol, decimals]);
  }

  /** The same at an address of one's choice; decimals are in the code, the symbol in slot 4. */
  async tokenAt(address: string, token: { symbol: string; decimals: number }): Promise<void> {
    const original = await this.token(token);
    await this.provider.send('anvil_setCode', [address, await this.provider.getCode(original)]);
    await this.provider.send('anvil_setStorageAt', [address, '0x4', await this.provider.getStorage(original, 4)]);
  }

  /** A feed of 8 decimals, unless told otherwise, that says one dollar. */
  feed({ answer = 100_000_000n, decimals = 8 } = {}): Promise<Address> {
    return this.deploy(demoPriceFeedAbi, demoPriceFeedBytecode, [decimals, 'USDx / USD', answer]);
  }

  /** A contract of just this code. */
  async code(code: Hex, address: Address): Promise<Address> {
    await this.provider.send('anvil_setCode', [address, code]);
    return address;
  }

  stop(): void {
    this.provider.destroy();
  }

  /** A contract of one's own. One after the other, or two would take the same nonce. */
  deploy(abi: InterfaceAbi, bytecode: string, args: unknown[]): Promise<Address> {
    const deployed = this.lastDeployment.then(() => this.deployNow(abi, bytecode, args));
    this.lastDeployment = deployed.catch(() => undefined);
    return deployed;
  }

  private async deployNow(abi: InterfaceAbi, bytecode: string, args: unknown[]): Promise<Address> {
    const factory = new ContractFactory(abi, bytecode, await this.provider.getSigner(0));
    const contract = await factory.deploy(...args);
    await contract.waitForDeployment();
    return normalizeAddress(await contract.getAddress());
  }
}
