import { lyingProxy, type LyingProxy } from '@paymaster/chain/testing';
import { SettlementWorld, type BooksUnderTest } from './settlement-world';
import { until } from './until';

/** A chain behind three providers that can lie, and new books for each test. */
export class ProvidersWorld {
  books!: BooksUnderTest;
  proxies: readonly LyingProxy[] = [];
  private settlement!: SettlementWorld;
  private passedMs = 0;

  /** Made before the tests of the file that calls it, and ended after them. Providers are honest when a test begins. */
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

  /** Lets time pass for all followers, with what they wait for. */
  passSeconds(seconds: number): void {
    this.passedMs += seconds * 1_000;
  }

  /** A follower through some of the providers. It looks again, as the service does, when they did not answer well enough. */
  following(through: readonly LyingProxy[] = this.proxies, options: { windowBlocks?: number } = {}) {
    const clock = () => performance.now() + this.passedMs;
    const source = this.books.source(through.map(({ url }) => url), clock); // prettier-ignore
    const under = this.books.follower({ ...options, source });
    const catchUp = () => until(() => under.catchUp().then(() => true, () => false)); // prettier-ignore
    return { ...under, catchUp, catchUpOnce: under.catchUp };
  }
}
