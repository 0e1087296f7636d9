import { lies, lyingProxy, type LyingProxy } from '@paymaster/chain/testing';
import { SettlementWorld, type BooksUnderTest } from '../testing/settlement-world';

const FINALITY_DEPTH = 4;

let world: SettlementWorld;
let books: BooksUnderTest;
let proxies: LyingProxy[];

beforeAll(async () => {
  world = await SettlementWorld.start();
  proxies = await Promise.all([1, 2, 3].map(() => lyingProxy(world.chain.url)));
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
  await world.stop();
});
beforeEach(async () => {
  books = await world.books(FINALITY_DEPTH);
});
afterEach(async () => {
  for (const proxy of proxies) proxy.beHonest();
  await books.drop();
});

const throughProxies = () => books.follower({ source: books.source(proxies.map(({ url }) => url)) });
const checkedSecondsAgo = async () => (await books.ledger.cursor(31337))?.checkedSecondsAgo;

describe('a chain that mines no block', () => {
  it('is looked at, and the ledger says so', async () => {
    const { catchUp } = throughProxies();
    await world.chain.mine(3);
    expect((await catchUp()).isUpToDate).toBe(true);
    expect(await checkedSecondsAgo()).toBeLessThan(60);
  });

  it('is not taken to stand still while one provider alone knows a newer block', async () => {
    const { catchUp } = throughProxies();
    for (const proxy of proxies.slice(0, 2)) proxy.lie(lies.staleHead(3));
    await world.chain.mine(8);
    const { isUpToDate, cursor, nodeHead } = await catchUp();
    expect(cursor?.head).toMatchObject({ number: nodeHead!.number, hash: nodeHead!.hash });
    expect(nodeHead!.number).toBe(BigInt((await world.chain.rpc('eth_blockNumber')) as string) - 3n);
    expect(isUpToDate).toBe(false);
    expect(await checkedSecondsAgo()).toBeUndefined();
  });

  it('is not said to be looked at by who falls behind it', async () => {
    const { follower } = books.follower();
    // More than one step's range.
    await world.chain.mine(60);
    expect(await follower.step()).toMatchObject({ isUpToDate: false, hasMore: true });
    expect(await checkedSecondsAgo()).toBeUndefined();
  });
});
