import type { EntryPointVersion, Hex } from '@paymaster/domain';
import { placeAccounts, readStack } from '@paymaster/devnet';
import { execute, executeBatch } from './support/call-data';
import { encodeFunctionData, getAddress, parseAbi } from 'viem';
import { dashboardOk } from './support/dashboard-client';
import { add, INCREMENT, RESET } from './support/demo-contract';
import { eventually, OBEYED_MS } from './support/eventually';
import { expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, whitelist, type FreshPaymaster } from './support/fresh-paymaster';
import { resultOf, type RpcAnswer, type SponsoredResult } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { askSponsor, AS_SENT, LIMITS, SPONSORED } from './support/sponsor';
import type { WireOperation } from './support/wire-operation';

const stack = readStack();
const { address: demo } = stack.demoContract;
const STRANGER: Hex = '0x00000000000000000000000000000000000000dd';

interface Asked {
  readonly callData: Hex;
  readonly version?: EntryPointVersion;
  /** Sent as an account that is deployed already: no factory. */
  readonly deployed?: boolean;
}

async function operationOf({ callData, version = '0.6', deployed }: Asked): Promise<WireOperation> {
  const account = await newSimpleAccount(stack, version);
  if (deployed) await placeAccounts(stack.chainRpc, { first: BigInt(account.address), count: 1 });
  return { ...(await draftOperation(stack, account, { callData, deployed })), ...LIMITS };
}

/** Asks with the limits sent, so that only the policy decides. */
const ask = async (paymaster: FreshPaymaster, asked: Asked): Promise<RpcAnswer> =>
  askSponsor({ url: paymaster.url, operation: await operationOf(asked), mode: AS_SENT });

const expectSponsored = (answer: RpcAnswer) =>
  expect(resultOf<SponsoredResult>(answer).paymasterAndData.length).toBeGreaterThan(2);
const expectRefused = (answer: RpcAnswer, message?: RegExp) => expectRpcError(answer, { code: -32501, message });

const increment = execute({ to: demo, data: INCREMENT });
const reset = execute({ to: demo, data: RESET });

describe('a change in the dashboard binds the gateway within a second', () => {
  it('whitelisted methods taken away and given back', async () => {
    const paymaster = await freshPaymaster(stack);
    const operation = await operationOf({ callData: increment });
    const again = () => askSponsor({ url: paymaster.url, operation, mode: AS_SENT });
    expectSponsored(await again());

    await whitelist(stack, paymaster.apiKey, ['add']);
    await eventually(OBEYED_MS, async () => expectRefused(await again(), /whitelist/i));

    await whitelist(stack, paymaster.apiKey, ['increment']);
    await eventually(OBEYED_MS, async () => expectSponsored(await again()));

    await whitelist(stack, paymaster.apiKey, []);
    await eventually(OBEYED_MS, async () => expectRefused(await again(), /No policies were set/));
  });

  it('ten changes in a row: the last one holds', async () => {
    const paymaster = await freshPaymaster(stack);
    const operation = await operationOf({ callData: increment });
    const again = () => askSponsor({ url: paymaster.url, operation, mode: AS_SENT });
    for (let round = 0; round < 5; round++) {
      await whitelist(stack, paymaster.apiKey, ['increment']);
      await again();
      await whitelist(stack, paymaster.apiKey, ['add']);
    }
    await eventually(OBEYED_MS, async () => expectRefused(await again()));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expectRefused(await again());
  });

  it('a contract deleted', async () => {
    const paymaster = await freshPaymaster(stack);
    expectSponsored(await ask(paymaster, { callData: increment }));
    const { apiKey } = paymaster;
    await dashboardOk(stack, { method: 'DELETE', path: '/smart-contract', apiKey, body: { address: demo } });
    await eventually(OBEYED_MS, async () => expectRefused(await ask(paymaster, { callData: increment })));
  });

  it('a key that was unknown a moment ago', async () => {
    const paymaster = await freshPaymaster(stack);
    await eventually(OBEYED_MS, async () => expectSponsored(await ask(paymaster, { callData: increment })));
  });
});

describe('deny by default', () => {
  it('a paymaster without contracts sponsors nothing', async () => {
    const paymaster = await freshPaymaster(stack, { methods: null });
    expectRefused(await ask(paymaster, { callData: increment }), /No policies were set/);
  });

  it('a contract without whitelisted methods sponsors nothing', async () => {
    const paymaster = await freshPaymaster(stack, { methods: [] });
    expectRefused(await ask(paymaster, { callData: increment }), /No policies were set/);
  });

  it("one paymaster's whitelist is not another's", async () => {
    const [mine, theirs] = [await freshPaymaster(stack), await freshPaymaster(stack, { methods: ['reset'] })];
    expectSponsored(await ask(mine, { callData: increment }));
    expectRefused(await ask(theirs, { callData: increment }));
    expectSponsored(await ask(theirs, { callData: reset }));
    expectRefused(await ask(mine, { callData: reset }));
  });

  it('a full signature is a whitelist entry too', async () => {
    const paymaster = await freshPaymaster(stack, { methods: ['add(uint256)'] });
    expectSponsored(await ask(paymaster, { callData: execute({ to: demo, data: add(2n) }) }));
    expectRefused(await ask(paymaster, { callData: increment }));
  });
});

describe.each(['0.6', '0.7', '0.8', '0.9'] as const)('a batch on v%s', (version) => {
  let paymaster: FreshPaymaster;
  const good = { to: demo, data: INCREMENT };
  const bad = [
    ['a method that is not listed', { to: demo, data: RESET }, undefined],
    ['a contract that is not registered', { to: STRANGER, data: INCREMENT }, /Smart contract data not found/],
    ['a call without data', { to: demo, data: '0x' as Hex }, undefined],
    ['a plain transfer', { to: STRANGER, data: '0x' as Hex, valueWei: 1n }, undefined],
  ] as const;

  beforeAll(async () => {
    paymaster = await freshPaymaster(stack);
  });

  const batch = async (calls: Parameters<typeof executeBatch>[1]) => {
    const account = await newSimpleAccount(stack, version);
    const callData = executeBatch(version, calls);
    const operation = { ...(await draftOperation(stack, account, { callData })), ...LIMITS };
    // v0.7 and v0.8 operations look alike: the EntryPoint is told.
    return askSponsor({ url: paymaster.url, operation, mode: AS_SENT, entryPoint: stack.entryPoints[version] });
  };

  it('is sponsored when every call is whitelisted', async () => {
    expectSponsored(await batch([good, { to: demo, data: add(3n) }, good]));
  });

  describe.each(bad)('is refused for %s', (_title, call, message) => {
    // v0.6 batches carry no value, so the transfer there is a call without data: refused all the same.
    it.each([0, 1, 2])('at place %i', async (place) => {
      const calls = [good, good];
      expectRefused(await batch([...calls.slice(0, place), call, ...calls.slice(place)]), message);
    });
  });
});

describe('switches of a paymaster', () => {
  it('sponsorDeployments "withCall", the default: deploys together with whitelisted calls, not for nothing', async () => {
    const paymaster = await freshPaymaster(stack);
    expectSponsored(await ask(paymaster, { callData: increment }));
    expectRefused(await ask(paymaster, { callData: '0x' }));
  });

  it('sponsorDeployments "never": no deployment, even with a whitelisted call', async () => {
    const paymaster = await freshPaymaster(stack, { settings: { sponsorDeployments: 'never' } });
    expectRefused(await ask(paymaster, { callData: increment }));
    expectRefused(await ask(paymaster, { callData: increment, version: '0.7' }));
    expectSponsored(await ask(paymaster, { callData: increment, deployed: true }));
  });

  it('sponsorDeployments "always": a deployment alone', async () => {
    const paymaster = await freshPaymaster(stack, { settings: { sponsorDeployments: 'always' } });
    expectSponsored(await ask(paymaster, { callData: '0x' }));
    expectRefused(await ask(paymaster, { callData: reset }));
    expectRefused(await ask(paymaster, { callData: '0x', deployed: true }));
  });

  it('sponsorNativeTransfers: off by default, on when switched on', async () => {
    const transfer = execute({ to: STRANGER, data: '0x', valueWei: 1n });
    const off = await freshPaymaster(stack);
    expectRefused(await ask(off, { callData: transfer }));
    const on = await freshPaymaster(stack, { settings: { sponsorNativeTransfers: true } });
    expectSponsored(await ask(on, { callData: transfer }));
    expectRefused(await ask(on, { callData: reset }));
  });

  it('sponsorAnyContract: any contract and method', async () => {
    const paymaster = await freshPaymaster(stack, { methods: null, settings: { sponsorAnyContract: true } });
    expectSponsored(await ask(paymaster, { callData: execute({ to: STRANGER, data: RESET }) }));
  });

  it('allowUnknownFactories: off by default, on when switched on', async () => {
    const operation = await operationOf({ callData: increment });
    const foreign = { ...operation, initCode: `${STRANGER}${operation.initCode?.slice(42)}` };
    const off = await freshPaymaster(stack);
    expectRefused(await askSponsor({ url: off.url, operation: foreign, mode: AS_SENT }), /factory/i);
    const on = await freshPaymaster(stack, { settings: { allowUnknownFactories: true } });
    expectSponsored(await askSponsor({ url: on.url, operation: foreign, mode: AS_SENT }));
  });

  it('allowCallDataSuffix: on by default, off when switched off', async () => {
    const suffixed: Hex = `${increment}${'80218021'.repeat(4)}`;
    expectSponsored(await ask(await freshPaymaster(stack), { callData: suffixed }));
    const off = await freshPaymaster(stack, { settings: { allowCallDataSuffix: false } });
    expectRefused(await ask(off, { callData: suffixed }), /16 bytes behind the arguments/);
    expectSponsored(await ask(off, { callData: increment }));
  });

  it('maxOperationCostWei: a dearer operation is refused', async () => {
    const paymaster = await freshPaymaster(stack, { settings: { maxOperationCostWei: '1' } });
    expectRefused(await ask(paymaster, { callData: increment }));
  });

  it('onRefusal "userPays": the refused operation comes back with "0x" and its limits', async () => {
    const paymaster = await freshPaymaster(stack, { settings: { onRefusal: 'userPays' } });
    const answer = await ask(paymaster, { callData: reset });
    expect(resultOf(answer)).toMatchObject({
      mode: 'SPONSORED',
      paymasterAndData: '0x',
      callGasLimit: Number(LIMITS.callGasLimit),
      verificationGasLimit: Number(LIMITS.verificationGasLimit),
      preVerificationGas: String(Number(LIMITS.preVerificationGas)),
    });
  });
});

describe('an estimate that fails', () => {
  it('names a custom error of a registered contract, with its arguments', async () => {
    const abi = parseAbi([
      'function transfer(address to, uint256 amount) returns (bool)',
      'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
    ]);
    const to = stack.tokens[0]!.address;
    const paymaster = await freshPaymaster(stack, { methods: null });
    const body = { name: 'Token', address: to, abi: JSON.stringify(abi), whitelistedMethods: ['transfer'] };
    await dashboardOk(stack, { method: 'POST', path: '/smart-contract', apiKey: paymaster.apiKey, body });
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [STRANGER, 5n] });

    const { callGasLimit: _, ...operation } = await operationOf({ callData: execute({ to, data }), version: '0.7' });
    const answer = await askSponsor({ url: paymaster.url, operation, mode: SPONSORED });
    const sender = getAddress(operation.sender);
    expectRpcError(answer, {
      code: -32521,
      message: /ERC20InsufficientBalance\(sender: 0x.*, balance: 0, needed: 5\)/,
    });
    expect((answer.body as { error: { data: unknown } }).error.data).toMatchObject({
      contractError: {
        name: 'ERC20InsufficientBalance',
        args: [{ name: 'sender', type: 'address', value: sender }, { value: '0' }, { value: '5' }],
      },
    });
  });
});
