import { StateOverridesUnsupportedError, tokenGasTerms } from '@paymaster/chain';
import { ENTRY_POINT_VERSIONS, type ChargingWay, type EntryPointVersion } from '@paymaster/domain';
import { randomAddress, tokenListingBuilder, userOperationV07Builder } from '@paymaster/domain/testing';
import type { TokenPathOutcome, TokenPathRequest, TokenPathSimulator } from '@paymaster/gas';
import { NO_DEADLINE } from '@paymaster/turns';
import type { PaymentDraft } from './draft-payment';
import { simulatePayment } from './simulate-payment';

const token = tokenListingBuilder().with('transferGas', 65_000).build();
const outcome: TokenPathOutcome = {
  ...{ deployed: true, callsSucceeded: true, callsReturned: '0x', paid: true, paymentReturned: '0x' },
  ...{ balanceBaseUnits: 1_000n, allowanceBaseUnits: 1_000n, paymentGas: 30_000n, refundGas: 10_000n },
};

function draft(way: ChargingWay, version: EntryPointVersion = '0.7'): PaymentDraft {
  const constants = tokenGasTerms({ version, way, transferGas: token.transferGas });
  const terms = {
    ...{ version, token, way, constants, feeMarkupMillionths: 1_000_000n },
    ...{ entryPoint: randomAddress(), paymaster: randomAddress(), fundingWallet: randomAddress() },
    feeReceiver: randomAddress(),
  };
  const payment = { token, amountBaseUnits: 1_000n, spender: terms.paymaster };
  const operation = userOperationV07Builder().build();
  return { terms, operation, payment, prechargeWei: 1n, price: {} as PaymentDraft['price'] };
}

const NO_PERMIT = { permit: undefined, deadlineMs: NO_DEADLINE };
const simulatorOf = (simulate: (request: TokenPathRequest) => Promise<TokenPathOutcome>) => ({
  simulator: { simulate } as unknown as TokenPathSimulator,
});
const says = (changes: Partial<TokenPathOutcome>) => simulatorOf(async () => ({ ...outcome, ...changes }));

describe('simulatePayment', () => {
  it('simulates with the operation, the way, the maximum and the receiver', async () => {
    const { terms, ...rest } = draft('permit');
    const permit = { valueBaseUnits: 5n, deadlineSeconds: 6n, signature: '0x' } as const;
    const asked: TokenPathRequest[] = [];
    const simulator = simulatorOf(async (request) => {
      asked.push(request);
      return outcome;
    });
    await simulatePayment(simulator, { terms, ...rest }, { permit, deadlineMs: NO_DEADLINE });
    expect(asked).toEqual([
      {
        ...{ operation: rest.operation, way: 'permit', permit, amountBaseUnits: 1_000n, token: token.address },
        ...{ entryPoint: terms.entryPoint, paymaster: terms.paymaster, receiver: terms.feeReceiver },
        fundingWallet: terms.fundingWallet,
        deadlineMs: NO_DEADLINE,
      },
    ]);
  });

  it('measures the refund, with a tenth and 2,300 gas on top', async () => {
    await expect(simulatePayment(says({}), draft('allowance'), NO_PERMIT)).resolves.toBe(13_300n);
  });

  it('measures the payment if it happens in postOp, rounded up', async () => {
    const measured = says({ paymentGas: 30_001n, refundGas: null });
    await expect(simulatePayment(measured, draft('batchApproval'), NO_PERMIT)).resolves.toBe(35_302n);
  });

  it.each(ENTRY_POINT_VERSIONS)(
    "stays with the token's own bound when the measure comes near it on v%s",
    async (version) => {
      const near = says({ paymentGas: 57_000n, refundGas: null });
      await expect(simulatePayment(near, draft('batchApproval', version), NO_PERMIT)).resolves.toBeUndefined();
    },
  );

  it.each<[ChargingWay, Partial<TokenPathOutcome>]>([
    ['batchApproval', { paymentGas: 65_001n, refundGas: null }],
    ['allowance', { paymentGas: 65_001n }],
    ['allowance', { refundGas: 32_501n }],
  ])('refuses, for %s, a token that takes more gas than its listing says', async (way, changes) => {
    const refusal = simulatePayment(says(changes), draft(way), NO_PERMIT);
    await expect(refusal).rejects.toMatchObject({ reason: 'TOKEN_PAYMENT_FAILS' });
  });

  describe('where nodes take no state overrides', () => {
    const unable = simulatorOf(() => Promise.reject(new StateOverridesUnsupportedError(1)));

    it('accepts an allowance that was read', async () => {
      await expect(simulatePayment(unable, draft('allowance'), NO_PERMIT)).resolves.toBeUndefined();
    });

    it.each(['permit', 'batchApproval'] as const)('refuses %s and says what to do instead', async (way) => {
      const payment = draft(way);
      const refusal = simulatePayment(unable, payment, NO_PERMIT);
      await expect(refusal).rejects.toMatchObject({ reason: 'TOKEN_WAY_NOT_AVAILABLE' });
      await expect(refusal).rejects.toThrow(`approve ${payment.terms.paymaster} beforehand`);
    });
  });
});
