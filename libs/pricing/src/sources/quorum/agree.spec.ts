import { parseUsdE36 } from '../../usd/usd-price';
import { distrust, isPrice, outage, type PriceAnswer } from '../price-source';
import { agree, type AgreementRules } from './agree';

const rules: AgreementRules = { maxDeviationMillionths: 10_000, minSources: null, maxAgeSeconds: 60 };
const usd = (text: string) => parseUsdE36(text) as bigint;
const at = (text: string, changes: { ageSeconds?: number; validForSeconds?: number } = {}): PriceAnswer => ({
  usdE36: usd(text),
  ageSeconds: 0,
  validForSeconds: Infinity,
  ...changes,
});
const opinions = (...answers: PriceAnswer[]) => answers.map((answer, index) => ({ source: `s${index}`, answer }));

describe('agree', () => {
  it('believes a single source', () => {
    expect(agree(opinions(at('100')), rules)).toMatchObject({ usdE36: usd('100'), without: [] });
  });

  it('takes the middle price of three, or the mean of two', () => {
    expect(agree(opinions(at('100.5'), at('100'), at('100.1')), rules)).toMatchObject({ usdE36: usd('100.1') });
    expect(agree(opinions(at('100'), at('100.4')), rules)).toMatchObject({ usdE36: usd('100.2') });
  });

  it('drops and names a source that is too far away, and takes the median of the others', () => {
    const agreed = agree(opinions(at('100'), at('1000'), at('100.4')), rules);
    expect(agreed).toMatchObject({
      usdE36: usd('100.2'),
      without: [{ source: 's1', fault: 'SOURCES_DISAGREE', message: expect.stringContaining('1000 USD') }],
    });
  });

  it('keeps one at the bound and drops one beyond it', () => {
    expect(agree(opinions(at('100'), at('100'), at('101')), rules)).toMatchObject({ without: [] });
    expect(agree(opinions(at('100'), at('100'), at('101.0001')), rules)).toMatchObject({ without: [{ source: 's2' }] });
  });

  it('has no price when two sources are 3 % apart, because either may be wrong', () => {
    expect(agree(opinions(at('100'), at('103')), rules)).toMatchObject({
      fault: 'SOURCES_DISAGREE',
      outage: false,
      without: [{ source: 's0' }, { source: 's1' }],
    });
  });

  it.each([
    [1, 0, false],
    [2, 1, false],
    [3, 1, true],
    [4, 2, false],
    [5, 2, true],
  ])('needs more than half: of %d named, %d missing gives a price: %s', (named, missing, gives) => {
    const answers = Array.from({ length: named }, (_, index) => (index < missing ? outage('down') : at('100')));
    expect(isPrice(agree(opinions(...answers), rules))).toBe(gives || missing === 0);
  });

  it('asks for as many as the operator says', () => {
    const two = { ...rules, minSources: 2 };
    expect(agree(opinions(at('100')), two)).toMatchObject({ fault: 'TOO_FEW_SOURCES', outage: false });
    const one = { ...rules, minSources: 1 };
    expect(agree(opinions(at('100'), outage('down'), outage('down')), one)).toMatchObject({ usdE36: usd('100') });
  });

  it('is an outage only if no source said that the price is bad', () => {
    expect(agree(opinions(outage('a'), outage('b')), rules)).toMatchObject({ fault: 'TOO_FEW_SOURCES', outage: true });
    const stale = agree(opinions(at('100'), distrust('STALE', 'old')), rules);
    expect(stale).toMatchObject({ fault: 'TOO_FEW_SOURCES', outage: false });
  });

  it('says that an id is unknown where no other answers could make up for it', () => {
    const unknown = { ...outage('no price'), fault: 'API_ID_UNKNOWN' as const };
    expect(agree(opinions(at('100'), unknown), rules)).toMatchObject({ fault: 'API_ID_UNKNOWN', outage: true });
    expect(agree(opinions(outage('down'), outage('down'), unknown), rules)).toMatchObject({ fault: 'TOO_FEW_SOURCES' });
    expect(agree(opinions(outage('down'), unknown, unknown), rules)).toMatchObject({ fault: 'API_ID_UNKNOWN' });
  });

  it('returns the problem of a single source unchanged', () => {
    expect(agree(opinions(distrust('STALE', 'old')), rules)).toMatchObject({ fault: 'STALE', message: 'old' });
  });

  it('does not count a price that is too old by its own time', () => {
    const agreed = agree(opinions(at('100'), at('100'), at('100', { ageSeconds: 61 })), rules);
    expect(agreed).toMatchObject({ ageSeconds: 0, without: [{ source: 's2', fault: 'STALE' }] });
  });

  it('is as old as its oldest price, and valid as long as the shortest validity', () => {
    const agreed = agree(opinions(at('100', { ageSeconds: 20 }), at('100', { validForSeconds: 30 })), rules);
    expect(agreed).toMatchObject({ ageSeconds: 20, validForSeconds: 30 });
  });

  it('has no price when no source is named', () => {
    expect(agree([], rules)).toMatchObject({ fault: 'TOO_FEW_SOURCES', outage: false });
  });
});
