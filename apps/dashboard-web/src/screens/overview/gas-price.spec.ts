import { gasPriceGwei } from './gas-price';

it.each([
  [{ gasUsed: '200000', gasCostWei: '300000000000000' }, '1.5'],
  [{ gasUsed: '3', gasCostWei: '10' }, '0.000000003'],
  [{ gasUsed: '0', gasCostWei: '0' }, ''],
  [{}, ''],
])('of %j is %s gwei', (point, gwei) => expect(gasPriceGwei(point)).toBe(gwei));
