import Ajv from 'ajv';
import { aBudgetClaim } from '@paymaster/ledger/testing';
import type { Explanation } from '../../../answers/explain-operation.service';
import { explanationSchema, presentExplanation } from './present-explanation';

const explanation: Explanation = {
  ...{ refusal: undefined, policyId: 'p', trace: [], prechargeWei: 30n },
  limits: { callGasLimit: 1n, verificationGasLimit: 2n, preVerificationGas: 3n },
  budgets: [
    { claim: aBudgetClaim({ unit: 'wei', amount: 30n, limit: 100n }), limit: 100n, used: 70n, held: 20n },
    {
      claim: aBudgetClaim({ limit: 0n, endsAtSeconds: 99, share: { percent: 50, of: 'wallet' } }),
      limit: 5n,
      used: 1n,
      held: 0n,
    },
  ],
};

describe('presentExplanation', () => {
  it('says of each budget what is asked, used, held by this operation and allowed', () => {
    expect(presentExplanation(explanation).budgets).toEqual([
      { rule: 'limits', unit: 'wei', needed: '30', used: '70', held: '20', limit: '100' },
      { rule: 'limits', unit: 'count', needed: '1', used: '1', held: '0', limit: '5', resetsAtSeconds: 99 },
    ]);
  });

  it('is what the document of the method says', () => {
    const validate = new Ajv().compile(explanationSchema);
    expect([validate(presentExplanation(explanation)), validate.errors]).toEqual([true, null]);
  });
});
