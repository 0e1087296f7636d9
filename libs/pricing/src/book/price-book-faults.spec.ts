import type { PriceFault } from '../sources/price-unavailable.error';
import { distrust, outage, type PriceProblem } from '../sources/price-source';
import { apiReference } from '../testing';
import { bookOf, dai, DAI_RATE, ether, listed, usdc, USDC_RATE } from '../testing/price-book.fixture';

describe('PriceBook, faults', () => {
  it.each<PriceFault>(['STALE', 'NOT_POSITIVE', 'SOURCES_DISAGREE', 'TOO_FEW_SOURCES', 'WRONG_DECIMALS'])(
    'stops a token at once when its price is %s, and leaves the others',
    async (fault) => {
      const { source, next } = bookOf();
      await next();
      source.set(usdc.price, distrust(fault, 'because'));
      expect(await next()).toEqual([fault, DAI_RATE]);
      source.set(usdc.price, '1');
      expect(await next()).toEqual([USDC_RATE, DAI_RATE]);
    },
  );

  it('stops every token when the native coin has no price', async () => {
    const { source, next } = bookOf();
    await next();
    source.set(ether, distrust('SOURCES_DISAGREE', 'because'));
    expect(await next()).toEqual(['SOURCES_DISAGREE', 'SOURCES_DISAGREE']);
  });

  it.each(['0', '-1'])('does not accept %s as a price, from any source', async (price) => {
    const { source, next } = bookOf();
    source.set(usdc.price, price);
    expect(await next()).toEqual(['NOT_POSITIVE', DAI_RATE]);
  });

  it('stops a jump of ten times at once, and believes it at the third reading', async () => {
    const { source, next } = bookOf();
    await next();
    source.set(usdc.price, '10');
    expect(await next()).toEqual(['JUMPED', DAI_RATE]);
    expect(await next()).toEqual(['JUMPED', DAI_RATE]);
    expect(await next()).toEqual([USDC_RATE / 10n, DAI_RATE]);
  });

  it('stops a rate that does not fit the contract', async () => {
    const wide = listed(dai.price, 36);
    const { source, next, faults } = bookOf({ tokens: [usdc, wide] });
    source.set(dai.price, '1e-9').set(ether, '1e15');
    expect(await next([usdc, wide])).toEqual([10n ** 21n, 'RATE_OUT_OF_RANGE']);
    expect(faults).toMatchObject([{ subject: wide.symbol, fault: 'RATE_OUT_OF_RANGE' }]);
  });

  it.each([10n ** 54n + 1n, 10n ** 18n - 1n])('refuses a price that is not plausible: %d', async (usdE36) => {
    const { source, next, faults } = bookOf();
    source.set(usdc.price, { usdE36, ageSeconds: 0, validForSeconds: Infinity });
    expect(await next()).toEqual(['RATE_OUT_OF_RANGE', DAI_RATE]);
    expect(faults).toMatchObject([{ subject: usdc.symbol, fault: 'RATE_OUT_OF_RANGE' }]);
  });

  it('survives a source that throws', async () => {
    const { source, next } = bookOf();
    source.read = () => Promise.reject(new Error('a bug'));
    expect(await next()).toEqual(['SOURCE_FAILED', 'SOURCE_FAILED']);
  });

  it('reports a fault once, and again when it comes back', async () => {
    const { source, next, faults } = bookOf();
    const broken = distrust('STALE', 'old');
    for (const answer of [broken, broken, '1', broken]) {
      source.set(usdc.price, answer);
      await next();
    }
    expect(faults).toEqual(Array(2).fill({ subject: usdc.symbol, source: null, fault: 'STALE', message: 'old' }));
  });

  it('reports a dropped source although the token still has a price', async () => {
    const { source, next, faults } = bookOf();
    const dropped = { source: 'feed', ...distrust('SOURCES_DISAGREE', 'feed: too far') };
    source.set(usdc.price, { usdE36: 10n ** 36n, ageSeconds: 0, validForSeconds: 60, without: [dropped] });
    expect(await next()).toEqual([USDC_RATE, DAI_RATE]);
    expect(faults).toMatchObject([{ subject: usdc.symbol, source: 'feed', fault: 'SOURCES_DISAGREE' }]);
  });

  it('says in its health report which tokens are stopped and why', async () => {
    const { source, book, next } = bookOf();
    source.set(usdc.price, distrust('STALE', 'feed 0x12: its answer is 4000 s old'));
    await next();
    const { address, symbol } = usdc;
    expect(book.health()).toEqual({
      tokens: 2,
      stopped: [{ address, symbol, fault: 'STALE', message: 'feed 0x12: its answer is 4000 s old' }],
      ownersStopped: 0,
      faults: [{ subject: symbol, source: null, fault: 'STALE', message: 'feed 0x12: its answer is 4000 s old' }],
    });
  });
});

describe('PriceBook, tokens of owners', () => {
  const owners = listed(apiReference('owners-token'));

  it('are counted and not named in the health report when they have no quotes', async () => {
    const { source, book, next } = bookOf();
    source.set(owners.price, distrust('STALE', 'old'));
    book.watch('owner', [owners]);
    await next();
    expect(book.health()).toMatchObject({ tokens: 3, stopped: [], ownersStopped: 1 });
  });

  it('have each fault reported once, however long it lasts and however many owners list the token', async () => {
    const { source, book, next, faults } = bookOf();
    source.set(owners.price, distrust('STALE', 'old'));
    book.watch('owner', [owners]);
    for (let round = 0; round < 3; round++) await next();
    book.watch('other', [{ ...owners, decimals: 8, symbol: 'OTHER' }]);
    for (let round = 0; round < 3; round++) await next();
    expect(faults).toEqual([{ subject: owners.symbol, source: null, fault: 'STALE', message: 'old' }]);
  });
});

describe('PriceBook, sequencer', () => {
  const withSequencer = () => {
    const state: { problem: PriceProblem | undefined } = { problem: undefined };
    return { state, ...bookOf({ sequencer: { check: () => Promise.resolve(state.problem) } }) };
  };

  it('stops the whole chain while it is down, and quotes again after', async () => {
    const { state, next } = withSequencer();
    expect(await next()).toEqual([USDC_RATE, DAI_RATE]);
    state.problem = distrust('SEQUENCER_DOWN', 'down');
    expect(await next()).toEqual(['SEQUENCER_DOWN', 'SEQUENCER_DOWN']);
    state.problem = undefined;
    expect(await next()).toEqual([USDC_RATE, DAI_RATE]);
  });

  it('quotes nothing before it was read, nor when it could not be read for too long', async () => {
    const { state, next } = withSequencer();
    state.problem = outage('no node answers');
    expect(await next()).toEqual(['SEQUENCER_DOWN', 'SEQUENCER_DOWN']);
    state.problem = undefined;
    await next();
    state.problem = outage('no node answers');
    expect(await next([usdc], 59)).toEqual([USDC_RATE]);
    expect(await next([usdc], 1)).toEqual(['SEQUENCER_DOWN']);
  });

  it('lets no rate outlive its last reading', async () => {
    const { state, time, next, now } = withSequencer();
    await next();
    state.problem = outage('no node answers');
    expect(await next([usdc], 30)).toEqual([USDC_RATE]);
    time.advanceSeconds(29);
    expect(now()).toBe(USDC_RATE);
    time.advanceSeconds(1);
    expect(now()).toBe('STALE');
  });
});
