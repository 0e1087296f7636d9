import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ChainProvider,
  createDigestHasher,
  encodePaymasterAndData,
  encodeSponsorData,
  encodeStubSponsorData,
  PAYMASTER_GAS_CONSTANTS,
  STUB_SIGNATURE,
} from '@paymaster/chain';
import { Anvil, AutomineProvider, sponsorFieldsBuilder, TestSigner, UNHURRIED } from '@paymaster/chain/testing';
import { hybridPaymasterV06Abi, hybridPaymasterV06Bytecode } from '@paymaster/contract-abis';
import { normalizeAddress, type Address, type Hex, type UserOperationV06 } from '@paymaster/domain';
import { userOperationV06Builder } from '@paymaster/domain/testing';
import { concat, Contract, ContractFactory, getBytes, Wallet, type BaseContract, type InterfaceAbi } from 'ethers';
import { V06VerificationGas } from './v06-verification-gas';

const CHAIN_ID = 31337;
/** anvil's first account, known to everybody. */
const DEPLOYER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const constants = PAYMASTER_GAS_CONSTANTS['0.6'];
const fundingWallet: Address = `0x${'fd'.repeat(20)}`;

describe('V06VerificationGas', () => {
  const signer = new TestSigner(Buffer.alloc(32, 7));
  const owner = Wallet.createRandom();
  let anvil: Anvil;
  let rpc: AutomineProvider;
  let deployer: Wallet;
  let entryPoint: Contract;
  let factory: Contract;
  let addresses: { entryPoint: Address; paymaster: Address };
  let gas: V06VerificationGas;

  beforeAll(async () => {
    anvil = await Anvil.start({ chainId: CHAIN_ID });
    rpc = new AutomineProvider(anvil.url, CHAIN_ID, { staticNetwork: true, cacheTimeout: -1 });
    deployer = new Wallet(DEPLOYER, rpc);
    entryPoint = await deploy(artifact('EntryPoint'), []);
    factory = await deploy(artifact('SimpleAccountFactory'), [await entryPoint.getAddress()]);
    const code = { abi: hybridPaymasterV06Abi, bytecode: hybridPaymasterV06Bytecode };
    const signers = [signer.address, deployer.address];
    const paymaster = await deploy(code, [await entryPoint.getAddress(), deployer.address, signers, 3_600]);
    await send(paymaster, 'depositFor', [fundingWallet], 10n ** 18n);
    addresses = { entryPoint: await addressOf(entryPoint), paymaster: await addressOf(paymaster) };
    gas = new V06VerificationGas(new ChainProvider({ chainId: CHAIN_ID, rpcUrls: [anvil.url] }, UNHURRIED));
  });

  afterAll(async () => {
    rpc?.destroy();
    await anvil?.stop();
  });

  it('measures a deploying operation so that it lands with 15 % on top, and not with 5 % less', async () => {
    const operation = await deployingOperation();
    const measured = await gas.measure({ operation, entryPoint: addresses.entryPoint, paymaster: stub() });
    expect(measured).toBeGreaterThan(200_000n);
    await expect(handle({ ...operation, verificationGasLimit: (measured! * 95n) / 100n })).rejects.toThrow(/AA|revert/);
    expect(await handle({ ...operation, verificationGasLimit: (measured! * 115n) / 100n })).toBe(true);
  });

  it('measures an operation of the deployed account so that it lands with 15 % on top', async () => {
    const operation = { ...(await deployingOperation()), initCode: '0x' as const, nonce: 1n };
    const measured = await gas.measure({ operation, entryPoint: addresses.entryPoint, paymaster: stub() });
    expect(measured).toBeLessThan(150_000n);
    const padded = (measured! * 115n) / 100n;
    const verificationGasLimit = padded > constants.minVerificationGas! ? padded : constants.minVerificationGas!;
    expect(await handle({ ...operation, verificationGasLimit })).toBe(true);
  });

  it('is undefined when validation fails, which the bundler reports', async () => {
    const operation = { ...(await deployingOperation()), initCode: '0x' as const, nonce: 99n };
    const measuring = gas.measure({ operation, entryPoint: addresses.entryPoint, paymaster: stub() });
    await expect(measuring).resolves.toBeUndefined();
  });

  it('is undefined when there is no EntryPoint', async () => {
    const operation = await deployingOperation();
    const measuring = gas.measure({ operation, entryPoint: fundingWallet, paymaster: stub() });
    await expect(measuring).resolves.toBeUndefined();
  });

  /** The first operation of the owner's SimpleAccount: it deploys the account and makes no call. */
  async function deployingOperation(): Promise<UserOperationV06> {
    const sender = normalizeAddress(String(await factory.getFunction('getAddress')(owner.address, 0)));
    const create = factory.interface.encodeFunctionData('createAccount', [owner.address, 0]);
    const execute = new Contract(sender, artifact('SimpleAccount').abi).interface;
    return userOperationV06Builder()
      .with('sender', sender)
      .with('nonce', 0n)
      .with('initCode', concat([await factory.getAddress(), create]) as Hex)
      .with('callData', execute.encodeFunctionData('execute', [fundingWallet, 0, '0x']) as Hex)
      .with('callGasLimit', 100_000n)
      .with('preVerificationGas', 60_000n)
      .with('maxFeePerGas', 3_000_000_000n)
      .with('signature', STUB_SIGNATURE)
      .build();
  }

  function stub() {
    const paymasterData = encodeStubSponsorData({
      fundingWallet,
      feeMarkupMillionths: 1_000_000n,
      unaccountedGas: constants.unaccountedGas,
    });
    return { paymaster: addresses.paymaster, paymasterData, paymasterGasLimits: constants };
  }

  /** Sponsors, signs and lands an operation. @returns `success` of its UserOperationEvent */
  async function handle(operation: UserOperationV06): Promise<boolean> {
    const now = (await rpc.getBlock('latest'))!.timestamp;
    const sponsorFields = sponsorFieldsBuilder()
      .with('fundingWallet', fundingWallet)
      .with('feeMarkupMillionths', 1_000_000n)
      .with('unaccountedGas', constants.unaccountedGas)
      .with('validAfterSeconds', now - 60)
      .with('validUntilSeconds', now + 300)
      .build();
    const hasher = await createDigestHasher();
    const digest = hasher.digest(operation, {
      chainId: CHAIN_ID,
      ...addresses,
      sponsorFields,
      paymasterGasLimits: constants,
    });
    const paymasterAndData = encodePaymasterAndData({
      version: '0.6',
      paymaster: addresses.paymaster,
      paymasterGasLimits: constants,
      paymasterData: encodeSponsorData(sponsorFields, signer.sign(digest)),
    });
    const unsigned = { ...operation, paymasterAndData };
    const hash = String(await entryPoint.getFunction('getUserOpHash')(unsigned));
    const signed = { ...unsigned, signature: await owner.signMessage(getBytes(hash)) };
    const receipt = await send(entryPoint, 'handleOps', [[signed], deployer.address]);
    const event = receipt.logs
      .map((log) => entryPoint.interface.parseLog(log))
      .find((parsed) => parsed?.name === 'UserOperationEvent');
    return Boolean(event?.args['success']);
  }

  async function deploy(code: { abi: InterfaceAbi; bytecode: string }, args: unknown[]): Promise<Contract> {
    const contract = await new ContractFactory(code.abi, code.bytecode, deployer).deploy(...args);
    await contract.waitForDeployment();
    return new Contract(await contract.getAddress(), code.abi, deployer);
  }

  async function send(contract: Contract, name: string, args: unknown[], value = 0n) {
    const data = contract.interface.encodeFunctionData(name, args);
    const response = await deployer.sendTransaction({ to: await contract.getAddress(), data, value });
    return (await response.wait())!;
  }
});

async function addressOf(contract: BaseContract): Promise<Address> {
  return normalizeAddress(await contract.getAddress());
}

function artifact(name: string): { abi: InterfaceAbi; bytecode: string } {
  const path = join(process.cwd(), 'node_modules/@account-abstraction/contracts-v06/artifacts', `${name}.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as { abi: InterfaceAbi; bytecode: string };
}
