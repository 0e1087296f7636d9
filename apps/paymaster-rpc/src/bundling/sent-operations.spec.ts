import type { BundlerEndpoint, Sending } from '@paymaster/chain';
import type { Hex } from '@paymaster/domain';
import { id } from 'ethers';
import type { ServedChain } from '../chains/served-chain';
import { SentOperations } from './sent-operations';

const EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
const hash = (byte: string): Hex => `0x${byte.repeat(32)}`;
const sendingOf = (userOpHash: Hex) =>
  ({ userOpHash, complete: { operation: { callData: '0x', signature: '0x' } } }) as unknown as Sending;

/** A chain whose next blocks have what the test says; operations are sent again after three blocks. */
function chainWith() {
  const head = { number: 10n, timestampSeconds: 1_000 };
  const landed = new Set<Hex>();
  const sentAgain: (readonly string[])[] = [];
  const asked: { fromBlock: Hex; topics: [string, Hex[]] }[] = [];
  let isDown = false;
  const chain = {
    config: { chainId: 1, resendAfterBlocks: 3, entryPoints: {} },
    head: { latest: () => head },
    reads: {
      ask: async (
        _method: string,
        [filter]: [{ fromBlock: Hex; topics: [string, Hex[]] }],
        parse: (v: unknown) => unknown,
      ) => {
        if (isDown) throw new Error('down');
        asked.push(filter);
        const found = filter.topics[1].filter((each) => landed.has(each));
        return parse(found.map((each) => ({ topics: [EVENT, each], data: '0x', address: '0x' })));
      },
    },
    bundlers: {
      sendAgain: async (_sending: Sending, takenBy: readonly BundlerEndpoint[]) => {
        sentAgain.push(takenBy.map(({ name }) => name));
        return takenBy.length > 1 ? undefined : { bundler: { name: 'second' } };
      },
    },
  } as unknown as ServedChain;
  return { chain, head, landed, sentAgain, asked, goDown: (down: boolean) => (isDown = down) };
}
const takenBy = { name: 'first' } as BundlerEndpoint;

describe('operations that a bundler took', () => {
  const fatesOf = (sent: SentOperations) => sent.ofChains()[0]?.fates;

  it('are looked for after some blocks, by one question, and ended when they are in a block', async () => {
    const { chain, head, landed, sentAgain, asked } = chainWith();
    const sent = new SentOperations();
    for (const byte of ['a1', 'a2']) {
      sent.follow(chain, { sending: sendingOf(hash(byte)), validUntilSeconds: 1_300, takenBy });
      landed.add(hash(byte));
    }
    head.number = 12n;
    await sent.look();
    expect(asked).toEqual([]);
    head.number = 13n;
    await sent.look();
    expect(asked).toEqual([expect.objectContaining({ fromBlock: '0xa', topics: [EVENT, [hash('a1'), hash('a2')]] })]);
    expect(fatesOf(sent)).toEqual({ landed: 2, expired: 0, unfollowed: 0 });
    expect(sent.mayLand(chain, hash('a1'))).toBe(false);
    expect(sentAgain).toEqual([]);
  });

  it('are sent again to the next bundler each time, until the signature ends', async () => {
    const { chain, head, sentAgain } = chainWith();
    const sent = new SentOperations();
    sent.follow(chain, { sending: sendingOf(hash('a1')), validUntilSeconds: 1_300, takenBy });
    for (const number of [13n, 14n, 16n]) {
      head.number = number;
      await sent.look();
    }
    expect(sentAgain).toEqual([['first'], ['first', 'second']]);
    expect(sent.ofChains()[0]?.sentAgain).toEqual(new Map([['second', 1]]));
    expect(sent.mayLand(chain, hash('a1'))).toBe(true);
    Object.assign(head, { number: 19n, timestampSeconds: 1_301 });
    await sent.look();
    expect(fatesOf(sent)).toEqual({ landed: 0, expired: 1, unfollowed: 0 });
    expect(sentAgain).toHaveLength(2);
  });

  it('are not given up while the chain cannot be asked', async () => {
    const { chain, head, landed, sentAgain, goDown } = chainWith();
    const sent = new SentOperations();
    sent.follow(chain, { sending: sendingOf(hash('a1')), validUntilSeconds: 1_300, takenBy });
    landed.add(hash('a1'));
    Object.assign(head, { number: 20n, timestampSeconds: 2_000 });
    goDown(true);
    await sent.look();
    expect([fatesOf(sent), sentAgain]).toEqual([{ landed: 0, expired: 0, unfollowed: 0 }, []]);
    goDown(false);
    await sent.look();
    expect(fatesOf(sent)).toMatchObject({ landed: 1 });
  });

  it('are followed once, and at most ten thousand at a time', () => {
    const { chain } = chainWith();
    const sent = new SentOperations();
    const follow = (at: number) =>
      sent.follow(chain, {
        ...{ sending: sendingOf(`0x${at.toString(16).padStart(64, '0')}`), validUntilSeconds: 1_300, takenBy },
      });
    for (let at = 0; at < 10_000; at++) follow(at);
    follow(0);
    expect(fatesOf(sent)).toMatchObject({ unfollowed: 0 });
    follow(10_000);
    expect(fatesOf(sent)).toMatchObject({ unfollowed: 1 });
    expect(sent.ofChains()[0]?.waiting.size).toBe(10_000);
  });
});
