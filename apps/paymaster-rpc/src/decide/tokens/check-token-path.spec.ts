import type { ChargingWay } from '@paymaster/domain';
import { randomAddress, tokenListingBuilder } from '@paymaster/domain/testing';
import type { TokenPathOutcome } from '@paymaster/gas';
import { checkTokenPath } from './check-token-path';

const payment = { token: tokenListingBuilder().build(), amountBaseUnits: 1_000n, spender: randomAddress() };
const good = (changes: Partial<TokenPathOutcome> = {}): TokenPathOutcome => ({
  deployed: true,
  callsSucceeded: true,
  callsReturned: '0x',
  paid: true,
  paymentReturned: '0x',
  balanceBaseUnits: 1_000n,
  allowanceBaseUnits: 1_000n,
  paymentGas: 40_000n,
  refundGas: 20_000n,
  ...changes,
});
const reasonOf = (outcome: TokenPathOutcome, way: ChargingWay): string | undefined => {
  try {
    checkTokenPath(outcome, way, payment);
    return undefined;
  } catch (error) {
    return (error as { reason: string }).reason;
  }
};

describe.each(['allowance', 'permit', 'batchApproval'] as const)('checkTokenPath, way %s', (way) => {
  const refundGas = way === 'batchApproval' ? null : 20_000n;
  const outcome = (changes: Partial<TokenPathOutcome> = {}) => good({ refundGas, ...changes });

  it('is content when everything is paid to the unit', () => {
    expect(reasonOf(outcome(), way)).toBeUndefined();
  });

  it.each<[string, Partial<TokenPathOutcome>]>([
    ['VALIDATION_SIMULATION_FAILED', { deployed: false, callsSucceeded: false, paid: false }],
    ['TOKEN_BALANCE_TOO_LOW', { paid: false, balanceBaseUnits: 999n, allowanceBaseUnits: 0n }],
    ['TOKEN_ALLOWANCE_TOO_LOW', { paid: false, allowanceBaseUnits: 999n }],
    ['TOKEN_PAYMENT_FAILS', { paid: false }],
    ['EXECUTION_SIMULATION_FAILED', { callsSucceeded: false, callsReturned: '0x08c379a0' }],
  ])('refuses with %s', (reason, changes) => {
    expect(reasonOf(outcome(changes), way)).toBe(reason);
  });
});

describe('checkTokenPath', () => {
  it.each<[ChargingWay, string]>([
    ['batchApproval', 'EXECUTION_SIMULATION_FAILED'],
    ['allowance', 'TOKEN_ALLOWANCE_TOO_LOW'],
  ])('way %s: says first what comes first on chain', (way, reason) => {
    const nothingWorks = good({ callsSucceeded: false, paid: false, allowanceBaseUnits: 0n });
    expect(reasonOf(nothingWorks, way)).toBe(reason);
  });

  it('refuses a token that takes the maximum and gives nothing back', () => {
    expect(reasonOf(good({ refundGas: null }), 'allowance')).toBe('TOKEN_PAYMENT_FAILS');
  });

  it('speaks of a low balance in the words that SDKs know', () => {
    const poor = good({ paid: false, balanceBaseUnits: 0n });
    expect(() => checkTokenPath(poor, 'allowance', payment)).toThrow('account does not have enough token balance');
  });
});
