import { id } from 'ethers';
import {
  EXECUTION_SELECTORS,
  EXECUTION_SIGNATURES,
  FORWARDING_SELECTORS,
  FORWARDING_SIGNATURES,
  MULTI_SEND_SELECTOR,
} from './execution-selectors';

const selectorsOf = (signatures: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(signatures).map(([name, signature]) => [name, id(signature).slice(0, 10)]));

describe('selectors', () => {
  it('should be the hashes of their signatures', () => {
    expect(EXECUTION_SELECTORS).toEqual(selectorsOf(EXECUTION_SIGNATURES));
    expect(FORWARDING_SELECTORS).toEqual(selectorsOf(FORWARDING_SIGNATURES));
    expect(MULTI_SEND_SELECTOR).toBe(id('multiSend(bytes)').slice(0, 10));
  });
});
