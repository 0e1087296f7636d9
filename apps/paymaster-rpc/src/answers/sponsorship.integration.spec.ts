import { createDigestHasher, decodePaymasterAndData } from '@paymaster/chain';
import { DEV_KEYS } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, DEFAULT_PAYMASTER_SETTINGS, normalizeAddress, type Hex } from '@paymaster/domain';
import { recoverAddress } from 'viem';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV06, wireOperationV07 } from '../testing/rpc-call';

describe('sponsorship over HTTP', () => {
  let world: GatewayWorld;
  let callData: Hex;

  beforeAll(async () => {
    world = await startGatewayWorld();
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  });
  afterAll(() => world?.stop());

  const endpoint = (apiKey: string): string => `${world.url}/api/v1/31337/${apiKey}`;

  it.each(['pm_sponsorUserOperation', 'pm_getFeeQuoteOrData'])(
    '%s signs a v0.6 operation exactly as sent',
    async (method) => {
      const { apiKey } = world.newPaymaster();
      const operation = wireOperationV06(callData, { nonce: '0x2' });
      const { status, json } = await call(endpoint(apiKey), method, [operation, sponsoredMode()]);

      expect(status).toBe(200);
      expect(json.result).toEqual({
        MODE: 'SPONSORED',
        mode: 'SPONSORED',
        paymasterAndData: expect.stringMatching(/^0x[0-9a-f]{252}$/),
        preVerificationGas: '50000',
        verificationGasLimit: 150_000,
        callGasLimit: 100_000,
      });
      const decoded = decodePaymasterAndData('0.6', json.result?.['paymasterAndData'] as Hex);
      expect(decoded.paymaster).toBe(world.paymasters['0.6']);
      expect(decoded.sponsorFields.fundingWallet).toBe(normalizeAddress(DEV_KEYS.fundingWallet.address));
      const digest = (await createDigestHasher()).digest(
        {
          entryPointVersion: '0.6',
          sender: operation['sender'] as Hex,
          nonce: 2n,
          initCode: '0x',
          callData,
          callGasLimit: 100_000n,
          verificationGasLimit: 150_000n,
          preVerificationGas: 50_000n,
          maxFeePerGas: 2_000_000_000n,
          maxPriorityFeePerGas: 1_000_000_000n,
          signature: '0x',
        },
        {
          chainId: 31337,
          paymaster: world.paymasters['0.6'],
          entryPoint: CANONICAL_ENTRY_POINTS['0.6'],
          sponsorFields: decoded.sponsorFields,
          paymasterGasLimits: { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n },
        },
      );
      const hash: Hex = `0x${Buffer.from(digest).toString('hex')}`;
      expect(await recoverAddress({ hash, signature: decoded.signature })).toBe(DEV_KEYS.signer.address);
    },
  );

  it('adds the v0.7 fields as hex and tells both forms of the same data', async () => {
    const { apiKey } = world.newPaymaster();
    const operation = wireOperationV07(callData);
    const { json } = await call(endpoint(apiKey), 'pm_sponsorUserOperation', [operation, sponsoredMode()]);
    const decoded = decodePaymasterAndData('0.7', json.result?.['paymasterAndData'] as Hex);
    expect(json.result).toMatchObject({
      paymaster: world.paymasters['0.7'],
      paymasterVerificationGasLimit: `0x${decoded.paymasterVerificationGasLimit.toString(16)}`,
      paymasterPostOpGasLimit: `0x${decoded.paymasterPostOpGasLimit.toString(16)}`,
    });
    expect(
      (json.result?.['paymasterAndData'] as string).endsWith((json.result?.['paymasterData'] as string).slice(2)),
    ).toBe(true);
  });

  it('refuses a method that is not whitelisted, with the rule as its reason and no trace', async () => {
    const { apiKey } = world.newPaymaster();
    const other = executeCall({ to: world.demo.address, data: '0xdeadbeef' });
    const { status, json } = await call(endpoint(apiKey), 'pm_sponsorUserOperation', [
      wireOperationV06(other),
      sponsoredMode(),
    ]);
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: -32501, data: { reason: 'METHOD_NOT_WHITELISTED' } });
    expect(Object.keys(json.error?.data ?? {}).sort()).toEqual(['reason', 'requestId']);
  });

  it('answers with 0x and the limits sent where refusals mean that the user pays', async () => {
    const { apiKey } = world.newPaymaster({
      settings: { ...DEFAULT_PAYMASTER_SETTINGS, onRefusal: 'userPays' },
      contracts: [],
    });
    const { status, json } = await call(endpoint(apiKey), 'pm_sponsorUserOperation', [
      wireOperationV06(callData),
      sponsoredMode(),
    ]);
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ paymasterAndData: '0x', callGasLimit: 100_000 });
  });
});
