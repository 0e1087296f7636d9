import { demoCounterAbi, demoCounterBytecode } from '@paymaster/contract-abis';
import {
  ENTRY_POINT_VERSIONS,
  isPackedVersion,
  normalizeAddress,
  SimulationFailedError,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { Contract, getBytes, Interface, toBeHex, Wallet } from 'ethers';
import { encodeStubSponsorData } from '../paymaster-data/stub';
import { ChainProvider } from '../providers/chain-provider';
import { StateOverridesUnsupportedError } from '../providers/state-overrides';
import { compileSolidity } from '../testing/compile-solidity';
import { pack } from '../testing/deployed-paymasters';
import { simpleAccountArtifact, simpleAccountCallData, SimpleAccounts } from '../testing/simple-accounts';
import { UNHURRIED } from '../testing/unhurried';
import { MEASURED_MARGINS } from './gas-limit-estimator';
import { OperationGas, type OperationGasLimits } from './operation-gas';
import { PAYMASTER_GAS_CONSTANTS } from './paymaster-gas-constants';
import type { PaymasterFields } from './wire-user-operation';

const BOUNDS = { maxCallGasLimit: 5_000_000n, maxVerificationGasLimit: 2_000_000n };
const COUNTER = new Interface(demoCounterAbi);
/** As long as the signature of one key, and of no key. */
const STUB_SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

/** Targets that need more gas than they use, and one that hides that it had too little. */
const TARGETS = `
pragma solidity 0.8.28;
contract Deep {
  uint256 public count;
  function dive(uint256 levels) external { if (levels > 0) this.dive(levels - 1); else for (uint256 i = 0; i < 60; i++) count += i; }
  function hide(uint256 levels) external { try this.dive(levels) { count++; } catch { count = 0; } }
  function refuse(string calldata why) external pure { revert(why); }
}`;
const DEEP = new Interface(['function dive(uint256)', 'function hide(uint256)', 'function refuse(string)']);

/** What an operation does, and on what account. */
interface Played {
  readonly deploys: boolean;
  readonly calls: ReadonlyArray<{ readonly to: Address; readonly data: Hex }>;
  readonly nonce: bigint;
}

describe('OperationGas', () => {
  let accounts: SimpleAccounts;
  let counter: Address;
  let deep: Address;
  let gas: OperationGas;

  beforeAll(async () => {
    accounts = await SimpleAccounts.start();
    const { Deep } = compileSolidity({ 'Deep.sol': TARGETS });
    const addressOf = async (contract: Promise<Contract>) => normalizeAddress(await (await contract).getAddress());
    counter = await addressOf(accounts.deploy({ abi: demoCounterAbi, bytecode: demoCounterBytecode }));
    deep = await addressOf(accounts.deploy(Deep!));
    gas = new OperationGas(accounts.provider, BOUNDS);
  });
  afterAll(() => accounts?.stop());

  const increments = (count: number) =>
    Array.from({ length: count }, () => ({ to: counter, data: COUNTER.encodeFunctionData('increment') as Hex }));
  const deepCall = (name: string, argument: unknown) => ({
    to: deep,
    data: DEEP.encodeFunctionData(name, [argument]) as Hex,
  });

  async function operationOf(version: EntryPointVersion, owner: Wallet, played: Played): Promise<UserOperation> {
    const { sender, initCode } = await accounts.account(version, owner.address);
    if (!played.deploys) await accounts.deployedAccount(version, owner.address);
    const fields = {
      ...{ sender, nonce: played.nonce, signature: STUB_SIGNATURE, preVerificationGas: 50_000n },
      ...{ callGasLimit: 0n, verificationGasLimit: 0n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n },
      callData: played.calls.length === 0 ? ('0x' as const) : simpleAccountCallData(version, played.calls),
    };
    if (!isPackedVersion(version))
      return { ...fields, entryPointVersion: '0.6', initCode: played.deploys ? initCode : '0x' };
    const factory = { factory: normalizeAddress(initCode.slice(0, 42)), factoryData: `0x${initCode.slice(42)}` as Hex };
    return { ...fields, entryPointVersion: version, ...(played.deploys && factory) };
  }

  const stubOf = (version: EntryPointVersion): PaymasterFields => ({
    paymaster: randomAddress(),
    paymasterData: encodeStubSponsorData({
      ...{ fundingWallet: randomAddress(), feeMarkupMillionths: 1_100_000n },
      unaccountedGas: PAYMASTER_GAS_CONSTANTS[version].unaccountedGas,
    }),
    paymasterGasLimits: PAYMASTER_GAS_CONSTANTS[version],
  });

  const measure = (operation: UserOperation) => {
    const version = operation.entryPointVersion;
    return gas.measure({ operation, entryPoint: accounts.entryPoint(version), paymaster: stubOf(version) });
  };

  /**
   * Lands it with some limits, says what became of it, and undoes it. The account's deposit pays, so that no other
   * signature depends on the limits. @returns `lands` is true when it was validated and its calls did all they do
   */
  async function onChain(operation: UserOperation, owner: Wallet) {
    const version = operation.entryPointVersion;
    const { abi } = simpleAccountArtifact(version, 'EntryPoint');
    const entryPoint = new Contract(accounts.entryPoint(version), abi, accounts.deployer);
    await (await entryPoint.getFunction('depositTo')(operation.sender, { value: 10n ** 18n })).wait();
    const count = async () => BigInt(await accounts.rpc.call({ to: deep, data: '0x06661abd' }));
    const land = async (limits: OperationGasLimits) => {
      const limited = { ...operation, ...limits };
      const hash = String(await entryPoint.getFunction('getUserOpHash')(pack(limited, '0x')));
      const isPrefixed = version === '0.6' || version === '0.7';
      const signature = isPrefixed ? await owner.signMessage(getBytes(hash)) : owner.signingKey.sign(hash).serialized;
      const signed = pack({ ...limited, signature: signature as Hex }, '0x');
      const data = entryPoint.interface.encodeFunctionData('handleOps', [[signed], accounts.deployer.address]);
      const snapshot = await accounts.rpc.send('evm_snapshot', []);
      try {
        const call = {
          from: accounts.deployer.address,
          to: await entryPoint.getAddress(),
          data,
          gas: toBeHex(9_000_000),
        };
        const receipt = await accounts.rpc.waitForTransaction(
          String(await accounts.rpc.send('eth_sendTransaction', [call])),
        );
        const logs = (receipt?.logs ?? []).map((log) => entryPoint.interface.parseLog(log));
        const succeeded = logs.some((log) => log?.name === 'UserOperationEvent' && log.args['success'] === true);
        return succeeded ? await count() : undefined;
      } catch {
        return undefined;
      } finally {
        await accounts.rpc.send('evm_revert', [snapshot]);
      }
    };
    const most = { verificationGasLimit: 1_500_000n, callGasLimit: 3_000_000n };
    const done = await land(most);
    expect(done).toBeDefined();
    return { lands: async (limits: OperationGasLimits) => (await land(limits)) === done };
  }

  const withMargins = ({ verificationGasLimit, callGasLimit }: OperationGasLimits): OperationGasLimits => ({
    verificationGasLimit: (verificationGasLimit * (100n + MEASURED_MARGINS.verificationPercent)) / 100n,
    callGasLimit: (callGasLimit * (100n + MEASURED_MARGINS.callPercent)) / 100n,
  });
  const percentOf = (gasLimit: bigint, percent: bigint) => (gasLimit * percent) / 100n;

  const PLAYED: ReadonlyArray<readonly [string, () => Played]> = [
    ['deploys its account and makes a call', () => ({ deploys: true, nonce: 0n, calls: increments(1) })],
    ['is the first of its account and makes three calls', () => ({ deploys: false, nonce: 0n, calls: increments(3) })],
    ['has a new nonce key and makes no call', () => ({ deploys: false, nonce: 7n << 64n, calls: [] })],
    ['calls twelve levels deep', () => ({ deploys: false, nonce: 0n, calls: [deepCall('dive', 12)] })],
    ['hides that an inner call had too little', () => ({ deploys: false, nonce: 0n, calls: [deepCall('hide', 3)] })],
  ];

  describe.each(ENTRY_POINT_VERSIONS)('an operation of v%s', (version) => {
    it.each(PLAYED)('that %s lands with what was measured, and does not with 12 % less', async (_what, play) => {
      const owner = new Wallet(Wallet.createRandom().privateKey);
      const operation = await operationOf(version, owner, play());
      const measured = await measure(operation);
      const limits = withMargins(measured);
      const { lands } = await onChain(operation, owner);
      expect(await lands(limits)).toBe(true);
      const verificationGasLimit = percentOf(limits.verificationGasLimit, 88n);
      expect(await lands({ ...limits, verificationGasLimit })).toBe(false);
      if (operation.callData === '0x') expect(measured.callGasLimit).toBe(0n);
      else expect(await lands({ ...limits, callGasLimit: percentOf(limits.callGasLimit, 88n) })).toBe(false);
    });
  });

  it.each<[string, RegExp, string | undefined, (operation: UserOperation) => UserOperation]>([
    ['has no code and no factory', /AA20/, 'AA20', (operation) => ({ ...operation, sender: randomAddress() })],
    ['has another nonce', /AA25 .* the next is 0x0/, 'AA25', (operation) => ({ ...operation, nonce: 1n })],
    [
      'is refused',
      /why it fails/,
      undefined,
      (operation) => ({ ...operation, callData: simpleAccountCallData('0.7', [deepCall('refuse', 'why it fails')]) }),
    ],
  ])('names the failure of an operation whose account or call %s', async (_what, message, aaCode, change) => {
    const owner = new Wallet(Wallet.createRandom().privateKey);
    const operation = change(await operationOf('0.7', owner, { deploys: false, nonce: 0n, calls: increments(1) }));
    const error: unknown = await measure(operation).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SimulationFailedError);
    expect(error).toMatchObject({ message: expect.stringMatching(message), ...(aaCode && { details: { aaCode } }) });
  });

  it('says that the nodes take no state overrides', async () => {
    const nodes = new ChainProvider({ chainId: 31337, rpcUrls: [accounts.anvil.url] }, UNHURRIED);
    const provider = { chain: nodes.chain, ethCall: nodes.ethCall.bind(nodes) };
    const without = { ...provider, ethCall: (call: never, parse: never) => provider.ethCall(call, parse) };
    const blind = new OperationGas(without as never, BOUNDS);
    const operation = await operationOf('0.7', new Wallet(Wallet.createRandom().privateKey), {
      deploys: false,
      nonce: 0n,
      calls: [],
    });
    const measuring = blind.measure({ operation, entryPoint: accounts.entryPoint('0.7'), paymaster: stubOf('0.7') });
    await expect(measuring).rejects.toThrow(StateOverridesUnsupportedError);
  });
});
