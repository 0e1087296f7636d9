import { lies, lyingProxy, type LyingProxy, type Mutators } from '@paymaster/chain/testing';
import { until } from '../testing/until';
import { SettlementWorld, type BooksUnderTest } from '../testing/settlement-world';

/** Deeper than the deepest reorganisation here. */
const FINALITY_DEPTH = 16;
const GWEI = 10n ** 9n;

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

/** A follower that looks again, as the service does, when providers did not answer well enough. */
function following(through: readonly LyingProxy[]) {
  const under = books.follower({ source: books.source(through.map(({ url }) => url)) });
  const catchUp = () => until(() => under.catchUp().then(() => true, () => false)); // prettier-ignore
  return { ...under, catchUp };
}

const everySecond = () => {
  let seen = 0;
  return () => seen++ % 2 === 0;
};

describe('the only provider of a chain', () => {
  it.each<[string, Mutators]>([
    ['drops all logs from its index', lies.droppedLogs(() => true)],
    ['drops every second log', lies.droppedLogs(everySecond())],
    ['says every log twice', lies.duplicatedLogs()],
  ])('that %s leaves books that equal the chain', async (_title, mutators) => {
    const [proxy] = proxies as [LyingProxy];
    const { catchUp, told } = following([proxy]);
    await books.makeFinal();
    await catchUp();
    proxy.lie(mutators);
    const operations = [await books.granted(), await books.granted({ version: '0.6' })];
    for (const operation of operations) await books.land(operation);
    await world.chain.callPaymaster('0.7', 'depositFor', [world.chain.world.wallet], 1_000n);
    await books.makeFinal();
    await catchUp();
    for (const { reservationId } of operations) expect((await books.reservation(reservationId)).state).toBe('settled');
    expect(told).toEqual([]);
    expect(await books.heldAmounts()).toEqual({ wallets: 0n, budgets: 0n });
    expect(await books.differences()).toEqual([]);
  });

  it.each<[string, Mutators]>([
    ['lags 12 blocks behind', lies.staleHead(12)],
    ['lets its head go up and down by 12 blocks', lies.backwardsHeads(12)],
  ])(
    'that %s undoes nothing, and leaves books that equal the chain once it has caught up',
    async (_title, mutators) => {
      const [proxy] = proxies as [LyingProxy];
      const { follower, catchUp, told } = following([proxy]);
      await books.makeFinal();
      await catchUp();
      const operation = await books.granted();
      await books.land(operation);
      proxy.lie(mutators);
      for (let look = 0; look < 15; look++) {
        await world.chain.mine(1);
        // Between two questions the head may have gone below what the first one named: then nothing is applied.
        await follower.step().catch(() => undefined);
      }
      proxy.beHonest();
      await books.makeFinal();
      await catchUp();
      expect((await books.reservation(operation.reservationId)).state).toBe('settled');
      expect(told).toEqual([]);
      expect(await books.differences()).toEqual([]);
    },
  );
});

describe('a reorganisation of depth 12 at a higher base fee', () => {
  it.each<[string, Mutators]>([
    ['drops logs', lies.droppedLogs(() => true)],
    ['says every log twice', lies.duplicatedLogs()],
    ['changes amounts', lies.alteredAmounts(1n)],
    ['lags behind', lies.staleHead(20)],
  ])('leaves books that equal the chain while one provider of three %s', async (_title, mutators) => {
    const { catchUp, told } = following(proxies);
    await books.makeFinal();
    await catchUp();
    proxies[0]!.lie(mutators);
    const moved = await books.granted();
    const before = await world.chain.rpc('evm_snapshot');
    await books.land(moved);
    await world.chain.mine(11);
    await catchUp();
    const cheap = await books.reservation(moved.reservationId);
    expect(cheap.state).toBe('landed');

    await world.chain.rpc('evm_revert', before);
    await world.chain.rpc('evm_increaseTime', 3);
    await world.chain.rpc('anvil_setNextBlockBaseFeePerGas', `0x${(9n * GWEI).toString(16)}`);
    await books.land(moved);
    await world.chain.mine(12);
    await books.makeFinal();
    await catchUp();
    expect(told).toEqual(['reorganized: 12']);
    const dear = await books.reservation(moved.reservationId);
    expect(dear.state).toBe('settled');
    expect(dear.chargedWei).toBeGreaterThan(cheap.chargedWei!);
    expect(await books.heldAmounts()).toEqual({ wallets: 0n, budgets: 0n });
    expect(await books.differences()).toEqual([]);
  });
});
