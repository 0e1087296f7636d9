import { lies, lyingProxy, type LyingProxy, type Mutators } from '@paymaster/chain/testing';
import { until } from '../testing/until';
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

function throughProxies() {
  const under = books.follower({ source: books.source(proxies.map(({ url }) => url)) });
  // As the service does: a look at which too few providers answered in time is followed by another one.
  const catchUp = () => until(() => under.catchUp().then(() => true, () => false)); // prettier-ignore
  return { ...under, catchUp };
}

describe('one provider of three', () => {
  it.each<[string, Mutators]>([
    ['drops logs', lies.droppedLogs(() => true)],
    ['says every log twice', lies.duplicatedLogs()],
    ['changes amounts', lies.alteredAmounts(1n)],
    ['lags behind', lies.staleHead(20)],
    ['lets its head go backwards', lies.backwardsHeads(3)],
    ['serves another chain', lies.wrongChainId(5)],
    ['answers nothing', lies.misbehaves('hang')],
  ])('that %s changes nothing in the books', async (_title, mutators) => {
    const { catchUp, told } = throughProxies();
    await books.makeFinal();
    await catchUp();
    proxies[0]?.lie(mutators);
    const operations = [await books.granted(), await books.granted({ version: '0.6' })];
    for (const operation of operations) await books.land(operation);
    await books.makeFinal();
    await catchUp();
    for (const { reservationId } of operations) expect((await books.reservation(reservationId)).state).toBe('settled');
    expect(told).toEqual([]);
    expect(await books.differences()).toEqual([]);
  });
});

describe('two providers of three', () => {
  it('that are down stop the books, which go on when one is back', async () => {
    const { follower, catchUp } = throughProxies();
    await books.makeFinal();
    await catchUp();
    const operation = await books.granted();
    await books.land(operation);
    proxies[0]?.lie(lies.misbehaves('reset'));
    proxies[1]?.lie(lies.misbehaves('http429'));
    await expect(follower.step()).rejects.toMatchObject({ reason: 'DEPENDENCY_UNAVAILABLE' });
    expect((await books.reservation(operation.reservationId)).state).toBe('open');
    for (const proxy of proxies) proxy.beHonest();
    await books.makeFinal();
    await catchUp();
    expect((await books.reservation(operation.reservationId)).state).toBe('settled');
  });
});
