import { BundlerRefusedError, DependencyUnavailableError, EIP7702_MARKER, type Hex } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV07Builder } from '@paymaster/domain/testing';
import type { BundlerConfig } from '../chains/chain-config';
import { FakeRpcError, FakeRpcServer, type FakeRpcMode } from '../testing';
import { BundlerSet, type Sending } from './bundler-set';
import { toWireOperation } from './complete-operation';

const MISBEHAVIOURS: FakeRpcMode[] = [
  ...(['reset', 'cutOff', 'trickle', 'http500', 'http429', 'invalidJson'] as const),
  ...(['wrongShape', 'wrongId', 'hugeBody', 'hang'] as const),
];

describe('BundlerSet', () => {
  let first: FakeRpcServer;
  let second: FakeRpcServer;
  let userOpHash: Hex;
  beforeEach(async () => {
    userOpHash = randomHex(32);
    [first, second] = [await FakeRpcServer.start(), await FakeRpcServer.start()];
    for (const fake of [first, second]) fake.methods['eth_sendUserOperation'] = () => userOpHash;
  });
  afterEach(async () => {
    await Promise.all([first.stop(), second.stop()]);
  });

  const bundler = (fake: FakeRpcServer, changes: Partial<BundlerConfig> = {}): BundlerConfig => ({
    ...{ name: fake === first ? 'first' : 'second', url: fake.url, kind: 'alto', metered: false },
    ...changes,
  });
  const setOf = (changes: Partial<BundlerConfig> = {}): BundlerSet =>
    new BundlerSet({ bundlers: [bundler(first, changes), bundler(second)] });
  const send = (
    set: BundlerSet,
    { isSponsored = true, withinMs = 5_000, onRefused }: Partial<Sending> & { withinMs?: number } = {},
  ) =>
    set.send({
      complete: { operation: userOperationV07Builder().build(), paymaster: undefined },
      ...{ entryPoint: randomAddress(), version: '0.7', userOpHash, isSponsored, onRefused },
      deadlineMs: performance.now() + withinMs,
    });
  const sends = (fake: FakeRpcServer): number => fake.callsOf('eth_sendUserOperation');
  const refusing = (code: number, message: string) => () => {
    throw new FakeRpcError(code, message);
  };

  it('sends to the first alone, with no third parameter', async () => {
    const { bundler: taker } = await send(setOf());
    expect(taker.name).toBe('first');
    expect(first.calls[0]?.params).toHaveLength(2);
    expect(second.calls).toEqual([]);
  });

  it('goes on to the second where the first is not there', async () => {
    const set = setOf();
    await first.stop();
    await expect(send(set)).resolves.toMatchObject({ userOpHash, bundler: { name: 'second' } });
    first = await FakeRpcServer.start();
  });

  it.each<FakeRpcMode>(MISBEHAVIOURS)(
    'asks the first what became of it when it does: %s, and goes on to the second',
    async (mode) => {
      first.mode = mode;
      const { bundler: taker } = await send(setOf());
      expect(taker.name).toBe('second');
      expect(first.callsOf('pimlico_getUserOperationStatus')).toBe(1);
    },
  );

  it.each<FakeRpcMode>(MISBEHAVIOURS)(
    'tells the client in time, and believes nothing, where all do: %s',
    async (mode) => {
      for (const fake of [first, second]) fake.mode = mode;
      const set = setOf();
      const startedMs = performance.now();
      await expect(send(set, { withinMs: 1_500 })).rejects.toThrow(DependencyUnavailableError);
      const asked = { method: 'eth_getUserOperationReceipt', userOpHash, takenBy: undefined } as const;
      const parse = () => 'believed';
      await expect(set.about({ ...asked, parse, deadlineMs: performance.now() + 4_000 })).resolves.toBeNull();
      expect(performance.now() - startedMs).toBeLessThan(5_500);
    },
  );

  it('does not send twice what the first has taken before it failed to say so', async () => {
    first.methods['eth_sendUserOperation'] = () => 'taken';
    first.methods['pimlico_getUserOperationStatus'] = () => ({ status: 'not_submitted', transactionHash: null });
    await expect(send(setOf())).resolves.toMatchObject({ bundler: { name: 'first' } });
    expect(sends(second)).toBe(0);
  });

  it('never believes another hash', async () => {
    for (const fake of [first, second]) fake.methods['eth_sendUserOperation'] = () => randomHex(32);
    await expect(send(setOf())).rejects.toThrow(DependencyUnavailableError);
  });

  it('takes an operation for sent that the bundler has already', async () => {
    first.methods['eth_sendUserOperation'] = refusing(-32_602, 'Already known');
    await expect(send(setOf())).resolves.toMatchObject({ userOpHash, bundler: { name: 'first' } });
  });

  it.each([
    [-32_500, 'AA25 invalid account nonce', -32_500, 'AA25'],
    [-32_603, 'failed: AA33 reverted', -32_501, 'AA33'],
    [-32_000, 'precheck failed: maxFeePerGas is 1 but must be at least 2', -32_602, undefined],
    [-32_601, 'Validation error: Invalid hex', -32_602, undefined],
    [-32_600, 'bad form', -32_602, undefined],
  ])('tells the client of a refusal, and asks no other: %d, %s', async (code, message, told, aaCode) => {
    first.methods['eth_sendUserOperation'] = refusing(code, message);
    const refusedBy: string[] = [];
    const onRefused: Sending['onRefused'] = ({ name }, refusal) => refusedBy.push(`${name}: ${refusal.message}`);
    const error = await send(setOf(), { onRefused }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BundlerRefusedError);
    expect(refusedBy).toEqual([`first: ${message}`]);
    expect(error).toMatchObject({ code: told, message, details: aaCode ? { aaCode } : {} });
    expect(sends(second)).toBe(0);
  });

  it('sends what nobody here has signed to no metered bundler', async () => {
    await expect(send(setOf({ metered: true }), { isSponsored: false })).resolves.toMatchObject({
      bundler: { name: 'second' },
    });
    expect(first.calls).toEqual([]);
  });

  it('asks a bundler last that failed three times in a row', async () => {
    const set = setOf();
    first.mode = 'http500';
    for (let failed = 0; failed < 2; failed++) await send(set);
    first.mode = 'ok';
    expect(set.of('0.7').map(({ name }) => name)).toEqual(['second', 'first']);
    await expect(send(set)).resolves.toMatchObject({ bundler: { name: 'second' } });
  });

  it('is made ill for others by nothing that a client sends', async () => {
    const set = setOf();
    for (const fake of [first, second]) {
      fake.methods['eth_sendUserOperation'] = refusing(-32_603, 'no idea');
      fake.methods['eth_estimateUserOperationGas'] = () => new Promise(() => undefined);
    }
    for (let failed = 0; failed < 3; failed++) await send(set).catch(() => undefined);
    const complete = { operation: userOperationV07Builder().build(), paymaster: undefined };
    const looping = { complete, entryPoint: randomAddress(), overrides: {}, isOurs: true };
    for (let failed = 0; failed < 3; failed++) {
      await set.estimate({ ...looping, deadlineMs: performance.now() + 50 }).catch(() => undefined);
    }
    expect(set.endpoints.map(({ isWell }) => isWell)).toEqual([true, true]);
  });

  it('sends an operation to the bundlers of its EntryPoint only', () => {
    const set = setOf({ entryPoints: ['0.6'] });
    expect(set.of('0.7').map(({ name }) => name)).toEqual(['second']);
    expect(set.of('0.6').map(({ name }) => name)).toEqual(['first', 'second']);
    expect(
      setOf({ kind: 'voltaire' })
        .of('0.9')
        .map(({ name }) => name),
    ).toEqual(['second']);
  });

  it('writes a signature of v0.9 and the marker of EIP-7702 as rundler takes them', async () => {
    const operation = userOperationV07Builder('0.9').with('factory', EIP7702_MARKER).with('factoryData', '0x').build();
    const limits = { paymasterVerificationGasLimit: 1n, paymasterPostOpGasLimit: 1n };
    const paymaster = {
      paymaster: randomAddress(),
      paymasterData: '0x12',
      paymasterSignature: '0x34',
      ...limits,
    } as const;
    expect(toWireOperation({ operation, paymaster }, 'rundler')).toMatchObject({
      ...{ factory: EIP7702_MARKER, paymasterData: '0x1222e325a297439656', paymasterSignature: '0x34' },
    });
    expect(toWireOperation({ operation, paymaster }, 'alto')).toMatchObject({
      ...{ factory: '0x7702', paymasterData: '0x12', paymasterSignature: '0x34' },
    });
  });

  it('asks for a receipt where the operation was sent, else at each that costs nothing, and believes none of another', async () => {
    const [firstOf, secondOf] = [randomHex(32), randomHex(32)];
    const answer = (hash: Hex) => () => ({ userOpHash: hash });
    first.methods['eth_getUserOperationReceipt'] = answer(secondOf);
    second.methods['eth_getUserOperationReceipt'] = answer(firstOf);
    const set = setOf();
    const parse = (value: unknown) => {
      if ((value as { userOpHash: Hex }).userOpHash === firstOf) return 'receipt';
      throw new Error('of another operation');
    };
    const deadlineMs = performance.now() + 5_000;
    const asked = { method: 'eth_getUserOperationReceipt', userOpHash: firstOf, parse, deadlineMs } as const;
    await expect(set.about({ ...asked, takenBy: undefined })).resolves.toBe('receipt');
    await expect(set.about({ ...asked, takenBy: set.endpoints[1] })).resolves.toBe('receipt');
    expect(first.calls).toHaveLength(1);
    await expect(setOf({ metered: true }).about({ ...asked, takenBy: undefined })).resolves.toBe('receipt');
    expect(first.calls).toHaveLength(1);
  });

  describe('an operation that was taken and is in no block', () => {
    const again = (set: BundlerSet, takenBy: readonly number[], { isSponsored = true } = {}) =>
      set.sendAgain(
        {
          complete: { operation: userOperationV07Builder().build(), paymaster: undefined },
          ...{ entryPoint: randomAddress(), version: '0.7', userOpHash, isSponsored },
          deadlineMs: performance.now() + 5_000,
        },
        takenBy.map((at) => set.endpoints[at]!),
      );
    const saying = (status: string) => () => ({ status, transactionHash: null });

    it('goes to a bundler that has not had it', async () => {
      await expect(again(setOf(), [0])).resolves.toMatchObject({ bundler: { name: 'second' } });
      expect(first.calls).toEqual([]);
    });

    it('goes to no metered bundler unless it is signed by us', async () => {
      const set = new BundlerSet({ bundlers: [bundler(first), bundler(second, { metered: true })] });
      first.methods['pimlico_getUserOperationStatus'] = saying('not_submitted');
      await expect(again(set, [0], { isSponsored: false })).resolves.toBeUndefined();
      expect(second.calls).toEqual([]);
      await expect(again(set, [0])).resolves.toMatchObject({ bundler: { name: 'second' } });
    });

    it('goes to the first that has it no longer, when all have had it', async () => {
      const set = setOf();
      first.methods['pimlico_getUserOperationStatus'] = saying('not_submitted');
      second.methods['pimlico_getUserOperationStatus'] = saying('not_found');
      await expect(again(set, [0, 1])).resolves.toMatchObject({ bundler: { name: 'second' } });
      second.methods['pimlico_getUserOperationStatus'] = saying('not_submitted');
      await expect(again(set, [0, 1])).resolves.toBeUndefined();
      expect([sends(first), sends(second)]).toEqual([0, 1]);
    });

    it('goes again to a bundler that cannot say whether it has it', async () => {
      const set = new BundlerSet({ bundlers: [bundler(first, { kind: 'other' })] });
      first.methods['eth_getUserOperationByHash'] = () => null;
      first.methods['eth_sendUserOperation'] = refusing(-32_602, 'already known');
      await expect(again(set, [0])).resolves.toMatchObject({ bundler: { name: 'first' } });
    });

    it('goes to no bundler that is ill', async () => {
      const set = setOf();
      second.mode = 'http500';
      for (let failures = 0; failures < 3; failures++) await again(set, [0]);
      second.mode = 'ok';
      first.methods['pimlico_getUserOperationStatus'] = saying('not_submitted');
      await expect(again(set, [0])).resolves.toBeUndefined();
      expect(sends(second)).toBe(3);
    });

    it('is asked for at the bundler that took it, and at the others while that one is ill', async () => {
      const set = setOf();
      const taker = set.endpoints[1];
      const asked = () => set.askable(taker).map(({ name }) => name);
      expect(asked()).toEqual(['second']);
      second.mode = 'http500';
      for (let failures = 0; failures < 3; failures++) await again(set, [0]);
      expect(asked()).toEqual(['first', 'second']);
    });

    it('is told of a nonce that is used or an account that is there already, and of no other refusal', async () => {
      for (const landed of ['AA25 invalid account nonce', 'AA10 sender already constructed']) {
        second.methods['eth_sendUserOperation'] = refusing(-32_500, landed);
        await expect(again(setOf(), [0])).rejects.toThrow(BundlerRefusedError);
      }
      second.methods['eth_sendUserOperation'] = refusing(-32_500, 'AA21 prefund');
      await expect(again(setOf(), [0])).resolves.toBeUndefined();
    });

    it('counts what became of what was sent', async () => {
      const set = setOf();
      await send(set);
      first.methods['eth_sendUserOperation'] = refusing(-32_603, 'the node is down');
      await send(set);
      first.methods['eth_sendUserOperation'] = refusing(-32_500, 'AA25 invalid account nonce');
      await send(set).catch(() => undefined);
      expect(set.endpoints.map((each) => each.sends)).toEqual([
        { taken: 1, refused: 1, failed: 1 },
        { taken: 1, refused: 0, failed: 0 },
      ]);
    });
  });
});
