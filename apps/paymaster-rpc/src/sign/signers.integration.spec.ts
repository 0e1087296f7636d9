import { createDigestHasher, decodePaymasterAndData } from '@paymaster/chain';
import { connectDevChain, DEV_KEYS, paymasterAbi, rpc } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, type Address, type Hex } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { StandingSigners, type StandingSigner } from '@paymaster/signers/testing';
import { encodeAbiParameters, encodeFunctionData, keccak256, recoverAddress, toHex } from 'viem';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV06, type RpcAnswer } from '../testing/rpc-call';

/** The gateway asks a contract again after 5 s about a signer that it did not accept. */
const PATIENCE_MS = 60_000;

describe('two live signers behind the gateway', () => {
  let signers: StandingSigners;
  let preferred: StandingSigner;
  let other: StandingSigner;
  let world: GatewayWorld;
  let callData: Hex;
  let endpoint: string;

  beforeAll(async () => {
    signers = new StandingSigners();
    preferred = await signers.start('aws-kms', Buffer.from(DEV_KEYS.signer.privateKey.slice(2), 'hex'));
    other = await signers.start('web3signer');
    signers.list(preferred, other);
    world = await startGatewayWorld({
      env: { SIGNER_PRIVATE_KEY: '', SIGNERS_FILE: signers.path, SIGNER_TIMEOUT_MS: '5000' },
    });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
    endpoint = `${world.url}/api/v1/31337/${world.newPaymaster().apiKey}`;
  });
  afterAll(async () => {
    await world?.stop();
    await signers?.stop();
  });

  const sponsor = (operation = wireOperationV06(callData)): Promise<RpcAnswer> =>
    call(endpoint, 'pm_sponsorUserOperation', [operation, sponsoredMode()]);

  /** The signer that signed the answer. */
  async function signerOf(): Promise<Address> {
    const operation = wireOperationV06(callData);
    const { json } = await sponsor(operation);
    const { sponsorFields, signature } = decodePaymasterAndData('0.6', json.result?.['paymasterAndData'] as Hex);
    const digest = (await createDigestHasher()).digest(
      {
        ...{
          entryPointVersion: '0.6',
          sender: operation['sender'] as Hex,
          nonce: BigInt(operation['nonce'] as string),
        },
        ...{ initCode: '0x', callData, callGasLimit: 100_000n, verificationGasLimit: 150_000n },
        ...{ preVerificationGas: 50_000n, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
        signature: '0x',
      },
      {
        ...{ chainId: 31337, paymaster: world.paymasters['0.6'], entryPoint: CANONICAL_ENTRY_POINTS['0.6'] },
        ...{ sponsorFields, paymasterGasLimits: { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n } },
      },
    );
    const hash: Hex = `0x${Buffer.from(digest).toString('hex')}`;
    return (await recoverAddress({ hash, signature })).toLowerCase() as Address;
  }

  const signerHealth = async (): Promise<{ status: string; detail: string }> => {
    const health = (await (await fetch(`${world.url}/health`)).json()) as {
      checks: Record<string, { status: string; detail: string }>;
    };
    return health.checks['signer']!;
  };

  it('signs with the one that the contracts accept, and names the other in its health', async () => {
    expect(await signerOf()).toBe(preferred.server.address);
    const { status, detail } = await signerHealth();
    expect(status).toBe('degraded');
    expect(detail).toContain(`aws-kms-0 ${preferred.server.address} up`);
    expect(detail).toContain(`web3signer-1 ${other.server.address} in no signer set of 31337:v0.6`);
  });

  /** As if the signer's days of waiting had passed: a block of their time would be too far in the future to be believed. */
  async function endWait(paymaster: Address, signer: Address): Promise<void> {
    const { url } = world.anvil;
    const member = [{ type: 'address' }, { type: 'uint256' }] as const;
    for (let slot = 0n; slot < 32n; slot++) {
      const place = keccak256(encodeAbiParameters(member, [signer, slot]));
      const activeFrom = await rpc<Hex>(url, 'eth_getStorageAt', [paymaster, place, 'latest']);
      if (BigInt(activeFrom) === 0n) continue;
      await rpc(url, 'anvil_setStorageAt', [paymaster, place, toHex(1n, { size: 32 })]);
      return;
    }
    throw new Error(`${signer} is not in the signer set of ${paymaster}`);
  }

  it('is up once both are active in every contract', async () => {
    const owner = await connectDevChain({ rpcUrl: world.anvil.url, privateKey: DEV_KEYS.owner.privateKey });
    const data = encodeFunctionData({ abi: paymasterAbi, functionName: 'addSigner', args: [other.server.address] });
    for (const paymaster of Object.values(world.paymasters)) await owner.execute({ to: paymaster, data });
    expect((await signerHealth()).detail).toContain(
      `web3signer-1 ${other.server.address} in no signer set of 31337:v0.6`,
    );
    for (const paymaster of Object.values(world.paymasters)) await endWait(paymaster, other.server.address);
    await until(async () => (await signerHealth()).status === 'up', 'both are accepted', PATIENCE_MS);
  });

  it('fails none of 80 requests while the preferred one closes its connections', async () => {
    const burst = Array.from({ length: 80 }, async (_unused, index) => {
      if (index === 30) preferred.server.mode = 'closes';
      return sponsor();
    });
    const statuses = (await Promise.all(burst)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(await signerOf()).toBe(other.server.address);
    expect(await signerHealth()).toMatchObject({ status: 'degraded' });
  });

  it('answers -32011 at once while none signs: nothing is signed, nothing is held, and it is not ready', async () => {
    other.server.mode = 'http500';
    await until(
      async () => {
        await sponsor();
        return (await signerHealth()).status === 'down';
      },
      'both are out',
      PATIENCE_MS,
    );
    const held = await world.ledger.rows('SELECT 1 FROM ledger.reservations');
    const signatures = preferred.server.signatures + other.server.signatures;

    const { status, headers, json } = await sponsor();
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('2');
    expect(json.error).toMatchObject({
      code: -32011,
      data: { reason: 'DEPENDENCY_UNAVAILABLE', dependency: 'signer' },
    });
    expect(await world.ledger.rows('SELECT 1 FROM ledger.reservations')).toHaveLength(held.length);
    expect(preferred.server.signatures + other.server.signatures).toBe(signatures);
    expect((await fetch(`${world.url}/health/ready`)).status).toBe(503);
  });

  it('signs again with the preferred one when both are back, without a restart', async () => {
    preferred.server.mode = other.server.mode = 'ok';
    await until(async () => (await signerHealth()).status === 'up', 'both are back', PATIENCE_MS);
    expect(await signerOf()).toBe(preferred.server.address);
    expect([...preferred.server.problems, ...other.server.problems]).toEqual([]);
  });
});
