import { InvalidParamsError } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { tokensToQuote, tokenToPayIn, type NamedTokens } from './named-tokens';

const named = (changes: Partial<NamedTokens>): NamedTokens => ({
  feeToken: undefined,
  preferred: undefined,
  list: [],
  field: 'params[1].tokenInfo.feeTokenAddress',
  ...changes,
});
const [a, b, c] = [randomAddress(), randomAddress(), randomAddress()];

describe('tokensToQuote', () => {
  it('puts the preferred token first, then the list in its order, each once', () => {
    expect(tokensToQuote(named({ preferred: b, list: [a, b, c] }))).toEqual([b, a, c]);
  });

  it('is only the preferred token, or only the fee token, if there is no list', () => {
    expect(tokensToQuote(named({ preferred: a }))).toEqual([a]);
    expect(tokensToQuote(named({ feeToken: b }))).toEqual([b]);
  });

  it('is empty, which means all, when none is named', () => {
    expect(tokensToQuote(named({}))).toEqual([]);
  });
});

describe('tokenToPayIn', () => {
  it.each<[string, Partial<NamedTokens>]>([
    ['the fee token before the preferred one', { feeToken: a, preferred: b, list: [c] }],
    ['the preferred token before the list', { preferred: a, list: [b] }],
    ['a list of one', { list: [a] }],
  ])('is %s', (_title, tokens) => {
    expect(tokenToPayIn(named(tokens))).toBe(a);
  });

  it.each([[[]], [[a, b]]])('names the field when the request does not name exactly one token', (list) => {
    expect(() => tokenToPayIn(named({ list }))).toThrow(InvalidParamsError);
    expect(() => tokenToPayIn(named({ list }))).toThrow('params[1].tokenInfo.feeTokenAddress is missing');
  });
});
