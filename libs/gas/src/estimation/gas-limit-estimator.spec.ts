import {
  decodePaymasterAndData,
  encodePaymasterAndData,
  encodeStubSponsorData,
  PAYMASTER_GAS_CONSTANTS,
  STUB_SIGNATURE,
  STUB_VALID_UNTIL_SECONDS,
} from '@paymaster/chain';
import {
  EIP7702_MARKER,
  InvalidParamsError,
  SimulationFailedError,
  type AccountGasLimits,
  type Hex,
} from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import {
  BundlerGas,
  GasLimitEstimator,
  MeasuredGas,
  type EstimationRequest,
  type GasQuestion,
} from './gas-limit-estimator';
import { gasReference } from './gas-reference';
import type { OperationGasLimits } from './operation-gas';

/**
 * A bundler that answers one estimate and remembers the questions; a chain on which v0.6 validation takes
 * `measuredV06`.
 */
function bundlerThatSays(estimate: AccountGasLimits, measuredV06?: bigint) {
  const asked: Array<Readonly<Record<string, Hex>>> = [];
  const estimateUserOperationGas = async (operation: Readonly<Record<string, Hex>>) => {
    asked.push(operation);
    return estimate;
  };
  const measure = async () => measuredV06;
  return { asked, estimator: new GasLimitEstimator(new BundlerGas({ estimateUserOperationGas }, { measure })) };
}

const requestFor = (operation: EstimationRequest['operation']): EstimationRequest => ({
  operation,
  entryPoint: randomAddress(),
  paymaster: randomAddress(),
  sponsor: { fundingWallet: randomAddress(), feeMarkupMillionths: 1_100_000n },
  constants: PAYMASTER_GAS_CONSTANTS[operation.entryPointVersion],
});

const estimate = { callGasLimit: 100_000n, verificationGasLimit: 200_000n, preVerificationGas: 50_001n };

describe('GasLimitEstimator', () => {
  it('adds its margins, rounded up, on v0.7', async () => {
    const { estimator } = bundlerThatSays(estimate);
    await expect(estimator.estimateGasLimits(requestFor(userOperationV07Builder().build()))).resolves.toEqual({
      callGasLimit: 110_000n,
      verificationGasLimit: 220_000n,
      preVerificationGas: 50_001n,
    });
  });

  it.each([
    ['what was measured and 15 %, when the bundler padded more', 100_000n, 115_000n],
    ["the bundler's limit, when that is lower", 190_000n, 200_000n],
    ["the bundler's limit, when the chain did not say", undefined, 200_000n],
  ])('signs as v0.6 verification limit, which the prefund counts three times: %s', async (_title, measured, signed) => {
    const { estimator } = bundlerThatSays(estimate, measured);
    const limits = await estimator.estimateGasLimits(requestFor(userOperationV06Builder().build()));
    expect(limits.verificationGasLimit).toBe(signed);
  });

  it('does not take the v0.6 measurement for later versions', async () => {
    const { estimator } = bundlerThatSays(estimate, 1n);
    const limits = await estimator.estimateGasLimits(requestFor(userOperationV07Builder().build()));
    expect(limits.verificationGasLimit).toBe(220_000n);
  });

  it('leaves room for postOp in a v0.6 verification limit', async () => {
    const { estimator } = bundlerThatSays({ ...estimate, verificationGasLimit: 10_000n });
    const limits = await estimator.estimateGasLimits(requestFor(userOperationV06Builder().build()));
    expect(limits.verificationGasLimit).toBe(PAYMASTER_GAS_CONSTANTS['0.6'].minVerificationGas);
  });

  it('sends the stub with our own paymaster limits on v0.7, and no account limits', async () => {
    const { estimator, asked } = bundlerThatSays(estimate);
    const operation = userOperationV07Builder().with('factory', randomAddress()).build();
    const request = requestFor(operation);
    await estimator.estimateGasLimits(request);
    const [sent] = asked;
    expect(sent).toMatchObject({
      sender: operation.sender,
      nonce: `0x${operation.nonce.toString(16)}`,
      factory: operation.factory,
      factoryData: '0x',
      paymaster: request.paymaster,
      paymasterPostOpGasLimit: `0x${request.constants.paymasterPostOpGasLimit.toString(16)}`,
      signature: operation.signature,
    });
    expect(sent?.['paymasterData']).toContain(STUB_SIGNATURE.slice(2));
    for (const field of ['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'initCode', 'paymasterAndData'])
      expect(sent).not.toHaveProperty(field);
  });

  it('sends an EIP-7702 authorization along, and the marker as bundlers know it', async () => {
    const { estimator, asked } = bundlerThatSays(estimate);
    const address = randomAddress();
    const operation = {
      ...userOperationV07Builder('0.8').with('factory', EIP7702_MARKER).build(),
      eip7702Auth: { chainId: 31_337n, address, nonce: 5n, r: 0xabn, s: 2n ** 200n, yParity: 1 },
    } as const;
    await estimator.estimateGasLimits(requestFor(operation));
    expect(asked[0]).toMatchObject({
      factory: '0x7702',
      factoryData: '0x',
      eip7702Auth: {
        ...{ chainId: '0x7a69', address, nonce: '0x5', yParity: '0x1' },
        r: `0x${'0'.repeat(62)}ab`,
        s: `0x${'0'.repeat(13)}1${'0'.repeat(50)}`,
      },
    });
  });

  it('sends the stub as paymasterAndData on v0.6', async () => {
    const { estimator, asked } = bundlerThatSays(estimate);
    const request = requestFor(userOperationV06Builder().build());
    await estimator.estimateGasLimits(request);
    const decoded = decodePaymasterAndData('0.6', asked[0]!['paymasterAndData']!);
    expect(decoded.paymaster).toBe(request.paymaster);
    expect(decoded.sponsorFields).toMatchObject({ ...request.sponsor, validUntilSeconds: STUB_VALID_UNTIL_SECONDS });
    expect(decoded.sponsorFields.unaccountedGas).toBe(request.constants.unaccountedGas);
    expect(asked[0]).not.toHaveProperty('factory');
  });

  it('signs with the stub signature, also in place of a dummy, and adds what no signature of nobody shows', async () => {
    const { estimator, asked } = bundlerThatSays(estimate);
    const signed = userOperationV06Builder().build();
    const stubSignature = { signature: randomHex(65), unseenGas: 6_300n };
    for (const operation of [{ ...signed, signature: '0x' } as const, signed]) {
      const limits = await estimator.estimateGasLimits({ ...requestFor(operation), stubSignature });
      expect(limits.verificationGasLimit).toBe(estimate.verificationGasLimit + 6_300n);
    }
    await estimator.estimateGasLimits(requestFor(signed));
    const { signature } = stubSignature;
    expect(asked.map((each) => each['signature'])).toEqual([signature, signature, signed.signature]);
  });

  it("signs with the operation's own dummy where its account does not take the other", async () => {
    const [own, stub] = [randomHex(65), randomHex(65)];
    const asked: Hex[] = [];
    const source = {
      estimate: async ({ operation: { signature } }: GasQuestion) => {
        asked.push(signature);
        if (signature === own) return estimate;
        throw new SimulationFailedError('VALIDATION_SIMULATION_FAILED', 'AA23 reverted');
      },
    };
    const request = requestFor(userOperationV07Builder().with('signature', own).build());
    const stubSignature = { signature: stub, unseenGas: 0n };
    await expect(new GasLimitEstimator(source).estimateGasLimits({ ...request, stubSignature })).resolves.toEqual(
      estimate,
    );
    expect(asked).toEqual([stub, own]);
  });

  it('adds room to what it measures: a slot that is zero again, and no room where there is no call', async () => {
    const bounds = { maxCallGasLimit: 1_000_000n, maxVerificationGasLimit: 400_000n };
    const measured = async (least: OperationGasLimits) => {
      const l1Fees = { preVerificationGas: () => ({ expected: 0n, highest: 0n }) };
      const gas = new MeasuredGas(
        { measure: async () => least },
        l1Fees as never,
        { baseFeePerGasWei: () => 1n },
        bounds,
      );
      const { callGasLimit, verificationGasLimit } = await new GasLimitEstimator(gas).estimateGasLimits(
        requestFor(userOperationV07Builder().build()),
      );
      return [verificationGasLimit, callGasLimit];
    };
    expect(await measured({ verificationGasLimit: 50_000n, callGasLimit: 100_000n })).toEqual([60_000n, 130_000n]);
    expect(await measured({ verificationGasLimit: 50_000n, callGasLimit: 0n })).toEqual([60_000n, 0n]);
    expect(await measured({ verificationGasLimit: 399_000n, callGasLimit: 990_000n })).toEqual([400_000n, 1_000_000n]);
  });

  it('pays the bundler what alto and rundler ask, also for call data of which EIP-7623 wants a floor', async () => {
    const bounds = { maxCallGasLimit: 5_000_000n, maxVerificationGasLimit: 2_000_000n };
    const l1Fees = { preVerificationGas: () => ({ expected: 0n, highest: 0n }) };
    const least = { verificationGasLimit: 50_000n, callGasLimit: 100_000n };
    const gas = new MeasuredGas(
      { measure: async () => least },
      l1Fees as never,
      { baseFeePerGasWei: () => 1n },
      bounds,
    );
    for (const bytes of [4, 5_000]) {
      const operation = userOperationV07Builder()
        .with('callData', `0x${'a5'.repeat(bytes)}`)
        .build();
      const request = requestFor(operation);
      const limits = await new GasLimitEstimator(gas).estimateGasLimits(request);
      const { unaccountedGas } = request.constants;
      const stub = encodePaymasterAndData({
        ...{ version: '0.7', paymaster: request.paymaster, paymasterGasLimits: request.constants },
        paymasterData: encodeStubSponsorData({ ...request.sponsor, unaccountedGas }),
      });
      const { bundlersGas } = gasReference({ ...operation, ...limits }, stub);
      expect(limits.preVerificationGas).toBeGreaterThanOrEqual(bundlersGas);
    }
  });

  it('names the signature when it is empty and the account is unknown', async () => {
    const { estimator } = bundlerThatSays(estimate);
    const request = requestFor(userOperationV06Builder().with('signature', '0x').build());
    await expect(estimator.estimateGasLimits(request)).rejects.toThrow(InvalidParamsError);
  });
});
