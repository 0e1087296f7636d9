import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { concat, Contract, ContractFactory, Interface, Wallet, type InterfaceAbi } from 'ethers';
import { ChainProvider } from '../providers/chain-provider';
import { Anvil } from './anvil';
import { AutomineProvider } from './automine-provider';
import { UNHURRIED } from './unhurried';

/** anvil's first account, known to everybody. */
const DEPLOYER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const CHAIN_ID = 31337;

/** One call of an account's batch. */
export interface AccountCall {
  readonly to: Address;
  readonly data: Hex;
}

interface Deployed {
  readonly entryPoint: Address;
  readonly factory: Contract;
}

/** A real local chain with the EntryPoints and SimpleAccount of each version, for integration tests. */
export class SimpleAccounts {
  private readonly versions = new Map<EntryPointVersion, Deployed>();

  private constructor(
    readonly anvil: Anvil,
    readonly rpc: AutomineProvider,
    readonly deployer: Wallet,
    readonly provider: ChainProvider,
  ) {}

  static async start(versions: readonly EntryPointVersion[] = ENTRY_POINT_VERSIONS): Promise<SimpleAccounts> {
    const anvil = await Anvil.start({ chainId: CHAIN_ID });
    const rpc = new AutomineProvider(anvil.url, CHAIN_ID, { staticNetwork: true, cacheTimeout: -1 });
    const provider = new ChainProvider({ chainId: CHAIN_ID, rpcUrls: [anvil.url] }, UNHURRIED);
    const world = new SimpleAccounts(anvil, rpc, new Wallet(DEPLOYER, rpc), provider);
    for (const version of versions) {
      const entryPoint = await world.deploy(simpleAccountArtifact(version, 'EntryPoint'));
      const entryPointAddress = normalizeAddress(await entryPoint.getAddress());
      const factory = await world.deploy(simpleAccountArtifact(version, 'SimpleAccountFactory'), [entryPointAddress]);
      world.versions.set(version, { entryPoint: entryPointAddress, factory });
    }
    return world;
  }

  async stop(): Promise<void> {
    this.rpc.destroy();
    await this.anvil.stop();
  }

  entryPoint(version: EntryPointVersion): Address {
    return this.deployed(version).entryPoint;
  }

  /** The counterfactual account of an owner, with its factory and factory data. */
  async account(version: EntryPointVersion, owner: string, salt = 0): Promise<{ sender: Address; initCode: Hex }> {
    const { factory } = this.deployed(version);
    const sender = normalizeAddress(String(await factory.getFunction('getAddress')(owner, salt)));
    const create = factory.interface.encodeFunctionData('createAccount', [owner, salt]);
    return { sender, initCode: concat([await factory.getAddress(), create]) as Hex };
  }

  /**
   * The same account, deployed. On v0.8 and v0.9 the EntryPoint's SenderCreator deploys it, because their factory
   * accepts no other caller.
   */
  async deployedAccount(version: EntryPointVersion, owner: string, salt = 0): Promise<Address> {
    const { sender, initCode } = await this.account(version, owner, salt);
    const { factory } = this.deployed(version);
    let from: string = this.deployer.address;
    if (version === '0.8' || version === '0.9') {
      from = String(await factory.getFunction('senderCreator')());
      await this.rpc.send('anvil_impersonateAccount', [from]);
      await this.rpc.send('anvil_setBalance', [from, '0xde0b6b3a7640000']);
    }
    const call = { from, to: initCode.slice(0, 42), data: `0x${initCode.slice(42)}` };
    const hash = String(await this.rpc.send('eth_sendTransaction', [call]));
    await this.rpc.waitForTransaction(hash);
    return sender;
  }

  deploy(code: { abi: InterfaceAbi; bytecode: string }, args: unknown[] = []): Promise<Contract> {
    return deployContract(this.deployer, code, args);
  }

  async send(contract: Contract, name: string, args: unknown[]): Promise<void> {
    const data = contract.interface.encodeFunctionData(name, args);
    await (await this.deployer.sendTransaction({ to: await contract.getAddress(), data })).wait();
  }

  private deployed(version: EntryPointVersion): Deployed {
    const deployed = this.versions.get(version);
    if (!deployed) throw new Error(`v${version} was not started`);
    return deployed;
  }
}

/** Deploys a contract and waits for it. */
export async function deployContract(
  deployer: Wallet,
  code: { abi: InterfaceAbi; bytecode: string },
  args: unknown[] = [],
): Promise<Contract> {
  const contract = await new ContractFactory(code.abi, code.bytecode, deployer).deploy(...args);
  await contract.waitForDeployment();
  return new Contract(await contract.getAddress(), code.abi, deployer);
}

/** `callData` of a SimpleAccount: `execute` for one call, the version's `executeBatch` for several. */
export function simpleAccountCallData(version: EntryPointVersion, calls: readonly AccountCall[]): Hex {
  const account = new Interface(simpleAccountArtifact(version, 'SimpleAccount').abi);
  const targets = calls.map(({ to }) => to);
  const data = calls.map((call) => call.data);
  const zeros = calls.map(() => 0n);
  if (calls.length === 1) return account.encodeFunctionData('execute', [targets[0], 0n, data[0]]) as Hex;
  if (version === '0.6') return account.encodeFunctionData('executeBatch', [targets, data]) as Hex;
  if (version === '0.7') return account.encodeFunctionData('executeBatch', [targets, zeros, data]) as Hex;
  return account.encodeFunctionData('executeBatch', [calls.map(({ to, data }) => [to, 0n, data])]) as Hex;
}

/** EntryPoint, SimpleAccount and SimpleAccountFactory from the version's npm package. */
export function simpleAccountArtifact(
  version: EntryPointVersion,
  name: string,
): { abi: InterfaceAbi; bytecode: string } {
  const folder = `node_modules/@account-abstraction/contracts-v${version.replace('.', '')}/artifacts`;
  return JSON.parse(readFileSync(join(process.cwd(), folder, `${name}.json`), 'utf8')) as {
    abi: InterfaceAbi;
    bytecode: string;
  };
}
