import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  demoTokenAbi,
  demoTokenBytecode,
  hybridPaymasterV06Abi,
  hybridPaymasterV06Bytecode,
  hybridPaymasterV07Abi,
  hybridPaymasterV07Bytecode,
  hybridPaymasterV08Abi,
  hybridPaymasterV08Bytecode,
  hybridPaymasterV09Abi,
  hybridPaymasterV09Bytecode,
} from '@paymaster/contract-abis';
import {
  ENTRY_POINT_VERSIONS,
  initCodeOf,
  normalizeAddress,
  prefundGas,
  type Address,
  type EntryPointVersion,
  type Hex,
  type PaymasterGasLimits,
  type UserOperation,
} from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { concat, ContractFactory, getCreateAddress, Interface, toBeHex, type InterfaceAbi } from 'ethers';
import { Anvil } from './anvil';
import { AutomineProvider } from './automine-provider';
import type { ContractGeneration } from './reference-digest';
import { simpleAccountArtifact } from './simple-accounts';

const CHAIN_ID = 31337;
/** anvil's first account. anvil signs for it, which is quicker than to sign the contracts' code in JavaScript. */
const DEPLOYER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

const CONTRACTS: Record<EntryPointVersion, { abi: InterfaceAbi; bytecode: string }> = {
  '0.6': { abi: hybridPaymasterV06Abi, bytecode: hybridPaymasterV06Bytecode },
  '0.7': { abi: hybridPaymasterV07Abi, bytecode: hybridPaymasterV07Bytecode },
  '0.8': { abi: hybridPaymasterV08Abi, bytecode: hybridPaymasterV08Bytecode },
  '0.9': { abi: hybridPaymasterV09Abi, bytecode: hybridPaymasterV09Bytecode },
};

/** Creation code of earlier generations' contracts; the files say where it is from. */
const EARLIER_GENERATIONS = {
  first: 'libs/chain/src/testing/first-generation-bytecode.json',
  second: 'libs/chain/src/testing/second-generation-bytecode.json',
} as const;

/** One version's EntryPoint and our paymaster for it. */
export interface DeployedPaymaster {
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  /** Of the paymaster. */
  readonly abi: Interface;
  readonly entryPointAbi: Interface;
}

/** The answer of `validatePaymasterUserOp` to a call from the EntryPoint. */
export interface PaymasterValidation {
  readonly context: Hex;
  readonly signatureFailed: boolean;
  readonly validUntilSeconds: bigint;
  readonly validAfterSeconds: bigint;
}

/** A real local chain with the paymaster of each EntryPoint version and a rich funding wallet. */
export class DeployedPaymasters {
  static readonly DEPOSIT_WEI = 10n ** 21n;
  readonly chainId = CHAIN_ID;
  readonly wallet = randomAddress();
  readonly deployer = normalizeAddress(DEPLOYER);
  private readonly deployed = new Map<EntryPointVersion, DeployedPaymaster>();

  private constructor(
    readonly anvil: Anvil,
    readonly rpc: AutomineProvider,
  ) {}

  /** @param signer whose signatures the contracts accept */
  static async start(signer: Address): Promise<DeployedPaymasters> {
    const anvil = await Anvil.start({ chainId: CHAIN_ID });
    const rpc = new AutomineProvider(anvil.url, CHAIN_ID, { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1 });
    const world = new DeployedPaymasters(anvil, rpc);
    for (const version of ENTRY_POINT_VERSIONS) world.deployed.set(version, await world.deploy(version, signer));
    return world;
  }

  async stop(): Promise<void> {
    this.rpc.destroy();
    await this.anvil.stop();
  }

  of(version: EntryPointVersion): DeployedPaymaster {
    return this.deployed.get(version)!;
  }

  /** The address of the next contract that is deployed here, so that a test can follow it before it is deployed. */
  async nextAddress(): Promise<Address> {
    return normalizeAddress(
      getCreateAddress({ from: this.deployer, nonce: await this.rpc.getTransactionCount(this.deployer) }),
    );
  }

  /** Deploys another paymaster contract, of any generation, for that version's EntryPoint. It has no deposits. */
  async deployBeside(
    version: EntryPointVersion,
    { generation, signer }: { generation: ContractGeneration; signer: Address },
  ): Promise<Address> {
    const { abi, bytecode } = CONTRACTS[version];
    const code = { abi, bytecode: generation === 'third' ? bytecode : earlierBytecode(generation, version) };
    const contract = await this.deployPaymaster(code, { entryPoint: this.of(version).entryPoint, signer });
    return normalizeAddress(await contract.getAddress());
  }

  /** A token that anybody may mint. */
  async deployToken(): Promise<Address> {
    const factory = new ContractFactory(demoTokenAbi, demoTokenBytecode, await this.rpc.getSigner(DEPLOYER));
    const token = await factory.deploy('Test', 'TST', 18).then((deployed) => deployed.waitForDeployment());
    return normalizeAddress(await token.getAddress());
  }

  /** The contract's `getDigest`. */
  async getDigest(operation: UserOperation, paymasterAndData: Hex): Promise<string> {
    const { abi } = this.of(operation.entryPointVersion);
    const returned = await this.call(operation.entryPointVersion, 'getDigest', [pack(operation, paymasterAndData)]);
    return String(abi.decodeFunctionResult('getDigest', returned)[0]);
  }

  async validate(
    operation: UserOperation,
    paymasterAndData: Hex,
    paymasterGasLimits: PaymasterGasLimits,
  ): Promise<PaymasterValidation> {
    const version = operation.entryPointVersion;
    const { abi, entryPoint } = this.of(version);
    const maxCost = prefundGas(version, { ...operation, ...paymasterGasLimits }) * operation.maxFeePerGas;
    const args = [pack(operation, paymasterAndData), randomHex(32), maxCost];
    const returned = await this.call(version, 'validatePaymasterUserOp', args, entryPoint);
    const [context, packed] = abi.decodeFunctionResult('validatePaymasterUserOp', returned);
    const validation = BigInt(packed as bigint);
    return {
      context: String(context) as Hex,
      signatureFailed: (validation & 1n) === 1n,
      validUntilSeconds: (validation >> 160n) & 0xffffffffffffn,
      validAfterSeconds: validation >> 208n,
    };
  }

  private call(version: EntryPointVersion, name: string, args: unknown[], from?: Address): Promise<string> {
    const { paymaster, abi } = this.of(version);
    return this.rpc.send('eth_call', [{ from, to: paymaster, data: abi.encodeFunctionData(name, args) }, 'latest']);
  }

  /** EntryPoint, paymaster, the rich wallet, and a deployer who deposited 1,000 wei and asked for 400 back. */
  private async deploy(version: EntryPointVersion, signer: Address): Promise<DeployedPaymaster> {
    const account = await this.rpc.getSigner(DEPLOYER);
    const { abi, bytecode } = simpleAccountArtifact(version, 'EntryPoint');
    const entryPoint = await new ContractFactory(abi, bytecode, account).deploy().then((c) => c.waitForDeployment());
    const entryPointAddress = normalizeAddress(await entryPoint.getAddress());
    const paymaster = await this.deployPaymaster(CONTRACTS[version], { entryPoint: entryPointAddress, signer });
    const send = async (name: string, args: unknown[], value = 0n) => {
      const data = paymaster.interface.encodeFunctionData(name, args);
      await (await account.sendTransaction({ to: await paymaster.getAddress(), data, value })).wait();
    };
    await send('depositFor', [this.wallet], DeployedPaymasters.DEPOSIT_WEI);
    await send('depositFor', [account.address], 1_000n);
    await send('requestWithdrawal', [400n]);
    return {
      version,
      entryPoint: entryPointAddress,
      paymaster: normalizeAddress(await paymaster.getAddress()),
      abi: paymaster.interface,
      entryPointAbi: entryPoint.interface,
    };
  }

  private async deployPaymaster(
    { abi, bytecode }: { abi: InterfaceAbi; bytecode: string },
    { entryPoint, signer }: { entryPoint: Address; signer: Address },
  ) {
    const account = await this.rpc.getSigner(DEPLOYER);
    const args = [entryPoint, account.address, [signer, randomAddress()], 3_600];
    const contract = await new ContractFactory(abi, bytecode, account).deploy(...args);
    return contract.waitForDeployment();
  }
}

function earlierBytecode(generation: keyof typeof EARLIER_GENERATIONS, version: EntryPointVersion): string {
  const file = join(process.cwd(), EARLIER_GENERATIONS[generation]);
  const code = (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)[version];
  if (!code) throw new Error(`the ${generation} generation has no contract for EntryPoint v${version}`);
  return code;
}

/** The operation as the EntryPoint's ABI has it. */
export function pack(operation: UserOperation, paymasterAndData: Hex): Record<string, unknown> {
  const common = { ...operation, initCode: initCodeOf(operation), paymasterAndData };
  if (operation.entryPointVersion === '0.6') return common;
  const two = (high: bigint, low: bigint) => concat([toBeHex(high, 16), toBeHex(low, 16)]);
  return {
    ...common,
    accountGasLimits: two(operation.verificationGasLimit, operation.callGasLimit),
    gasFees: two(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
  };
}
