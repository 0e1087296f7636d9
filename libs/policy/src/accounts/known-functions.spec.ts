import { id } from 'ethers';
import type { AccountFamily } from './account-family';
import * as families from './families';
import { CALLING_SELECTORS, FUNCTION_BY_SELECTOR } from './known-functions';

const FAMILIES: readonly AccountFamily[] = Object.values(families);

describe('functions of the account families', () => {
  it('should have the selectors that their signatures hash to', () => {
    for (const { signature, selector } of FAMILIES.flatMap(({ functions, forwards = [] }) => [
      ...functions,
      ...forwards,
    ])) {
      expect(selector).toBe(id(signature).slice(0, 10));
      expect(CALLING_SELECTORS).toContain(selector);
    }
    expect(CALLING_SELECTORS).toContain(id('multicall(bytes[])').slice(0, 10));
  });

  it('should be read in the same way for all families that have one', () => {
    for (const each of FAMILIES.flatMap(({ functions }) => functions)) {
      expect(FUNCTION_BY_SELECTOR.get(each.selector.slice(2))).toBe(each);
    }
  });
});
