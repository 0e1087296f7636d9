import { fakeClock } from '@paymaster/chain/testing';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import type { KnownAccountFactory } from '@paymaster/policy';
import { NO_DEADLINE } from '@paymaster/turns';
import { keccak256 } from 'viem';
import { PublishedFactories } from './published-factories';

const PUBLISHED = randomHex(200);
const IMPLEMENTATION = randomAddress();
const SLOT: Hex = `0x${'00'.repeat(32)}`;
const factory: KnownAccountFactory = {
  name: 'a factory',
  address: randomAddress(),
  onChain: { codeHash: keccak256(PUBLISHED), pointer: { slot: SLOT, address: IMPLEMENTATION } },
};
const word = (address: Address): Hex => `0x${address.slice(2).padStart(64, '0')}`;

/** A chain whose answers the test sets, and which counts the questions. */
function factoriesOn({ codeHashes = [] }: { codeHashes?: Hex[] } = {}) {
  const chain = { code: PUBLISHED, pointer: word(IMPLEMENTATION), asked: 0, fails: false };
  const answer = async (what: 'code' | 'pointer') => {
    chain.asked += 1;
    if (chain.fails) throw new Error('no node answers');
    return chain[what];
  };
  const time = fakeClock();
  const factories = new PublishedFactories(
    { code: () => answer('code'), storageAt: () => answer('pointer') },
    { codeHashes: new Set(codeHashes), clock: time.clock },
  );
  const isPublished = (of = factory) => factories.isPublished(of, NO_DEADLINE);
  return { chain, time, isPublished };
}

describe('PublishedFactories', () => {
  it('knows the published code, with the published implementation in its storage', async () => {
    const { isPublished } = factoriesOn();
    await expect(isPublished()).resolves.toBe(true);
  });

  it.each<[string, Partial<{ code: Hex; pointer: Hex }>]>([
    ['no code', { code: '0x' }],
    ['other code', { code: randomHex(200) }],
    ['a byte more', { code: `${PUBLISHED}00` }],
    ['another implementation', { pointer: word(randomAddress()) }],
    ['no implementation', { pointer: SLOT }],
    ['more than an address', { pointer: `0x01${word(IMPLEMENTATION).slice(4)}` }],
  ])('does not know a factory with %s', async (_what, change) => {
    const { chain, isPublished } = factoriesOn();
    Object.assign(chain, change);
    await expect(isPublished()).resolves.toBe(false);
  });

  it.each<[string, Partial<{ code: Hex; pointer: Hex }>]>([
    ['code is replaced', { code: randomHex(200) }],
    ['owner switches the implementation', { pointer: word(randomAddress()) }],
  ])('no longer knows a factory a minute after its %s', async (_what, change) => {
    const { chain, time, isPublished } = factoriesOn();
    await isPublished();
    Object.assign(chain, change);
    time.advanceSeconds(29.9);
    await expect(isPublished()).resolves.toBe(true);
    expect(chain.asked).toBe(2);
    time.advanceSeconds(30.2);
    await expect(isPublished()).resolves.toBe(false);
  });

  it('asks again in the background, so that nobody waits while there are requests', async () => {
    const { chain, time, isPublished } = factoriesOn();
    await isPublished();
    chain.code = randomHex(200);
    time.advanceSeconds(31);
    await expect(isPublished()).resolves.toBe(true);
    await new Promise(setImmediate);
    await expect(isPublished()).resolves.toBe(false);
    expect(chain.asked).toBe(3);
  });

  it('asks once for all who want to know at the same time', async () => {
    const { chain, isPublished } = factoriesOn();
    await expect(Promise.all(Array.from({ length: 20 }, () => isPublished()))).resolves.not.toContain(false);
    expect(chain.asked).toBe(2);
  });

  it('says nothing that is older than a minute when the chain can not be read', async () => {
    const { chain, time, isPublished } = factoriesOn();
    await isPublished();
    chain.fails = true;
    time.advanceSeconds(59);
    await expect(isPublished()).resolves.toBe(true);
    time.advanceSeconds(2);
    await expect(isPublished()).rejects.toThrow('no node answers');
    chain.fails = false;
    await expect(isPublished()).resolves.toBe(true);
  });

  it("takes code for which the operator vouches, and doesn't read the slot of the published code then", async () => {
    const own = randomHex(200);
    const { chain, isPublished } = factoriesOn({ codeHashes: [keccak256(own)] });
    Object.assign(chain, { code: own, pointer: SLOT });
    await expect(isPublished()).resolves.toBe(true);
    expect(chain.asked).toBe(1);
  });
});
