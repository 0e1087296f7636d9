import { generatePrivateKey } from 'viem/accounts';
import type { Hex } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { startGatewayWorld, type GatewayWorld } from '../../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV06, type RpcAnswer } from '../../testing/rpc-call';

interface Health {
  checks: Record<'chains' | 'ledger' | 'policy' | 'signer', { status: string }>;
}

const LIMITS = { callGasLimit: '0x30d40', verificationGasLimit: '0x7a120', preVerificationGas: '0xea60' };

const sponsor = (world: GatewayWorld, apiKey: string, callData: Hex, mode: object): Promise<RpcAnswer> =>
  call(`${world.url}/api/v1/31337/${apiKey}`, 'pm_sponsorUserOperation', [
    { ...wireOperationV06(callData), ...LIMITS },
    mode,
  ]);

describe('a signer that no contract accepts', () => {
  let world: GatewayWorld;

  beforeAll(async () => {
    world = await startGatewayWorld({ env: { SIGNER_PRIVATE_KEY: generatePrivateKey() }, readiness: 503 });
  });
  afterAll(() => world?.stop());

  it('signs nothing, and is not ready', async () => {
    const { apiKey } = world.newPaymaster();
    const callData = executeCall({ to: world.demo.address, data: world.demo.callData });
    const checks = async () => ((await (await fetch(`${world.url}/health/ready`)).json()) as Health).checks;
    await until(async () => {
      const { chains, ledger, policy, signer } = await checks();
      return [chains, ledger, policy].every(({ status }) => status === 'up') && signer.status === 'down';
    }, 'all but the signer is well, which every contract refused');
    expect((await fetch(`${world.url}/health/ready`)).status).toBe(503);

    const answer = await sponsor(world, apiKey, callData, sponsoredMode());
    expect([answer.status, answer.json.error?.code]).toEqual([503, -32011]);
    expect(answer.json.error?.data).toMatchObject({ dependency: 'signer' });
  });
});

describe('onRefusal userPays', () => {
  let world: GatewayWorld;

  beforeAll(async () => {
    world = await startGatewayWorld();
  });
  afterAll(() => world?.stop());

  it.each([true, false])(
    'gives back the limits that were sent, with calculateGasLimits %s and no funding wallet',
    async (calculateGasLimits) => {
      const { apiKey, snapshot } = world.newPaymaster();
      world.responder.set(apiKey, {
        ...snapshot,
        fundingWallet: null,
        contracts: [],
        settings: { ...snapshot.settings, onRefusal: 'userPays' },
      });
      const callData = executeCall({ to: world.demo.address, data: world.demo.callData });
      const { status, json } = await sponsor(world, apiKey, callData, sponsoredMode({ calculateGasLimits }));
      expect(status).toBe(200);
      expect(json.result).toMatchObject({
        paymasterAndData: '0x',
        callGasLimit: 200_000,
        verificationGasLimit: 500_000,
        preVerificationGas: '60000',
      });
    },
  );
});
