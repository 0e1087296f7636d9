import type { Caller } from '../../callers/caller';
import { promisedValidity, tokenValidityOf, validityBounds, validityOf, type Validity } from './validity';

const NOW = 1_900_000_000;
const BOUNDS = { nowSeconds: NOW, maxSeconds: 600, defaultSeconds: 300 };
const TERMS = '0x01' + NOW.toString(16).padStart(12, '0') + (NOW - 60).toString(16).padStart(12, '0') + 'ab'.repeat(28);

describe('promisedValidity', () => {
  it('reads the terms that a stub of v0.9 named', () => {
    expect(promisedValidity('0.9', TERMS)).toEqual({ validUntilSeconds: NOW, validAfterSeconds: NOW - 60 });
  });

  it.each<[string, Parameters<typeof promisedValidity>]>([
    ['of an earlier version', ['0.8', TERMS]],
    ['that are missing', ['0.9', undefined]],
    ['that are null', ['0.9', null]],
    ['with a signature behind them', ['0.9', `${TERMS}${'ab'.repeat(65)}`]],
    ['of token mode', ['0.9', TERMS.replace('0x01', '0x02')]],
  ])('takes nothing from terms %s', (_title, args) => {
    expect(promisedValidity(...args)).toBeUndefined();
  });
});

describe('validityBounds', () => {
  it.each([
    [600, 1_200],
    [1_200, 600],
  ])('allows the shorter of what the owner (%d s) and the operator (%d s) allow', (ofOwner, ofOperator) => {
    const caller = {
      chain: { head: { nowSeconds: () => NOW } },
      paymaster: { snapshot: { settings: { maxExpirySeconds: ofOwner, defaultExpirySeconds: 300 } } },
    } as unknown as Caller;
    expect(validityBounds(caller, { maxExpirySeconds: ofOperator })).toEqual(BOUNDS);
  });
});

describe('tokenValidityOf', () => {
  it.each([
    [undefined, 300],
    [500, 500],
    [3_600, 600],
  ])('a client that asks for %s s gets its rate for %d s', (asked, promised) => {
    const { validUntilSeconds } = tokenValidityOf(asked, { nowSeconds: NOW, maxSeconds: 86_400 });
    expect(validUntilSeconds).toBe(NOW + promised);
  });
});

describe('validityOf', () => {
  const asked = (promised?: Partial<Validity>) =>
    validityOf(
      {
        ...{ seconds: 120, field: 'expiry' },
        promised: promised && { validUntilSeconds: NOW + 60, validAfterSeconds: NOW - 90, ...promised },
      },
      BOUNDS,
    );

  it('begins a minute ago and lasts as long as requested', () => {
    expect(asked()).toEqual({ validUntilSeconds: NOW + 120, validAfterSeconds: NOW - 60 });
  });

  it.each([NOW + 1, NOW + 600])('keeps a promise until %d, which could be asked for now', (validUntilSeconds) => {
    expect(asked({ validUntilSeconds })).toEqual({ validUntilSeconds, validAfterSeconds: NOW - 90 });
  });

  it.each([
    ['is over', { validUntilSeconds: NOW }],
    ['lasts longer than may be asked for', { validUntilSeconds: NOW + 601 }],
    ['lasts for ever', { validUntilSeconds: 0x7fffffffffff }],
    ['does not hold yet', { validAfterSeconds: NOW }],
  ])('signs new times instead of a promise that %s', (_title, promised) => {
    expect(asked(promised)).toEqual(asked());
  });

  it.each([
    [120, 120],
    [450, 450],
    [900, 600],
  ])('where the client asks for no time, a default of %d s lasts %d s of at most 600', (defaultSeconds, lasts) => {
    const { validUntilSeconds } = validityOf({ seconds: undefined, field: 'expiry' }, { ...BOUNDS, defaultSeconds });
    expect(validUntilSeconds).toBe(NOW + lasts);
  });

  it('refuses what is too long', () => {
    expect(() => validityOf({ seconds: 601, field: 'expiry' }, BOUNDS)).toThrow('at most 600 seconds');
  });
});
