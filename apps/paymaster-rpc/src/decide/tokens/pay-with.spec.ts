import { SponsorshipRefusedError, type PaymasterSettings, type PolicySnapshot } from '@paymaster/domain';
import { keyGrantBuilder } from '@paymaster/domain/testing';
import { exampleCaller, TOKEN } from '../../testing/examples/example-world';
import { payWithOf } from './pay-with';

const path = { method: 'pm_getFeeQuoteOrData', field: 'params[1].tokenInfo.preferredToken' };
const usedUp = new SponsorshipRefusedError('SPENDING_LIMIT_REACHED', 'used up');
const wayOut = (settings: Partial<PaymasterSettings>, changes: Partial<PolicySnapshot> = {}, error: Error = usedUp) =>
  payWithOf(error, { caller: exampleCaller({ onLimitReached: 'erc20', ...settings }, changes), path });
const keyFor = (allowedMethods: string[] | null) => ({ key: { ...keyGrantBuilder().build(), allowedMethods } });
const ways = { mode: 'ERC20', ...path, tokens: [TOKEN.address] };

describe('the way out of a spending limit', () => {
  it('is a payment in the tokens that the paymaster takes', () => {
    expect(wayOut({})).toEqual(ways);
    expect(wayOut({}, keyFor(null))).toEqual(ways);
    expect(wayOut({}, keyFor(['pm_getFeeQuoteOrData']))).toEqual(ways);
  });

  it.each<[string, ReturnType<typeof wayOut>]>([
    ['by default', wayOut({ onLimitReached: 'refuse' })],
    ['where token mode is off', wayOut({ tokenMode: 'off' })],
    ['where no way of charging is allowed', wayOut({ tokenChargingWays: [] })],
    ['for a key that may not go it', wayOut({}, keyFor(['pm_sponsorUserOperation']))],
    ['out of another refusal', wayOut({}, {}, new SponsorshipRefusedError('KEY_LIMIT_REACHED', 'used up'))],
    ['out of a fault', wayOut({}, {}, new Error('SPENDING_LIMIT_REACHED'))],
    ['for nobody', payWithOf(usedUp, { caller: undefined, path })],
    ['in a dialect without tokens', payWithOf(usedUp, { caller: exampleCaller(), path: undefined })],
  ])('is not there %s', (_where, found) => expect(found).toBeUndefined());
});
