import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faker } from '@faker-js/faker';
import {
  hybridPaymasterV06Abi,
  hybridPaymasterV06Bytecode,
  hybridPaymasterV07Abi,
  hybridPaymasterV07Bytecode,
  hybridPaymasterV08Abi,
  hybridPaymasterV08Bytecode,
} from '@paymaster/contract-abis';
import {
  initCodeOf,
  normalizeAddress,
  prechargeWei,
  prefundGas,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import {
  AbiCoder,
  concat,
  ContractFactory,
  hexlify,
  Interface,
  JsonRpcProvider,
  toBeHex,
  Wallet,
  type InterfaceAbi,
} from 'ethers';
import { createDigestHasher, type DigestHasher } from './digest/digest-hasher';
import { PAYMASTER_GAS_CONSTANTS } from './estimation/paymaster-gas-constants';
import { FundingWalletBalances } from './funding/funding-wallet-balances';
import { encodePaymasterAndData } from './paymaster-data/encode-paymaster-and-data';
import { encodeSponsorData } from './paymaster-data/encode-sponsor-data';
import type { SponsorFields } from './paymaster-data/sponsor-fields';
import { encodeStubSponsorData, stubSponsorFields } from './paymaster-data/stub';
import { ChainProvider } from './providers/chain-provider';
import { LocalKeySigner } from './signer/local-key-signer';
import { Anvil, sponsorFieldsBuilder } from './testing';

const CHAIN_ID = 31337;
const OPERATIONS = 1_000;
/** Requests in flight at the chain; more does not make it faster. */
const BATCH = 50;
const DEPOSIT_WEI = 10n ** 21n;
/** anvil's first account, known to everybody. */
const DEPLOYER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

const CONTRACTS: Record<EntryPointVersion, { abi: InterfaceAbi; bytecode: string }> = {
  '0.6': { abi: hybridPaymasterV06Abi, bytecode: hybridPaymasterV06Bytecode },
  '0.7': { abi: hybridPaymasterV07Abi, bytecode: hybridPaymasterV07Bytecode },
  '0.8': { abi: hybridPaymasterV08Abi, bytecode: hybridPaymasterV08Bytecode },
};

interface Deployed {
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly abi: Interface;
}

describe('TypeScript and Solidity agree', () => {
  const signer = new LocalKeySigner(Buffer.alloc(32, 7));
  const wallet = randomAddress();
  let anvil: Anvil;
  let rpc: JsonRpcProvider;
  let hasher: DigestHasher;
  const deployed = new Map<EntryPointVersion, Deployed>();

  beforeAll(async () => {
    hasher = await createDigestHasher();
    anvil = await Anvil.start({ chainId: CHAIN_ID });
    rpc = new JsonRpcProvider(anvil.url, CHAIN_ID, {
      staticNetwork: true,
      batchMaxCount: 1,
      cacheTimeout: -1,
    });
    for (const version of ['0.6', '0.7', '0.8'] as const) deployed.set(version, await deploy(version));
  }, 120_000);

  afterAll(async () => {
    rpc?.destroy();
    await anvil?.stop();
  });

  it.each(['0.6', '0.7', '0.8'] as const)(
    `v%s: ${OPERATIONS} random operations have the digest of the contract's getDigest`,
    async (version) => {
      const target = deployed.get(version)!;
      await inBatches(OPERATIONS, async () => {
        const { operation, sponsorFields } = randomRequest(version);
        const digest = digestOf(target, operation, sponsorFields);
        const paymasterData = encodeSponsorData(sponsorFields, signer.sign(digest));
        const packed = pack(operation, paymasterAndDataOf(target, paymasterData));
        expect(await call(target, 'getDigest', [packed])).toBe(hexlify(digest));
      });
    },
    120_000,
  );

  it.each(['0.6', '0.7', '0.8'] as const)(
    'v%s: validation accepts the signature, debits exactly prechargeWei and returns the signed window',
    async (version) => {
      const target = deployed.get(version)!;
      await inBatches(200, async () => {
        const { operation, sponsorFields } = randomRequest(version);
        const digest = digestOf(target, operation, sponsorFields);
        const paymasterData = encodeSponsorData(sponsorFields, signer.sign(digest));
        const outcome = await validate(target, operation, paymasterAndDataOf(target, paymasterData));
        expect(outcome).toEqual({
          signatureFailed: false,
          validUntilSeconds: BigInt(sponsorFields.validUntilSeconds),
          validAfterSeconds: BigInt(sponsorFields.validAfterSeconds),
          prechargeWei: expectedPrecharge(operation, sponsorFields),
        });
      });
    },
    120_000,
  );

  it.each(['0.6', '0.7', '0.8'] as const)(
    'v%s: the stub runs the whole path, debits the same and only fails its signature',
    async (version) => {
      const target = deployed.get(version)!;
      const { operation, sponsorFields } = randomRequest(version);
      const outcome = await validate(
        target,
        operation,
        paymasterAndDataOf(target, encodeStubSponsorData(sponsorFields)),
      );
      expect(outcome).toMatchObject({
        signatureFailed: true,
        prechargeWei: expectedPrecharge(operation, stubSponsorFields(sponsorFields)),
      });
    },
  );

  it('v0.8: an EIP-7702 sender has the digest of its delegate, the tail of the init code kept', async () => {
    const target = deployed.get('0.8')!;
    const { sponsorFields } = randomRequest('0.8');
    const eip7702Delegate = randomAddress();
    const operation = userOperationV07Builder('0.8')
      .with('factory', '0x7702000000000000000000000000000000000000')
      .with('factoryData', randomHex(faker.number.int({ min: 0, max: 40 })))
      .build();
    await rpc.send('anvil_setCode', [operation.sender, `0xef0100${eip7702Delegate.slice(2)}`]);
    const digest = digestOf(target, operation, sponsorFields, eip7702Delegate);
    const paymasterData = encodeSponsorData(sponsorFields, signer.sign(digest));
    const packed = pack(operation, paymasterAndDataOf(target, paymasterData));
    expect(await call(target, 'getDigest', [packed])).toBe(hexlify(digest));
  });

  it.each(['0.6', '0.7', '0.8'] as const)('v%s: balances are read as the contract keeps them', async (version) => {
    const { paymaster, entryPoint } = deployed.get(version)!;
    const provider = new ChainProvider({ chainId: CHAIN_ID, rpcUrls: [anvil.url] });
    const balances = new FundingWalletBalances(provider);
    const deployer = normalizeAddress(new Wallet(DEPLOYER).address);
    await expect(balances.spendableWei({ paymaster, wallet })).resolves.toBe(DEPOSIT_WEI);
    await expect(balances.spendableWei({ paymaster, wallet: deployer })).resolves.toBe(600n);
    await expect(balances.entryPointDepositWei({ entryPoint, paymaster })).resolves.toBe(DEPOSIT_WEI + 1_000n);
  });

  /** EntryPoint, paymaster, a rich wallet, and a deployer who deposited 1,000 wei and asked for 400 back. */
  async function deploy(version: EntryPointVersion): Promise<Deployed> {
    const account = new Wallet(DEPLOYER, rpc);
    const { abi, bytecode } = entryPointArtifact(version);
    const entryPoint = await new ContractFactory(abi, bytecode, account).deploy().then((c) => c.waitForDeployment());
    const entryPointAddress = normalizeAddress(await entryPoint.getAddress());
    const contract = CONTRACTS[version];
    const factory = new ContractFactory(contract.abi, contract.bytecode, account);
    const paymaster = await factory
      .deploy(entryPointAddress, account.address, [signer.address, randomAddress()], 3_600)
      .then((c) => c.waitForDeployment());
    const send = async (name: string, args: unknown[], value = 0n) => {
      const data = paymaster.interface.encodeFunctionData(name, args);
      await (await account.sendTransaction({ to: await paymaster.getAddress(), data, value })).wait();
    };
    await send('depositFor', [wallet], DEPOSIT_WEI);
    await send('depositFor', [account.address], 1_000n);
    await send('requestWithdrawal', [400n]);
    return {
      version,
      entryPoint: entryPointAddress,
      paymaster: normalizeAddress(await paymaster.getAddress()),
      abi: paymaster.interface,
    };
  }

  function randomRequest(version: EntryPointVersion): { operation: UserOperation; sponsorFields: SponsorFields } {
    const nonce = BigInt(randomHex(32));
    const deploying = faker.datatype.boolean();
    const operation =
      version === '0.6'
        ? userOperationV06Builder()
            .with('nonce', nonce)
            .with('initCode', deploying ? randomHex(60) : '0x')
            .build()
        : userOperationV07Builder(version)
            .with('nonce', nonce)
            .with('factory', deploying ? randomAddress() : undefined)
            .with('factoryData', randomHex(faker.number.int({ min: 1, max: 99 })))
            .build();
    // The contract refuses a bound below what it measured.
    const sponsorFields = sponsorFieldsBuilder()
      .with('fundingWallet', wallet)
      .with('unaccountedGas', faker.number.bigInt({ min: 18_000n, max: 10_000_000n }))
      .build();
    return { operation, sponsorFields };
  }

  function digestOf(
    target: Deployed,
    operation: UserOperation,
    sponsorFields: SponsorFields,
    eip7702Delegate?: Address,
  ): Uint8Array {
    return hasher.digest(operation, {
      chainId: CHAIN_ID,
      paymaster: target.paymaster,
      entryPoint: target.entryPoint,
      sponsorFields,
      paymasterGasLimits: PAYMASTER_GAS_CONSTANTS[target.version],
      ...(eip7702Delegate && { eip7702Delegate }),
    });
  }

  /** What `validatePaymasterUserOp` says when the EntryPoint asks. */
  async function validate(target: Deployed, operation: UserOperation, paymasterAndData: Hex) {
    const limits = { ...operation, ...PAYMASTER_GAS_CONSTANTS[target.version] };
    const maxCost = prefundGas(target.version, limits) * operation.maxFeePerGas;
    const args = [pack(operation, paymasterAndData), randomHex(32), maxCost];
    const returned = await callRaw(target, 'validatePaymasterUserOp', args, target.entryPoint);
    const [context, packed] = target.abi.decodeFunctionResult('validatePaymasterUserOp', returned);
    const validation = BigInt(packed as bigint);
    // Precharge {userOpHash, sender, fundingWallet, prechargeWei, ...}: static, so its words come first.
    const [, , , debitedWei] = AbiCoder.defaultAbiCoder().decode(
      ['bytes32', 'address', 'address', 'uint256'],
      String(context),
    );
    return {
      signatureFailed: (validation & 1n) === 1n,
      validUntilSeconds: (validation >> 160n) & 0xffffffffffffn,
      validAfterSeconds: validation >> 208n,
      prechargeWei: BigInt(debitedWei as bigint),
    };
  }

  async function call(target: Deployed, name: string, args: unknown[]): Promise<unknown> {
    return target.abi.decodeFunctionResult(name, await callRaw(target, name, args))[0];
  }

  function callRaw(target: Deployed, name: string, args: unknown[], from?: Address): Promise<string> {
    return rpc.call({ to: target.paymaster, data: target.abi.encodeFunctionData(name, args), ...(from && { from }) });
  }
});

function paymasterAndDataOf({ version, paymaster }: Deployed, paymasterData: Hex): Hex {
  const paymasterGasLimits = PAYMASTER_GAS_CONSTANTS[version];
  return encodePaymasterAndData({ version, paymaster, paymasterGasLimits, paymasterData });
}

function expectedPrecharge(operation: UserOperation, fields: SponsorFields): bigint {
  return prechargeWei({
    version: operation.entryPointVersion,
    limits: { ...operation, ...PAYMASTER_GAS_CONSTANTS[operation.entryPointVersion] },
    maxFeePerGas: operation.maxFeePerGas,
    unaccountedGas: fields.unaccountedGas,
    feeMarkupMillionths: fields.feeMarkupMillionths,
  });
}

/** The operation as the EntryPoint's ABI has it. */
function pack(operation: UserOperation, paymasterAndData: Hex): Record<string, unknown> {
  const common = { ...operation, initCode: initCodeOf(operation), paymasterAndData };
  if (operation.entryPointVersion === '0.6') return common;
  const two = (high: bigint, low: bigint) => concat([toBeHex(high, 16), toBeHex(low, 16)]);
  return {
    ...common,
    accountGasLimits: two(operation.verificationGasLimit, operation.callGasLimit),
    gasFees: two(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
  };
}

function entryPointArtifact(version: EntryPointVersion): { abi: InterfaceAbi; bytecode: string } {
  const folder = `node_modules/@account-abstraction/contracts-v${version.replace('.', '')}/artifacts`;
  return JSON.parse(readFileSync(join(process.cwd(), folder, 'EntryPoint.json'), 'utf8')) as {
    abi: InterfaceAbi;
    bytecode: string;
  };
}

async function inBatches(count: number, run: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += BATCH) await Promise.all(Array.from({ length: BATCH }, run));
}
