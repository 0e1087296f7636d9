import { PAYMASTER_GAS_CONSTANTS } from '@paymaster/chain';
import { InvalidParamsError, type EntryPointVersion, type UserOperation } from '@paymaster/domain';
import { randomAddress, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { prechargeOf, sentGasLimits } from './gas-limits';
import { sponsorData } from '../terms/sponsor-data';
import type { SponsorTerms } from '../terms/sponsor-terms';

function termsOf(version: EntryPointVersion): SponsorTerms {
  const paymaster = randomAddress();
  const constants = PAYMASTER_GAS_CONSTANTS[version];
  return {
    ...{ version, paymaster, constants },
    entryPoint: randomAddress(),
    fundingWallet: randomAddress(),
    feeMarkupMillionths: 1_000_000n,
    stub: sponsorData({ version, paymaster, constants }, '0x'),
  };
}

describe('sentGasLimits', () => {
  const sent = userOperationV07Builder().build();

  it('keeps the limits as they were sent', () => {
    expect(sentGasLimits(sent, termsOf(sent.entryPointVersion))).toBe(sent);
  });

  it('refuses a verificationGasLimit on v0.6 that postOp could run out of', () => {
    const terms = termsOf('0.6');
    const least = terms.constants.minVerificationGas ?? 0n;
    const operation = userOperationV06Builder().with('verificationGasLimit', least).build();
    expect(sentGasLimits(operation, terms)).toBe(operation);
    const refusal = expect(() => sentGasLimits({ ...operation, verificationGasLimit: least - 1n }, terms));
    refusal.toThrow(`params[0].verificationGasLimit must be at least ${least}`);
  });

  it.each(['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const)(
    'names %s when it is missing, and both ways out, as clients of ERC-7677 need not have sent either',
    (name) => {
      const operation: UserOperation = { ...sent, [name]: 0n };
      const refusal = expect(() => sentGasLimits(operation, termsOf(sent.entryPointVersion)));
      refusal.toThrow(InvalidParamsError);
      refusal.toThrow(`params[0].${name} is needed: send it, or calculateGasLimits: true.`);
    },
  );
});

describe('prechargeOf', () => {
  it('is all gas that the contract counts, at the highest price, with the markup', () => {
    const sent = userOperationV07Builder().build();
    const { constants, ...terms } = termsOf(sent.entryPointVersion);
    const gas =
      sent.callGasLimit +
      sent.verificationGasLimit +
      sent.preVerificationGas +
      constants.paymasterVerificationGasLimit +
      constants.paymasterPostOpGasLimit +
      constants.unaccountedGas;
    expect(prechargeOf(sent, { ...terms, constants, feeMarkupMillionths: 2_000_000n })).toBe(
      2n * gas * sent.maxFeePerGas,
    );
  });
});
