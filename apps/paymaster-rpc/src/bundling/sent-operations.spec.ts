import type { BundlerEndpoint, Sending } from '@paymaster/chain';
import { BundlerRefusedError, type Hex } from '@paymaster/domain';
import { id } from 'ethers';
import type { ServedChain } from '../chains/served-chain';
import { SentOperations } from './sent-operations';

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
  const chain = {
    config: { chainId: 1, resendAfterBlocks: 3, blockTimeSeconds: 1_000, entryPoints: {} },
    head: { latest: () => head, nowSeconds: () => head.timestampSeconds },
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
      sendAgain: async (_sending: Sending, takenBy: readonly BundlerEndpoint[]) => {
        sentAgain.push(takenBy.map(({ name }) => name));
        if (world.refusal) throw world.refusal;
        return takenBy.length > 1 ? undefined : { bundler: { name: 'second' } };
      },
    },
  } as unknown as ServedChain;
  const sent = new SentOperations();
  const follow = (
    userOpHash: Hex,
    { owner = 'a', bytes = 0, ...changes }: { owner?: string; bytes?: number; [name: string]: unknown } = {},
  ) => {
    const operation = { callData: '0'.repeat(bytes), initCode: '', maxFeePerGas: 100n };
    sent.follow(chain, {
      sending: { userOpHash, complete: { operation, paymaster: undefined } } as unknown as Sending,
      ...{
        paymasterId: owner,
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
  return { chain, head, landed, sentAgain, asked, world, sent, follow, at, fates };
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
    const { sentAgain, world, follow, at, fates } = chainWith();
    world.failsValidation = new BundlerRefusedError(-32_500, 'AA23 reverted', { aaCode: 'AA23' });
    follow(FIRST_HASH);
    await at(13n);
    expect([sentAgain, fates()]).toEqual([[], {}]);
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
