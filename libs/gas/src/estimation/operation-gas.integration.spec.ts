import { ChainHead, ChainProvider, encodeStubSponsorData, PAYMASTER_GAS_CONSTANTS } from '@paymaster/chain';
import {
  compileSolidity,
  lyingProxy,
  pack,
  simpleAccountArtifact,
  simpleAccountCallData,
  SimpleAccounts,
  UNHURRIED,
  type CompiledContract,
} from '@paymaster/chain/testing';
import { demoCounterAbi, demoCounterBytecode } from '@paymaster/contract-abis';
import {
  DependencyUnavailableError,
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
import { OperationGas, type OperationGasLimits } from './operation-gas';
import type { PaymasterFields } from './wire-user-operation';

const CHAIN = {
  ...{ chainId: 31337, blockTimeSeconds: 1, maxHeadAgeSeconds: 3_600 },
  bounds: { maxCallGasLimit: 5_000_000n, maxVerificationGasLimit: 2_000_000n },
};
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
}
/** What it writes depends on the transaction and on its block. */
contract Recorder {
  uint256 public count;
  address public origin;
  uint256 public gasPrice;
  uint256 public baseFee;
  uint256[] private blocks;
  function record() external {
    (origin, gasPrice, baseFee) = (tx.origin, tx.gasprice, block.basefee);
    checkpoint();
  }
  function checkpoint() public {
    count++;
    if (blocks.length == 0 || blocks[blocks.length - 1] != block.number) blocks.push(block.number);
  }
}
interface IDeposits {
  function depositTo(address) external payable;
  function balanceOf(address) external view returns (uint256);
}
/** An account that accepts every signature. Its owner chooses how much gas its validation and its calls take. */
contract Told {
  uint256 public count;
  uint256 private immutable validationGas;
  uint256 private immutable callGas;
  uint256 private immutable levels;
  bool private immutable readsDeposit;
  constructor(uint256 validationGas_, uint256 callGas_, uint256 levels_, bool readsDeposit_) payable {
    (validationGas, callGas, levels, readsDeposit) = (validationGas_, callGas_, levels_, readsDeposit_);
  }
  function work(uint256 left, uint256 gasToBurn) external view {
    if (left > 0) return this.work(left - 1, gasToBurn);
    assembly ("memory-safe") {
      for { let rounds := div(gasToBurn, 39) } rounds { rounds := sub(rounds, 1) } { pop(keccak256(0, 32)) }
    }
  }
  fallback(bytes calldata data) external returns (bytes memory) {
    if (bytes4(data) == 0x19822f7c) {
      if (readsDeposit) IDeposits(msg.sender).balanceOf(address(this));
      this.work(levels, validationGas);
      return abi.encode(0);
    }
    if (readsDeposit) IDeposits(msg.sender).depositTo{value: 1}(address(this));
    this.work(levels, callGas);
    count++;
    return "";
  }
}`;
const DEEP = new Interface(['function dive(uint256)', 'function hide(uint256)', 'function refuse(string)']);
const RECORDER = new Interface(['function record()', 'function checkpoint()']);
/** Percent that are added to what was measured: less than the gateway adds, so that the meter is seen to be exact. */
const MARGINS = { verification: 3n, call: 2n } as const;
/** The account's own deposit pays here, which the EntryPoint then reads and writes: a slot of EIP-2929. */
const OWN_DEPOSIT_GAS = 5_000n;
/** Never ends. */
const FOREVER = 10n ** 12n;

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
  let recorder: Address;
  let told: CompiledContract;
  let gas: OperationGas;
  let head: ChainHead;

  beforeAll(async () => {
    accounts = await SimpleAccounts.start();
    const { Deep, Recorder, Told } = compileSolidity({ 'Deep.sol': TARGETS });
    told = Told!;
    counter = await addressOf(accounts.deploy({ abi: demoCounterAbi, bytecode: demoCounterBytecode }));
    deep = await addressOf(accounts.deploy(Deep!));
    recorder = await addressOf(accounts.deploy(Recorder!));
    head = new ChainHead(CHAIN, accounts.provider);
    await head.refresh();
    gas = new OperationGas(accounts.provider, CHAIN, head);
  });
  afterAll(() => accounts?.stop());

  const addressOf = async (contract: Promise<Contract>) => normalizeAddress(await (await contract).getAddress());
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

  const measure = async (operation: UserOperation) => {
    const version = operation.entryPointVersion;
    await head.refresh();
    return gas.measure({ operation, entryPoint: accounts.entryPoint(version), paymaster: stubOf(version) });
  };

  /**
   * Lands it with some limits, says what became of it, and undoes it. The account's deposit pays, so that no other
   * signature depends on the limits. @returns `lands` is true when it was validated and its calls did all they do
   */
  async function onChain(operation: UserOperation, owner: Wallet, counted = deep) {
    const version = operation.entryPointVersion;
    const { abi } = simpleAccountArtifact(version, 'EntryPoint');
    const entryPoint = new Contract(accounts.entryPoint(version), abi, accounts.deployer);
    await (await entryPoint.getFunction('depositTo')(operation.sender, { value: 10n ** 18n })).wait();
    const count = async () => BigInt(await accounts.rpc.call({ to: counted, data: '0x06661abd' }));
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
          gas: toBeHex(12_000_000),
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
    const most = { verificationGasLimit: 2_000_000n, callGasLimit: 5_000_000n };
    const done = await land(most);
    expect(done).toBeDefined();
    return { lands: async (limits: OperationGasLimits) => (await land(limits)) === done };
  }

  const withMargins = ({ verificationGasLimit, callGasLimit }: OperationGasLimits): OperationGasLimits => ({
    verificationGasLimit: ((verificationGasLimit + OWN_DEPOSIT_GAS) * (100n + MARGINS.verification)) / 100n,
    callGasLimit: (callGasLimit * (100n + MARGINS.call)) / 100n,
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

  /** An operation of an account of {@link TARGETS}. */
  async function toldOperation(does: {
    validationGas?: bigint;
    callGas?: bigint;
    levels?: number;
    readsDeposit?: boolean;
  }): Promise<UserOperation> {
    const { validationGas = 0n, callGas = 0n, levels = 0, readsDeposit = false } = does;
    const constructed = new Interface(told.abi).encodeDeploy([validationGas, callGas, levels, readsDeposit]);
    const hash = await accounts.deployer.sendTransaction({ data: told.bytecode + constructed.slice(2), value: 1n });
    const receipt = await accounts.rpc.waitForTransaction(hash.hash);
    return {
      ...{ entryPointVersion: '0.7', sender: normalizeAddress(receipt?.contractAddress ?? ''), nonce: 0n },
      ...{ callData: '0xdeed', signature: STUB_SIGNATURE, preVerificationGas: 50_000n },
      ...{ callGasLimit: 0n, verificationGasLimit: 0n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n },
    };
  }
  const someOwner = () => new Wallet(Wallet.createRandom().privateKey);

  it.each<[string, Parameters<typeof toldOperation>[0]]>([
    ['takes 1,600,000 gas', { validationGas: 1_600_000n }],
    ['takes 1,600,000 gas twelve levels deep', { validationGas: 1_600_000n, levels: 12 }],
    ['and call take nearly all that is allowed', { validationGas: 1_800_000n, callGas: 4_500_000n, levels: 2 }],
    ['and call ask the EntryPoint for something', { readsDeposit: true }],
  ])('lands an operation whose validation %s', async (_what, does) => {
    const operation = await toldOperation(does);
    const limits = withMargins(await measure(operation));
    expect(limits.verificationGasLimit).toBeLessThan(2_100_000n);
    const { lands } = await onChain(operation, someOwner(), operation.sender);
    expect(await lands(limits)).toBe(true);
  });

  it.each<[string, Parameters<typeof toldOperation>[0], object]>([
    [
      'validation never ends',
      { validationGas: FOREVER },
      { reason: 'VALIDATION_SIMULATION_FAILED', message: expect.stringContaining('more than 2000000 gas') },
    ],
    [
      'call never ends',
      { callGas: FOREVER },
      { reason: 'EXECUTION_SIMULATION_FAILED', message: expect.stringContaining('more than 5000000 gas') },
    ],
    [
      'validation takes 1,600,000 gas twelve levels deep, and whose call never ends',
      { validationGas: 1_600_000n, levels: 12, callGas: FOREVER },
      { reason: 'EXECUTION_SIMULATION_FAILED' },
    ],
  ])('refuses an operation whose %s', async (_what, does, expected) => {
    await expect(measure(await toldOperation(does))).rejects.toMatchObject(expected);
  });

  it.each(ENTRY_POINT_VERSIONS)(
    'lands a call of v%s that writes who pays the transaction, and its price',
    async (version) => {
      const owner = someOwner();
      const calls = [{ to: recorder, data: RECORDER.encodeFunctionData('record') as Hex }];
      const operation = await operationOf(version, owner, { deploys: false, nonce: 0n, calls });
      const limits = withMargins(await measure(operation));
      const { lands } = await onChain(operation, owner, recorder);
      expect(await lands(limits)).toBe(true);
    },
  );

  it('lands a call that writes more in a new block than in the block that it is measured at', async () => {
    const owner = someOwner();
    const calls = [{ to: recorder, data: RECORDER.encodeFunctionData('checkpoint') as Hex }];
    const operation = await operationOf('0.7', owner, { deploys: false, nonce: 0n, calls });
    await (
      await accounts.deployer.sendTransaction({ to: recorder, data: RECORDER.encodeFunctionData('checkpoint') })
    ).wait();
    const limits = withMargins(await measure(operation));
    const { lands } = await onChain(operation, owner, recorder);
    expect(await lands(limits)).toBe(true);
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
    [
      'is refused without a reason',
      /: it reverts without data$/,
      undefined,
      (operation) => ({ ...operation, callData: simpleAccountCallData('0.7', [{ to: deep, data: '0x12345678' }]) }),
    ],
  ])('names the failure of an operation whose account or call %s', async (_what, message, aaCode, change) => {
    const owner = new Wallet(Wallet.createRandom().privateKey);
    const operation = change(await operationOf('0.7', owner, { deploys: false, nonce: 0n, calls: increments(1) }));
    const error: unknown = await measure(operation).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SimulationFailedError);
    expect(error).toMatchObject({ message: expect.stringMatching(message), ...(aaCode && { details: { aaCode } }) });
  });

  it('says that the nodes take no state overrides', async () => {
    const node = await lyingProxy(accounts.anvil.url, { eth_call: ({ params, truth }) => truth(params.slice(0, 2)) });
    const nodes = new ChainProvider({ chainId: 31337, rpcUrls: [node.url] }, UNHURRIED);
    const blind = new OperationGas(nodes, CHAIN, head);
    const operation = await operationOf('0.7', new Wallet(Wallet.createRandom().privateKey), {
      deploys: false,
      nonce: 0n,
      calls: [],
    });
    const measuring = blind.measure({ operation, entryPoint: accounts.entryPoint('0.7'), paymaster: stubOf('0.7') });
    await expect(measuring).rejects.toMatchObject({
      name: DependencyUnavailableError.name,
      message: expect.stringContaining('do not take state overrides'),
    });
    await node.stop();
  });
});
