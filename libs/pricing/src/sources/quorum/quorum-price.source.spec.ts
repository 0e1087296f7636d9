import { priceReferenceBuilder, ScriptedPriceSource } from '../../testing';
import { FixedPriceSource } from '../fixed-price.source';
import { QuorumPriceSource } from './quorum-price.source';

const rules = { maxDeviationMillionths: 10_000, minSources: null, maxAgeSeconds: 60, timeoutMs: 50 };

describe('QuorumPriceSource', () => {
  const asset = priceReferenceBuilder().build();
  const pegged = priceReferenceBuilder().with('fixedUsd', '1').build();

  it('asks each source for what it covers only, and answers in the order of the assets', async () => {
    const scripted = new ScriptedPriceSource().set(asset, '5').set(pegged, '1');
    const quorum = new QuorumPriceSource([new FixedPriceSource(), scripted], rules);
    const answers = await quorum.read([asset, pegged]);
    expect(answers).toMatchObject([{ usdE36: 5n * 10n ** 36n }, { usdE36: 10n ** 36n }]);
  });

  it('sees a peg that broke: the market at 0.90 disagrees with the agreed 1', async () => {
    const quorum = new QuorumPriceSource(
      [new FixedPriceSource(), new ScriptedPriceSource().set(pegged, '0.90')],
      rules,
    );
    expect(await quorum.read([pegged])).toMatchObject([{ fault: 'SOURCES_DISAGREE' }]);
  });

  it('goes on without a source that hangs, when enough others answer', async () => {
    const hanging = new ScriptedPriceSource('slow').set(asset, '5');
    hanging.hang();
    const others = ['a', 'b'].map((name) => new ScriptedPriceSource(name).set(asset, '5'));
    const [answer] = await new QuorumPriceSource([hanging, ...others], rules).read([asset]);
    expect(answer).toMatchObject({ usdE36: 5n * 10n ** 36n, without: [{ source: 'slow', fault: 'SOURCE_FAILED' }] });
    hanging.hang(false);
  });

  it('counts a source that throws as missing', async () => {
    const broken = new ScriptedPriceSource('broken');
    broken.read = () => Promise.reject(new Error('a bug'));
    const answers = await new QuorumPriceSource([broken], rules).read([asset]);
    expect(answers).toMatchObject([{ fault: 'SOURCE_FAILED', outage: true }]);
  });
});
