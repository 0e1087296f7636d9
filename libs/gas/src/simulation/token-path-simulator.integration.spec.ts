import type { TokenPermit } from '@paymaster/chain';
import { compileSolidityFile, simpleAccountCallData, SimpleAccounts, type AccountCall } from '@paymaster/chain/testing';
import {
  demoCounterAbi,
  demoCounterBytecode,
  demoPermitTokenAbi,
  demoPermitTokenBytecode,
  demoTokenAbi,
} from '@paymaster/contract-abis';
import {
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { randomAddress, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { Interface, MaxUint256, Signature, Wallet, type Contract } from 'ethers';
import { TokenPathSimulator, type TokenPathRequest } from './token-path-simulator';

const BALANCE = 50_000_000n;
const AMOUNT = 3_000_000n;
const token = new Interface(demoTokenAbi);

describe('TokenPathSimulator', () => {
  const paymaster = randomAddress();
  const receiver = randomAddress();
  const fundingWallet = randomAddress();
  const thief = randomAddress();
  let world: SimpleAccounts;
  let demo: Contract;
  let demoAddress: Address;
  let increment: AccountCall;
  let simulator: TokenPathSimulator;
  let salt = 0;

  beforeAll(async () => {
    world = await SimpleAccounts.start();
    demo = await world.deploy({ abi: demoPermitTokenAbi, bytecode: demoPermitTokenBytecode }, ['Demo', 'DEM', 6]);
    demoAddress = normalizeAddress(await demo.getAddress());
    const counter = await world.deploy({ abi: demoCounterAbi, bytecode: demoCounterBytecode });
    increment = {
      to: normalizeAddress(await counter.getAddress()),
      data: counter.interface.encodeFunctionData('increment') as Hex,
    };
    simulator = new TokenPathSimulator(world.provider, { bounds: { maxVerificationGasLimit: 2_000_000n } });
  });
  afterAll(() => world?.stop());

  const states = ENTRY_POINT_VERSIONS.flatMap((version) => [
    { version, deployed: true },
    { version, deployed: false },
  ]);

  it.each(states)('v$version, deployed $deployed: an approval in the batch pays the receiver', async (state) => {
    const request = await requestOf({ ...state, way: 'batchApproval', calls: [approve(MaxUint256), increment] });
    const outcome = await simulator.simulate(request);
    expect(outcome).toMatchObject({
      deployed: true,
      callsSucceeded: true,
      paid: true,
      balanceBaseUnits: BALANCE,
      allowanceBaseUnits: MaxUint256,
      refundGas: null,
    });
    expect(outcome.paymentGas).toBeGreaterThan(25_000n);
    expect(outcome.paymentGas).toBeLessThan(65_000n);
  });

  it.each(states)('v$version, deployed $deployed: an allowance pays first and is refunded', async (state) => {
    const request = await requestOf({ ...state, way: 'allowance', calls: [increment] });
    await allow(request.operation.sender, AMOUNT);
    const outcome = await simulator.simulate(request);
    expect(outcome).toMatchObject({
      deployed: true,
      callsSucceeded: true,
      paid: true,
      balanceBaseUnits: BALANCE,
      allowanceBaseUnits: AMOUNT,
    });
    expect(outcome.paymentGas).toBeGreaterThan(outcome.refundGas!);
    expect(outcome.refundGas).toBeGreaterThan(0n);
  });

  it.each(ENTRY_POINT_VERSIONS)(
    'v%s: a permit that the account signed gives the allowance that pays',
    async (version) => {
      const { request, permit } = await permitRequest(version);
      await expect(simulator.simulate({ ...request, permit })).resolves.toMatchObject({
        paid: true,
        callsSucceeded: true,
        allowanceBaseUnits: AMOUNT,
        refundGas: expect.any(BigInt),
      });
    },
  );

  it('a permit of another account has no effect', async () => {
    const { request, permit } = await permitRequest('0.7');
    const foreign = { ...permit, signature: `0x${'11'.repeat(64)}1b` as Hex };
    const outcome = await simulator.simulate({ ...request, permit: foreign });
    expect(outcome).toMatchObject({ paid: false, allowanceBaseUnits: 0n, refundGas: null });
  });

  it('a permit that was used already still pays', async () => {
    const { request, permit } = await permitRequest('0.7');
    const { v, r, s } = Signature.from(permit.signature);
    const { sender } = request.operation;
    await world.send(demo, 'permit', [sender, paymaster, AMOUNT, permit.deadlineSeconds, v, r, s]);
    await expect(simulator.simulate({ ...request, permit })).resolves.toMatchObject({ paid: true });
  });

  describe.each(ENTRY_POINT_VERSIONS)('v%s, approval in the batch', (version) => {
    const simulate = async (input: { calls: readonly AccountCall[]; mint?: bigint; callGasLimit?: bigint }) =>
      simulator.simulate(await requestOf({ version, deployed: true, way: 'batchApproval', ...input }));

    it('is not paid from too low a balance', async () => {
      const outcome = await simulate({ calls: [approve(MaxUint256)], mint: AMOUNT - 1n });
      expect(outcome).toMatchObject({ callsSucceeded: true, paid: false, balanceBaseUnits: AMOUNT - 1n });
    });

    it('is not paid when the calls sweep the token', async () => {
      const outcome = await simulate({ calls: [approve(MaxUint256), transfer(BALANCE)] });
      expect(outcome).toMatchObject({ callsSucceeded: true, paid: false, balanceBaseUnits: 0n });
      expect(outcome.allowanceBaseUnits).toBe(MaxUint256);
    });

    it('is not paid when the calls take the allowance back', async () => {
      const outcome = await simulate({ calls: [approve(AMOUNT), approve(0n)] });
      expect(outcome).toMatchObject({ callsSucceeded: true, paid: false, allowanceBaseUnits: 0n });
    });

    it('is not paid when the calls revert, and says why they did', async () => {
      const outcome = await simulate({ calls: [approve(AMOUNT), transfer(BALANCE + 1n)] });
      expect(outcome).toMatchObject({ callsSucceeded: false, paid: false, allowanceBaseUnits: 0n });
      expect(outcome.callsReturned).not.toBe('0x');
    });

    it('is not paid when callGasLimit is too low for the calls', async () => {
      const outcome = await simulate({ calls: [approve(AMOUNT)], callGasLimit: 20_000n });
      expect(outcome).toMatchObject({ callsSucceeded: false, paid: false });
    });
  });

  it('an allowance pays whatever the calls do', async () => {
    for (const calls of [[transfer(BALANCE - AMOUNT)], [transfer(BALANCE)], [approve(0n)]]) {
      const request = await requestOf({ version: '0.7', deployed: true, way: 'allowance', calls });
      await allow(request.operation.sender, MaxUint256);
      await expect(simulator.simulate(request)).resolves.toMatchObject({ paid: true });
    }
  });

  it('an allowance revoked before is no payment', async () => {
    const request = await requestOf({ version: '0.8', deployed: true, way: 'allowance', calls: [increment] });
    await allow(request.operation.sender, AMOUNT);
    await allow(request.operation.sender, 0n);
    const outcome = await simulator.simulate(request);
    expect(outcome).toMatchObject({ paid: false, allowanceBaseUnits: 0n, refundGas: null });
  });

  it('reports that an account without code and without a factory does not exist', async () => {
    const request = await requestOf({ version: '0.6', deployed: false, way: 'batchApproval', calls: [increment] });
    const operation = { ...request.operation, initCode: '0x' as const };
    await expect(simulator.simulate({ ...request, operation } as TokenPathRequest)).resolves.toMatchObject({
      deployed: false,
      callsSucceeded: false,
    });
  });

  it('changes nothing on chain', async () => {
    const request = await requestOf({
      version: '0.7',
      deployed: false,
      way: 'batchApproval',
      calls: [approve(AMOUNT)],
    });
    await simulator.simulate(request);
    expect(await world.provider.code(request.operation.sender)).toBe('0x');
    expect(await demo.getFunction('balanceOf')(receiver)).toBe(0n);
    expect(await world.provider.code(paymaster)).toBe('0x');
  });

  /** An operation of a new account that owns tokens. */
  async function requestOf(input: {
    version: EntryPointVersion;
    deployed: boolean;
    way: TokenPathRequest['way'];
    calls: readonly AccountCall[];
    mint?: bigint;
    callGasLimit?: bigint;
  }): Promise<TokenPathRequest> {
    const { version } = input;
    salt += 1;
    const { sender, initCode } = await world.account(version, world.deployer.address, salt);
    if (input.deployed) await world.deployedAccount(version, world.deployer.address, salt);
    await world.send(demo, 'mint', [sender, input.mint ?? BALANCE]);
    const common = {
      sender,
      callData: simpleAccountCallData(version, input.calls),
      callGasLimit: 300_000n,
      verificationGasLimit: 400_000n,
    };
    const operation =
      version === '0.6'
        ? { ...userOperationV06Builder().build(), initCode: input.deployed ? ('0x' as const) : initCode }
        : {
            ...userOperationV07Builder(version).build(),
            ...(!input.deployed && {
              factory: initCode.slice(0, 42) as Address,
              factoryData: `0x${initCode.slice(42)}` as Hex,
            }),
          };
    return {
      operation: { ...operation, ...common, ...(input.callGasLimit && { callGasLimit: input.callGasLimit }) },
      ...to(version),
      way: input.way,
    };
  }

  const to = (version: EntryPointVersion) => ({
    entryPoint: world.entryPoint(version),
    paymaster,
    token: demoAddress,
    receiver,
    fundingWallet,
    amountBaseUnits: AMOUNT,
  });

  /** An operation with a permit for the amount, of an account that signs by ERC-1271 (SimpleAccount does not). */
  async function permitRequest(
    version: EntryPointVersion,
  ): Promise<{ request: TokenPathRequest; permit: TokenPermit }> {
    const owner = Wallet.createRandom();
    const code = compileSolidityFile('contracts/test/support/tokens/TokenAccount.sol')['TokenAccount']!;
    const sender = normalizeAddress(await (await world.deploy(code, [owner.address])).getAddress());
    await world.send(demo, 'mint', [sender, BALANCE]);
    const deadlineSeconds = MaxUint256;
    const signature = await owner.signTypedData(
      { name: 'Demo', version: '1', chainId: 31337, verifyingContract: demoAddress },
      {
        Permit: ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'].map(
          (member) => {
            const [type = '', name = ''] = member.split(' ');
            return { type, name };
          },
        ),
      },
      { owner: sender, spender: paymaster, value: AMOUNT, nonce: 0n, deadline: deadlineSeconds },
    );
    const callData = new Interface(code.abi).encodeFunctionData('nothing') as Hex;
    const operation = version === '0.6' ? userOperationV06Builder().build() : userOperationV07Builder(version).build();
    return {
      request: { operation: { ...operation, sender, callData }, ...to(version), way: 'permit' },
      permit: { valueBaseUnits: AMOUNT, deadlineSeconds, signature: signature as Hex },
    };
  }

  /** Makes the account approve the paymaster, whatever its owner is and whether it exists or not. */
  async function allow(account: Address, amount: bigint): Promise<void> {
    await world.rpc.send('anvil_impersonateAccount', [account]);
    await world.rpc.send('anvil_setBalance', [account, '0xde0b6b3a7640000']);
    const call = { from: account, to: demoAddress, data: approve(amount).data };
    await world.rpc.waitForTransaction(String(await world.rpc.send('eth_sendTransaction', [call])));
    // An address that has sent a transaction can't be deployed to.
    if ((await world.rpc.getCode(account)) === '0x') await world.rpc.send('anvil_setNonce', [account, '0x0']);
  }

  const approve = (amount: bigint): AccountCall => ({
    to: demoAddress,
    data: token.encodeFunctionData('approve', [paymaster, amount]) as Hex,
  });
  const transfer = (amount: bigint): AccountCall => ({
    to: demoAddress,
    data: token.encodeFunctionData('transfer', [thief, amount]) as Hex,
  });
});
