import { decodePaymasterAndData, isTokenFields, PAYMASTER_GAS_CONSTANTS, tokenGasTerms } from '@paymaster/chain';
import type { AccountGasLimits, ChargingWay, Hex, UserOperation } from '@paymaster/domain';
import { randomAddress, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { BundlerGas, GasLimitEstimator } from './gas-limit-estimator';
import { APPROVE_HEADROOM } from './token-head-room';

const estimate: AccountGasLimits = {
  callGasLimit: 100_000n,
  verificationGasLimit: 200_000n,
  preVerificationGas: 50_000n,
};

/** The limits of one operation, sponsored and paid in a token, and the bundler's question about the latter. */
async function limitsOf(
  operation: UserOperation,
  token: { way: ChargingWay; approveHeadroom?: boolean; says?: AccountGasLimits },
) {
  const asked: Array<Readonly<Record<string, Hex>>> = [];
  const estimator = new GasLimitEstimator(
    new BundlerGas({
      estimateUserOperationGas: async (sent) => {
        asked.push(sent as Readonly<Record<string, Hex>>);
        return token.says ?? estimate;
      },
    }),
  );
  const version = operation.entryPointVersion;
  const request = {
    operation,
    entryPoint: randomAddress(),
    paymaster: randomAddress(),
    sponsor: { fundingWallet: randomAddress(), feeMarkupMillionths: 1_000_000n },
    constants: PAYMASTER_GAS_CONSTANTS[version],
  };
  const terms = tokenGasTerms({ version, way: token.way, transferGas: 65_000 });
  const sponsored = await estimator.estimateGasLimits(request);
  const paid = await estimator.estimateGasLimits({
    ...request,
    token: { way: token.way, terms, approveHeadroom: token.approveHeadroom ?? false },
  });
  return { sponsored, paid, terms, asked };
}

describe('gas limits of an operation paid in a token', () => {
  it('asks the bundler about the sponsored operation, because there is no allowance yet', async () => {
    const { asked } = await limitsOf(userOperationV06Builder().build(), { way: 'allowance' });
    expect(asked[0]).toEqual(asked[1]);
    const { sponsorFields } = decodePaymasterAndData('0.6', asked[1]?.['paymasterAndData'] as Hex);
    expect(isTokenFields(sponsorFields)).toBe(false);
  });

  it.each([
    ['allowance', 93n],
    ['permit', 222n],
    ['batchApproval', 93n],
  ] as const)('way %s: pays for %d more bytes of data, with the margin', async (way, bytes) => {
    const { sponsored, paid } = await limitsOf(userOperationV07Builder().build(), { way });
    const added = paid.preVerificationGas - sponsored.preVerificationGas;
    expect(added).toBeGreaterThanOrEqual((bytes * 16n * 105n) / 100n);
    expect(added).toBeLessThan(bytes * 21n);
    expect(paid.callGasLimit).toBe(sponsored.callGasLimit);
    expect(paid.verificationGasLimit).toBe(sponsored.verificationGasLimit);
  });

  it('pays the floor of EIP-7623 for them where that is more', async () => {
    const long = userOperationV07Builder()
      .with('callData', `0x${'ff'.repeat(8_000)}`)
      .build();
    const { sponsored, paid } = await limitsOf(long, { way: 'allowance' });
    expect(paid.preVerificationGas - sponsored.preVerificationGas).toBeGreaterThanOrEqual(93n * 40n);
  });

  it('leaves room for the approve that clients put in front after a quote', async () => {
    const operation = userOperationV07Builder().build();
    const { paid: final } = await limitsOf(operation, { way: 'batchApproval' });
    const { paid: quoted } = await limitsOf(operation, { way: 'batchApproval', approveHeadroom: true });
    expect(quoted.callGasLimit - final.callGasLimit).toBe(APPROVE_HEADROOM.callGas);
    expect(quoted.preVerificationGas - final.preVerificationGas).toBe(APPROVE_HEADROOM.preVerificationGas);
    expect(quoted.verificationGasLimit).toBe(final.verificationGasLimit);
  });

  it('v0.6: adds the pull and the permit to the verification limit', async () => {
    const { sponsored, paid, terms } = await limitsOf(userOperationV06Builder().build(), { way: 'permit' });
    expect(terms.addedVerificationGas).toBeGreaterThan(0n);
    expect(paid.verificationGasLimit - sponsored.verificationGasLimit).toBe(terms.addedVerificationGas);
  });

  it('v0.6: leaves postOp its room in a verification limit that would be lower', async () => {
    const says = { ...estimate, verificationGasLimit: 1n };
    const { paid, terms } = await limitsOf(userOperationV06Builder().build(), { way: 'batchApproval', says });
    expect(paid.verificationGasLimit).toBe(terms.minVerificationGas);
  });
});
