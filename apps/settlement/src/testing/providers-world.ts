import { fakeClock, lyingProxy, type LyingProxy } from '@paymaster/chain/testing';
import { until } from '@paymaster/domain/testing';
import { SettlementWorld, type BooksUnderTest } from './settlement-world';

/** After this time the logs of a quiet stretch are read a second time, before it can be final. */
export const CONFIRM_AFTER_SECONDS = 15;

/** A chain behind three providers that can lie, and new books for each test. */
export class ProvidersWorld {
  books!: BooksUnderTest;
  proxies: readonly LyingProxy[] = [];
  private settlement!: SettlementWorld;
  private readonly clock = fakeClock();

  /**
   * Makes the world before the tests of the calling file, and ends it after them. Providers are honest when a test
   * begins.
   */
  static forThisFile({ finalityDepth }: { finalityDepth: number }): ProvidersWorld {
    const world = new ProvidersWorld();
    beforeAll(async () => {
      world.settlement = await SettlementWorld.start();
      world.proxies = await Promise.all([1, 2, 3].map(() => lyingProxy(world.chain.url)));
    });
    afterAll(async () => {
      for (const proxy of world.proxies) await proxy.stop();
      await world.settlement.stop();
    });
    beforeEach(async () => {
      world.books = await world.settlement.books(finalityDepth);
    });
    afterEach(async () => {
      for (const proxy of world.proxies) proxy.beHonest();
      await world.books.drop();
    });
    return world;
  }

  get chain(): SettlementWorld['chain'] {
    return this.settlement.chain;
  }

  /** Lets the time pass for which quiet stretches wait for their second read. Otherwise this clock stands still. */
  passSeconds(seconds: number): void {
    this.clock.advanceSeconds(seconds);
  }

  /**
   * A follower that reads through some of the providers. It repeats a step, as the service does, when not enough of
   * them answered.
   */
  following(through: readonly LyingProxy[] = this.proxies, options: { windowBlocks?: number; stillMs?: number } = {}) {
    const urls = through.map(({ url }) => url);
    const source = this.books.source(urls, this.clock.clock);
    const under = this.books.follower({ ...options, source });
    const catchUp = () => until(() => under.catchUp().then(() => true, () => false)); // prettier-ignore
    return { ...under, catchUp, catchUpOnce: under.catchUp };
  }
}
