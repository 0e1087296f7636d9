import { randomAddress } from '@paymaster/domain/testing';
import { PRICE_FAULTS, PriceUnavailableError, type PriceFault } from '@paymaster/pricing';
import { payableIn } from './supported-token';

const token = { address: randomAddress(), field: 'params[3].token' };
const FOR_GOOD: readonly PriceFault[] = ['API_ID_UNKNOWN', 'WRONG_DECIMALS', 'RATE_OUT_OF_RANGE'];

describe('payableIn', () => {
  it('hands on the outcome', async () => {
    await expect(payableIn(token, Promise.resolve(7))).resolves.toBe(7);
  });

  it.each(FOR_GOOD)('refuses a token with the fault %s as not supported, naming the field', async (fault) => {
    await expect(payableIn(token, Promise.reject(new PriceUnavailableError(fault, 'no')))).rejects.toMatchObject({
      reason: 'TOKEN_NOT_SUPPORTED',
      field: token.field,
      message: expect.stringContaining(token.address),
    });
  });

  it.each(PRICE_FAULTS.filter((fault) => !FOR_GOOD.includes(fault)))(
    'treats %s as a price that may come back',
    async (fault) => {
      const error = new PriceUnavailableError(fault, 'no');
      await expect(payableIn(token, Promise.reject(error))).rejects.toBe(error);
    },
  );

  it('leaves other errors as they are', async () => {
    const error = new Error('boom');
    await expect(payableIn(token, Promise.reject(error))).rejects.toBe(error);
  });
});
