import { lies, type Mutators } from '@paymaster/chain/testing';
import { CONFIRM_AFTER_SECONDS, ProvidersWorld } from '../testing/providers-world';

/** Deeper than the deepest reorganisation here. */
const FINALITY_DEPTH = 16;
const GWEI = 10n ** 9n;

const world = ProvidersWorld.forThisFile({ finalityDepth: FINALITY_DEPTH });

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
    const proxy = world.proxies[0]!;
    const { catchUp, told } = world.following([proxy]);
    await world.books.makeFinal();
    await catchUp();
    proxy.lie(mutators);
    const operations = [await world.books.granted(), await world.books.granted({ version: '0.6' })];
    for (const operation of operations) await world.books.land(operation);
    await world.chain.callPaymaster('0.7', 'depositFor', [world.chain.world.wallet], 1_000n);
    await world.books.makeFinal();
    await catchUp();
    for (const { reservationId } of operations)
      expect((await world.books.reservation(reservationId)).state).toBe('settled');
    expect(told).toEqual([]);
    expect(await world.books.heldAmounts()).toEqual({ wallets: 0n, budgets: 0n });
    expect(await world.books.differences()).toEqual([]);
  });

  it.each<[string, Mutators]>([
    ['lags 12 blocks behind', lies.staleHead(12)],
    ['lets its head go up and down by 12 blocks', lies.backwardsHeads(12)],
  ])(
    'that %s undoes nothing, and leaves books that equal the chain once it has caught up',
    async (_title, mutators) => {
      const proxy = world.proxies[0]!;
      const { follower, catchUp, told } = world.following([proxy]);
      await world.books.makeFinal();
      await catchUp();
      const operation = await world.books.granted();
      await world.books.land(operation);
      proxy.lie(mutators);
      for (let look = 0; look < 15; look++) {
        await world.chain.mine(1);
        // Between two questions the head may have fallen below the block that the first answer named. Then nothing is
        // applied.
        await follower.step().catch(() => undefined);
      }
      proxy.beHonest();
      await world.books.makeFinal();
      await catchUp();
      expect((await world.books.reservation(operation.reservationId)).state).toBe('settled');
      expect(told).toEqual([]);
      expect(await world.books.differences()).toEqual([]);
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
    const { catchUp, told } = world.following();
    await world.books.makeFinal();
    await catchUp();
    world.passSeconds(CONFIRM_AFTER_SECONDS);
    world.proxies[0]!.lie(mutators);
    const moved = await world.books.granted();
    const before = await world.chain.rpc('evm_snapshot');
    await world.books.land(moved);
    await world.chain.mine(11);
    await catchUp();
    const cheap = await world.books.reservation(moved.reservationId);
    expect(cheap.state).toBe('landed');

    await world.chain.rpc('evm_revert', before);
    await world.chain.rpc('evm_increaseTime', 3);
    await world.chain.rpc('anvil_setNextBlockBaseFeePerGas', `0x${(9n * GWEI).toString(16)}`);
    await world.books.land(moved);
    await world.chain.mine(12);
    await world.books.makeFinal();
    await catchUp();
    expect(told).toEqual(['reorganized: 12']);
    const dear = await world.books.reservation(moved.reservationId);
    expect(dear.state).toBe('settled');
    expect(dear.chargedWei).toBeGreaterThan(cheap.chargedWei!);
    expect(await world.books.heldAmounts()).toEqual({ wallets: 0n, budgets: 0n });
    expect(await world.books.differences()).toEqual([]);
  });
});
