import { fakeClock, priceReferenceBuilder, ScriptedPriceSource } from '../testing';
import { CachedPriceSource } from './cached-price.source';
import { FallbackPriceSource } from './fallback-price.source';
import { FixedPriceSource } from './fixed-price.source';
import { NoPriceSource } from './no-price.source';
import { outage } from './price-source';

const usdE36 = (whole: bigint) => whole * 10n ** 36n;
const asset = priceReferenceBuilder().build();
const other = priceReferenceBuilder().build();

describe('FixedPriceSource', () => {
  it('reads the price that the reference states', async () => {
    const fixed = priceReferenceBuilder().with('fixedUsd', '0.5').build();
    expect(new FixedPriceSource().covers(asset)).toBe(false);
    expect(await new FixedPriceSource().read([fixed])).toEqual([
      { usdE36: 5n * 10n ** 35n, ageSeconds: 0, validForSeconds: Infinity },
    ]);
  });

  it.each([
    ['0', 'NOT_POSITIVE'],
    ['-1', 'NOT_POSITIVE'],
    ['one', 'SOURCE_FAILED'],
  ])('has no price for %s', async (text, fault) => {
    const fixed = priceReferenceBuilder().with('fixedUsd', text).build();
    expect(await new FixedPriceSource().read([fixed])).toMatchObject([{ fault }]);
  });
});

describe('NoPriceSource', () => {
  it('counts as a source if an API id is named', async () => {
    const named = priceReferenceBuilder().with('apiId', 'ethereum').build();
    expect(new NoPriceSource().covers(named)).toBe(true);
    expect(await new NoPriceSource().read([named])).toMatchObject([{ fault: 'SOURCE_FAILED', outage: true }]);
  });
});

describe('CachedPriceSource', () => {
  const cached = () => {
    const clock = fakeClock();
    const source = new ScriptedPriceSource().set(asset, '5').set(other, '7');
    return { clock, source, cache: new CachedPriceSource(source, { ttlSeconds: 10, clock: clock.clock }) };
  };

  it('asks once per period, also for callers that ask meanwhile', async () => {
    const { clock, source, cache } = cached();
    await Promise.all([cache.read([asset]), cache.read([asset, other])]);
    clock.advanceSeconds(9.9);
    const answers = await cache.read([other, asset]);
    expect(answers).toMatchObject([{ usdE36: usdE36(7n) }, { usdE36: usdE36(5n) }]);
    expect(source.calls).toEqual([[asset], [other]]);
    clock.advanceSeconds(0.1);
    await cache.read([asset]);
    expect(source.calls).toHaveLength(3);
  });

  it('lets a price age while it is kept', async () => {
    const { clock, source, cache } = cached();
    source.set(asset, { usdE36: 1n, ageSeconds: 3, validForSeconds: 60 });
    await cache.read([asset]);
    clock.advanceSeconds(8);
    expect(await cache.read([asset])).toMatchObject([{ ageSeconds: 11, validForSeconds: 52 }]);
  });

  it('does not keep problems', async () => {
    const { source, cache } = cached();
    source.set(asset, outage('down'));
    expect(await cache.read([asset])).toMatchObject([{ outage: true }]);
    source.set(asset, '5');
    expect(await cache.read([asset])).toMatchObject([{ usdE36: usdE36(5n) }]);
  });
});

describe('FallbackPriceSource', () => {
  it('asks the next source only for what is missing', async () => {
    const first = new ScriptedPriceSource('first').set(asset, '5');
    const second = new ScriptedPriceSource('second').set(asset, '6').set(other, '7');
    const answers = await new FallbackPriceSource([first, second]).read([asset, other]);
    expect(answers).toMatchObject([{ usdE36: usdE36(5n) }, { usdE36: usdE36(7n) }]);
    expect(second.calls).toEqual([[other]]);
  });

  it('returns the last problem when no source has a price', async () => {
    const sources = [new ScriptedPriceSource('first'), new ScriptedPriceSource('second')];
    const answers = await new FallbackPriceSource(sources).read([asset]);
    expect(answers).toMatchObject([{ fault: 'SOURCE_FAILED', message: 'second: nothing was set' }]);
  });
});
