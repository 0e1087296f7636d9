import { encodeSponsorData, type BundlerEndpoint, type Sending } from '@paymaster/chain';
import { BundlerRefusedError, type Address, type Hex } from '@paymaster/domain';
import { id } from 'ethers';
import type { SentChange, SentOperation } from '@paymaster/ledger';
import type { ServedChain } from '../chains/served-chain';
import { toText } from './sent-operation';
import { SentOperations } from './sent-operations';

const ENTRY_POINT: Address = `0x${'ee'.repeat(20)}`;
const PAYMASTER: Address = `0x${'aa'.repeat(20)}`;
const EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
const hashOf = (at: number): Hex => `0x${at.toString(16).padStart(64, '0')}`;
const [FIRST_HASH, SECOND_HASH] = [hashOf(1), hashOf(2)];

interface Filter {
  readonly fromBlock: Hex;
  readonly topics: readonly [string, readonly Hex[]];
}

/** A chain whose next blocks have what the test says; operations are sent again after three blocks. */
function chainWith() {
  const head = { number: 10n, timestampSeconds: 1_000, baseFeePerGasWei: 100n };
  const landed = new Set<Hex>();
  const sentAgain: (readonly string[])[] = [];
  const asked: Filter[] = [];
  const world: Partial<Record<'refusal' | 'failsValidation', BundlerRefusedError>> & { isDown: boolean } = {
    isDown: false,
  };
  const told: SentChange[] = [];
  const left: SentOperation[] = [];
  const lookUps: Hex[] = [];
  const chain = {
    config: {
      chainId: 1,
      resendAfterBlocks: 3,
      blockTimeSeconds: 1_000,
      entryPoints: { '0.7': { entryPoint: ENTRY_POINT, paymaster: PAYMASTER } },
    },
    head: { latest: () => head, nowSeconds: () => head.timestampSeconds, ageSeconds: () => 0 },
    reads: {
      ask: async (_method: string, [filter]: [Filter], parse: (value: unknown) => unknown) => {
        if (world.isDown) throw new Error('down');
        asked.push(filter);
        const found = filter.topics[1].filter((each) => landed.has(each));
        return parse(found.map((each) => ({ topics: [EVENT, each], data: '0x', address: '0x' })));
      },
    },
    validationTrial: { refusal: async () => world.failsValidation },
    bundlers: {
      endpoints: [{ name: 'first' }, { name: 'second' }],
      sendAgain: async ({ onRefused }: Sending, takenBy: readonly BundlerEndpoint[]) => {
        sentAgain.push(takenBy.map(({ name }) => name));
        if (world.refusal) {
          onRefused?.({ name: 'second' } as BundlerEndpoint, world.refusal);
          throw world.refusal;
        }
        return takenBy.length > 1 ? undefined : { bundler: { name: 'second' } };
      },
    },
  } as unknown as ServedChain;
  const ledger = {
    recordSent: (change: SentChange) => void told.push(change),
    takeOverSent: async () => left.splice(0),
    findSent: async (_chainId: number, userOpHash: Hex) => {
      lookUps.push(userOpHash);
      return 'followed' as const;
    },
  };
  const sent = new SentOperations(ledger, { all: () => [chain] });
  const follow = (
    userOpHash: Hex,
    { owner = 'a', bytes = 0, ...changes }: { owner?: string; bytes?: number; [name: string]: unknown } = {},
  ) => {
    const operation = { callData: '0'.repeat(bytes), initCode: '', maxFeePerGas: 100n };
    sent.follow(chain, {
      sending: { userOpHash, complete: { operation, paymaster: undefined } } as unknown as Sending,
      ...{
        paymasterId: owner,
        fundingWallet: `0x${'77'.repeat(20)}`,
        validUntilSeconds: 1_300,
        takenBy: { name: 'first' } as BundlerEndpoint,
        sinceBlock: 10n,
      },
      ...changes,
    });
  };
  const at = async (number: bigint, timestampSeconds = head.timestampSeconds) => {
    Object.assign(head, { number, timestampSeconds });
    await sent.look();
  };
  const fates = () => Object.fromEntries(Object.entries(sent.ofChains()[0]!.fates).filter(([, count]) => count > 0));
  const states = () =>
    told.map(({ state, bundler, message }) => [state, bundler, ...(message === null ? [] : [message])].join(': '));
  return { chain, head, landed, sentAgain, asked, world, sent, told, left, lookUps, states, follow, at, fates };
}

describe('operations that a bundler took', () => {
  it('are looked for after some blocks, a hundred at a time, and ended when they are in a block', async () => {
    const { chain, landed, sentAgain, asked, sent, follow, at, fates } = chainWith();
    const hashes = Array.from({ length: 120 }, (_, index) => hashOf(index));
    for (const hash of hashes) {
      follow(hash, { sinceBlock: hash === hashes[1] ? 9n : 10n });
      landed.add(hash);
    }
    await at(11n);
    expect(asked).toEqual([]);
    await at(13n);
    expect(asked.map(({ topics }) => topics[1].length)).toEqual([100, 20]);
    // A bundler may have landed the operation before it was sent here.
    expect(asked.map(({ fromBlock }) => fromBlock)).toEqual(['0x6', '0x7']);
    expect(fates()).toEqual({ landed: 120 });
    expect(sentAgain).toEqual([]);
    expect([sent.isAlive(chain, hashes[0]!), sent.hasLanded(chain, hashes[0]!)]).toEqual([true, true]);
  });

  it('are sent again to the next bundler each time, until the signature ends', async () => {
    const { chain, sentAgain, sent, follow, at, fates } = chainWith();
    follow(FIRST_HASH);
    for (const number of [13n, 14n, 16n]) await at(number);
    expect(sentAgain).toEqual([['first'], ['first', 'second']]);
    expect(sent.ofChains()[0]?.sentAgain).toEqual(new Map([['second', 1]]));
    expect(sent.takenBy(chain, FIRST_HASH)).toEqual({ name: 'second' });
    await at(19n, 1_301);
    expect([sent.isAlive(chain, FIRST_HASH), fates()]).toEqual([true, {}]);
    await at(22n, 1_316);
    expect([sent.isAlive(chain, FIRST_HASH), fates()]).toEqual([false, { expired: 1 }]);
    expect(sentAgain).toHaveLength(2);
  });

  it('that were sent least often are sent again first', async () => {
    const { sentAgain, follow, at } = chainWith();
    follow(FIRST_HASH);
    await at(13n);
    follow(SECOND_HASH, { sinceBlock: 13n });
    await at(16n);
    expect(sentAgain).toEqual([['first'], ['first'], ['first', 'second']]);
  });

  it('are not sent again while they offer less than the base fee', async () => {
    const { head, sentAgain, follow, at } = chainWith();
    follow(FIRST_HASH);
    head.baseFeePerGasWei = 101n;
    await at(13n);
    expect(sentAgain).toEqual([]);
    head.baseFeePerGasWei = 100n;
    await at(16n);
    expect(sentAgain).toHaveLength(1);
  });

  it('are not sent again while their validation fails', async () => {
    const { sentAgain, world, follow, at, fates, states } = chainWith();
    world.failsValidation = new BundlerRefusedError(-32_500, 'AA23 reverted', { aaCode: 'AA23' });
    follow(FIRST_HASH);
    await at(13n);
    expect([sentAgain, fates()]).toEqual([[], {}]);
    expect(states()).toEqual(['sent: first', 'waiting: first: AA23 reverted']);
    delete world.failsValidation;
    await at(16n);
    expect(sentAgain).toEqual([['first']]);
  });

  it('were replaced where bundlers refuse their nonce in two rounds, and landed where a block has them then', async () => {
    const { landed, world, follow, at, fates } = chainWith();
    world.refusal = new BundlerRefusedError(-32_500, 'AA25 invalid account nonce', { aaCode: 'AA25' });
    for (const hash of [FIRST_HASH, SECOND_HASH]) follow(hash);
    for (const number of [13n, 16n]) await at(number);
    expect(fates()).toEqual({});
    landed.add(SECOND_HASH);
    await at(19n);
    expect(fates()).toEqual({ replaced: 1, landed: 1 });
  });

  it('are not given up while the chain cannot be asked, until long after their end', async () => {
    const { landed, world, follow, at, fates, asked } = chainWith();
    for (const hash of [FIRST_HASH, SECOND_HASH])
      follow(hash, hash === SECOND_HASH ? { validUntilSeconds: 1_500 } : {});
    landed.add(SECOND_HASH);
    world.isDown = true;
    await at(20n, 1_420);
    expect(fates()).toEqual({});
    await at(30n, 1_421);
    expect(fates()).toEqual({ unknown: 1 });
    world.isDown = false;
    await at(5_000n, 1_422);
    expect(fates()).toEqual({ unknown: 1, landed: 1 });
    // Nodes refuse larger ranges.
    expect(asked.at(-1)?.fromBlock).toBe('0xbb8');
  });

  it('are followed an hour at most, and not before the chain was read', async () => {
    const { follow, at, fates } = chainWith();
    follow(FIRST_HASH, { validUntilSeconds: 2 ** 40 });
    follow(SECOND_HASH, { sinceBlock: undefined });
    expect(fates()).toEqual({ unfollowed: 1 });
    await at(13n, 1_000 + 3_600 + 16);
    expect(fates()).toEqual({ unfollowed: 1, expired: 1 });
  });

  it.each([
    ['operations', 2_500, 0],
    ['characters', 50, 250_000],
  ])('are followed up to a bound on %s, of which a paymaster gets a quarter', async (_what, count, bytes) => {
    const { landed, follow, at, fates } = chainWith();
    for (let index = 0; index <= count; index++) follow(hashOf(index), { bytes });
    follow(hashOf(0), { bytes });
    expect(fates()).toEqual({ unfollowed: 1 });
    for (const owner of ['b', 'c', 'd']) {
      for (let index = 0; index < count; index++)
        follow(hashOf(10_000 * owner.charCodeAt(0) + index), { owner, bytes });
    }
    expect(fates()).toEqual({ unfollowed: 1 });
    follow(hashOf(9_000_000), { owner: 'e', bytes: Math.max(1, bytes) });
    expect(fates()).toEqual({ unfollowed: 2 });
    landed.add(hashOf(0));
    await at(13n);
    follow(hashOf(9_000_000), { owner: 'e', bytes });
    expect(fates()).toEqual({ unfollowed: 2, landed: 1 });
  });
});

describe('what is told of an operation', () => {
  it('is each bundler that took it, that it waits and why, and that it landed', async () => {
    const { head, landed, states, told, follow, at } = chainWith();
    follow(FIRST_HASH);
    head.baseFeePerGasWei = 101n;
    for (const number of [13n, 16n]) await at(number);
    head.baseFeePerGasWei = 100n;
    for (const number of [19n, 22n, 25n]) await at(number);
    landed.add(FIRST_HASH);
    await at(28n);
    expect(states()).toEqual([
      'sent: first',
      "waiting: first: It offers less than the chain's base fee.",
      ...['sent: second', 'waiting: second', 'landed: second'],
    ]);
    expect(told.map(({ bundlers, operation }) => [bundlers.join(), operation !== undefined])).toEqual([
      ...[
        ['first', true],
        ['first', false],
      ],
      ...[
        ['first,second', true],
        ['first,second', false],
        ['first,second', false],
      ],
    ]);
    expect(told[0]).toMatchObject({ chainId: 1, userOpHash: FIRST_HASH, paymasterId: 'a', sinceBlock: 10n });
  });

  it('is which bundler refused it, and why it was given up', async () => {
    const { world, states, follow, at } = chainWith();
    world.refusal = new BundlerRefusedError(-32_500, 'AA25 invalid account nonce', { aaCode: 'AA25' });
    follow(FIRST_HASH);
    for (const number of [13n, 16n, 19n]) await at(number);
    delete world.refusal;
    follow(SECOND_HASH, { sinceBlock: 19n });
    await at(22n, 1_316);
    expect(states()).toEqual([
      'sent: first',
      'bundlerRefused: second: AA25 invalid account nonce',
      'dropped: first: The nonce is used: another operation of the account took its place.',
      'sent: first',
      "dropped: first: The paymaster's signature ended before a block had the operation.",
    ]);
  });

  it('is a refusal of the first bundler, once in ten seconds, and not of what a bundler has', () => {
    const { chain, states, sent, follow } = chainWith();
    const refuse = (userOpHash: Hex) =>
      sent.refused(
        chain,
        {
          ...{ sending: { userOpHash, complete: { operation: {} } } as unknown as Sending, paymasterId: 'a' },
          ...{ fundingWallet: `0x${'77'.repeat(20)}`, validUntilSeconds: 1_300 },
        },
        { name: 'first' } as BundlerEndpoint,
        new BundlerRefusedError(-32_500, 'AA21', {}),
      );
    follow(FIRST_HASH);
    for (const hash of [FIRST_HASH, SECOND_HASH, SECOND_HASH]) refuse(hash);
    expect(states()).toEqual(['sent: first', 'bundlerRefused: first: AA21']);
  });

  it('is bounded, except for its end', async () => {
    const { world, states, follow, at } = chainWith();
    follow(FIRST_HASH, { validUntilSeconds: 1_300 });
    for (let round = 1n; round <= 30n; round++) {
      world.refusal = new BundlerRefusedError(-32_500, `AA23 ${round}`, {});
      await at(10n + 3n * round, 1_000);
      if (round % 2n === 0n) delete world.refusal;
    }
    await at(200n, 1_316);
    expect(states().length).toBeLessThanOrEqual(21);
    expect(states().at(-1)).toMatch(/^dropped/);
  });
});

describe('an operation that another process has left behind', () => {
  const wallet: Address = `0x${'77'.repeat(20)}`;
  const sponsorFields = {
    ...{ validUntilSeconds: 1_300, validAfterSeconds: 1, fundingWallet: wallet },
    ...{ feeMarkupMillionths: 1_000_000n, unaccountedGas: 50_000n },
  };
  const sending = {
    complete: {
      operation: { entryPointVersion: '0.7', sender: wallet, nonce: 2n ** 255n, maxFeePerGas: 100n, callData: '0x12' },
      paymaster: {
        ...{ paymaster: PAYMASTER, paymasterVerificationGasLimit: 1n, paymasterPostOpGasLimit: 2n },
        paymasterData: encodeSponsorData(sponsorFields, `0x${'11'.repeat(65)}`),
      },
    },
    ...{ entryPoint: ENTRY_POINT, version: '0.7', userOpHash: FIRST_HASH, isSponsored: true },
  } as unknown as Sending;
  const leftOne = (changes: Partial<SentOperation> = {}): SentOperation => ({
    ...{ chainId: 1, userOpHash: FIRST_HASH, paymasterId: 'a', bundlers: ['first'], sinceBlock: 10n },
    ...{ validUntilSeconds: 1_300, operation: toText(sending), ...changes },
  });

  it('is sent to a bundler that does not have it yet, and its end is told', async () => {
    const { chain, left, sent, sentAgain, told, states, landed, at } = chainWith();
    left.push(leftOne());
    await sent.takeOver();
    expect(sent.takenBy(chain, FIRST_HASH)?.name).toBe('first');
    await at(12n);
    expect(sentAgain).toEqual([]);
    await at(13n);
    expect(sentAgain).toEqual([['first']]);
    landed.add(FIRST_HASH);
    await at(16n);
    expect(states()).toEqual(['sent: second', 'landed: second']);
    const { sender, nonce } = sending.complete.operation;
    expect(told[0]).toMatchObject({ contract: PAYMASTER, wallet, sender, nonce, operation: toText(sending) });
  });

  it('is sent to any bundler when the operator has removed the one that took it', async () => {
    const { chain, left, sent, sentAgain, states, at } = chainWith();
    left.push(leftOne({ bundlers: ['removed'] }));
    await sent.takeOver();
    expect([sent.isAlive(chain, FIRST_HASH), sent.takenBy(chain, FIRST_HASH)]).toEqual([true, undefined]);
    await at(20n, 1_316);
    expect(sentAgain).toEqual([]);
    expect(states()).toEqual(["dropped: removed: The paymaster's signature ended before a block had the operation."]);
  });

  it.each<[string, Partial<SentOperation>]>([
    ['is of another version', { operation: '{}' }],
    ['is no JSON', { operation: 'x' }],
    ['is of an EntryPoint that is not served', { operation: toText({ ...sending, entryPoint: wallet }) }],
  ])('is not followed when its text %s', async (_what, changes) => {
    const { chain, left, sent, fates } = chainWith();
    left.push(leftOne(changes), leftOne({ userOpHash: SECOND_HASH }));
    await sent.takeOver();
    expect([sent.isAlive(chain, FIRST_HASH), sent.isAlive(chain, SECOND_HASH)]).toEqual([false, true]);
    expect(fates()).toEqual({ unfollowed: 1 });
  });

  it('is known to be followed, without many questions to the ledger', async () => {
    const { chain, sent, lookUps } = chainWith();
    const asked = await Promise.all(Array.from({ length: 20 }, (_, index) => sent.elsewhere(chain, hashOf(index))));
    expect(asked.filter((found) => found === 'followed')).toHaveLength(16);
    expect(await sent.elsewhere(chain, hashOf(0))).toBe('followed');
    expect(lookUps).toHaveLength(16);
  });
});
