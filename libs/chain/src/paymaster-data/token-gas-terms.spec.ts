import { PAYMASTER_GAS_CONSTANTS, TOKEN_GAS_CONSTANTS } from './gas-constants';
import { tokenGasTerms } from './token-gas-terms';

const transferGas = 65_000;

describe('tokenGasTerms', () => {
  it.each(['0.6', '0.7', '0.8', '0.9'] as const)(
    'v%s: validation pays for the pull, and for the permit if there is one',
    (v) => {
      const { tokenValidationGas, tokenPermitGas } = TOKEN_GAS_CONSTANTS[v];
      const validation = (way: 'allowance' | 'permit' | 'batchApproval') =>
        tokenGasTerms({ version: v, way, transferGas }).paymasterVerificationGasLimit;
      expect(validation('batchApproval')).toBe(tokenValidationGas);
      expect(validation('allowance')).toBe(tokenValidationGas + 65_000n);
      expect(validation('permit')).toBe(tokenValidationGas + 65_000n + tokenPermitGas);
    },
  );

  it.each([
    ['batchApproval', 65_000, 65_000n],
    ['allowance', 65_000, 32_500n],
    ['permit', 65_001, 32_501n],
    ['allowance', 30_000, 25_000n],
  ] as const)('way %s bounds the token call in postOp of a token of %d gas by %d', (way, gas, expected) => {
    const terms = tokenGasTerms({ version: '0.7', way, transferGas: gas });
    expect(terms.unaccountedGas).toBe(TOKEN_GAS_CONSTANTS['0.7'].tokenPostOpBaseGas + expected);
  });

  it('takes the simulated gas of the token call, if it is known', () => {
    const terms = tokenGasTerms({ version: '0.8', way: 'permit', transferGas, tokenCallGas: 12_345n });
    expect(terms.unaccountedGas).toBe(TOKEN_GAS_CONSTANTS['0.8'].tokenPostOpBaseGas + 12_345n);
  });

  it('raises what was measured of the contract by the percentage, and nothing that is known of the token', () => {
    const { tokenValidationGas, tokenPermitGas, tokenPostOpBaseGas, tokenPostOpMargin } = TOKEN_GAS_CONSTANTS['0.7'];
    const permit = { version: '0.7', way: 'permit', transferGas } as const;
    const terms = tokenGasTerms({ ...permit, gasPercent: 250 });
    expect(terms.paymasterVerificationGasLimit).toBe(
      (tokenValidationGas * 5n) / 2n + 65_000n + (tokenPermitGas * 5n) / 2n,
    );
    expect(terms).toMatchObject({ gasPercent: 250, tokenCallGas: 62_500n });
    expect(terms.unaccountedGas).toBe((tokenPostOpBaseGas * 5n) / 2n + 62_500n);
    const { unaccountedGas } = terms;
    expect(
      terms.paymasterPostOpGasLimit - unaccountedGas - unaccountedGas / 32n - tokenPostOpMargin,
    ).toBeLessThanOrEqual(1n);
    const simulated = tokenGasTerms({ ...permit, gasPercent: 475, tokenCallGas: 12_345n });
    expect(simulated.unaccountedGas - 12_345n).toBe((tokenPostOpBaseGas * 19n + 3n) / 4n);
    expect(tokenGasTerms({ ...permit, gasPercent: 100 })).toEqual(tokenGasTerms(permit));
    expect(tokenGasTerms({ ...permit, version: '0.6', gasPercent: 200 }).addedVerificationGas).toBe(
      2n * TOKEN_GAS_CONSTANTS['0.6'].tokenValidationGas +
        (65_000n + 2n * tokenPermitGas - PAYMASTER_GAS_CONSTANTS['0.6'].paymasterVerificationGasLimit),
    );
  });

  it.each(['0.7', '0.8', '0.9'] as const)(
    'v%s: the postOp limit holds U, what calls keep back, and the margin',
    (version) => {
      const { unaccountedGas, paymasterPostOpGasLimit, addedVerificationGas } = tokenGasTerms({
        version,
        way: 'batchApproval',
        transferGas,
      });
      const { tokenPostOpMargin } = TOKEN_GAS_CONSTANTS[version];
      const least = unaccountedGas + unaccountedGas / 32n + tokenPostOpMargin;
      expect(paymasterPostOpGasLimit - least).toBeGreaterThanOrEqual(0n);
      expect(paymasterPostOpGasLimit - least).toBeLessThanOrEqual(1n);
      expect(addedVerificationGas).toBe(0n);
    },
  );

  it('v0.6: the account limit bounds postOp, and grows by the pull', () => {
    const v07 = tokenGasTerms({ version: '0.7', way: 'permit', transferGas });
    const terms = tokenGasTerms({ version: '0.6', way: 'permit', transferGas });
    const { tokenPostOpMargin, tokenValidationGas, tokenPermitGas } = TOKEN_GAS_CONSTANTS['0.6'];
    expect(terms.paymasterPostOpGasLimit).toBe(0n);
    expect(terms.minVerificationGas).toBeGreaterThanOrEqual(
      terms.unaccountedGas + terms.unaccountedGas / 32n + tokenPostOpMargin,
    );
    expect(v07.minVerificationGas).toBeUndefined();
    expect(terms.addedVerificationGas).toBe(
      tokenValidationGas + 65_000n + tokenPermitGas - PAYMASTER_GAS_CONSTANTS['0.6'].paymasterVerificationGasLimit,
    );
  });
});
