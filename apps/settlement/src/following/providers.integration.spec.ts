import { lies, type Mutators } from '@paymaster/chain/testing';
import { CONFIRM_AFTER_SECONDS, ProvidersWorld } from '../testing/providers-world';

const FINALITY_DEPTH = 4;

const world = ProvidersWorld.forThisFile({ finalityDepth: FINALITY_DEPTH });

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
    const { catchUp, told } = world.following();
    await world.books.makeFinal();
    await catchUp();
    world.passSeconds(CONFIRM_AFTER_SECONDS);
    world.proxies[0]?.lie(mutators);
    const operations = [await world.books.granted(), await world.books.granted({ version: '0.6' })];
    for (const operation of operations) await world.books.land(operation);
    await world.books.makeFinal();
    await catchUp();
    for (const { reservationId } of operations)
      expect((await world.books.reservation(reservationId)).state).toBe('settled');
    expect(told).toEqual([]);
    expect(await world.books.differences()).toEqual([]);
  });
});

describe('two providers of three', () => {
  it('that are down stop the books, which go on when one is back', async () => {
    const { follower, catchUp } = world.following();
    await world.books.makeFinal();
    await catchUp();
    world.passSeconds(CONFIRM_AFTER_SECONDS);
    const operation = await world.books.granted();
    await world.books.land(operation);
    world.proxies[0]?.lie(lies.misbehaves('reset'));
    world.proxies[1]?.lie(lies.misbehaves('http429'));
    await expect(follower.step()).rejects.toMatchObject({ reason: 'DEPENDENCY_UNAVAILABLE' });
    expect((await world.books.reservation(operation.reservationId)).state).toBe('open');
    for (const proxy of world.proxies) proxy.beHonest();
    await world.books.makeFinal();
    await catchUp();
    expect((await world.books.reservation(operation.reservationId)).state).toBe('settled');
  });
});
