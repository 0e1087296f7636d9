import { randomUUID } from 'node:crypto';
import { AutomineProvider, FakeRpcError, lyingProxy, type LyingProxy } from '@paymaster/chain/testing';
import { startAnvil, type Anvil } from '@paymaster/devnet';
import { ENTRY_POINTS } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import type { LandedEvent } from '@paymaster/messaging';
import { Interface } from 'ethers';
import { CHAIN_ID, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster, paymasterIdOf, refusal, type Keys } from '../../testing/requests';
import { OperationsProjection } from './operations.projection';

const ENTRY_POINT = ENTRY_POINTS['0.7'].address;
const SENDER = randomAddress();
const COUNTER = randomAddress();
/** The first four bytes of add(uint256), and 7. */
const ADD_SEVEN = `0x1003e2d2${'7'.padStart(64, '0')}`;
const ACCOUNT = new Interface(['function execute(address,uint256,bytes)']);
const BUNDLER = new Interface([
  'function handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[], address)',
]);
const WORD = `0x${'00'.repeat(32)}`;

let anvil: Anvil;
/** The dashboard's node. */
let node: LyingProxy;
let rpc: AutomineProvider;
let dashboard: DashboardUnderTest;
let keys: Keys;
let reservation = 0;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  rpc = new AutomineProvider(anvil.url, undefined, { cacheTimeout: -1, pollingInterval: 20 });
  node = await lyingProxy(anvil.url);
  dashboard = await startDashboard({ chainRpcUrl: node.url });
  keys = await createPaymaster(dashboard);
});
afterAll(async () => {
  await dashboard.stop();
  rpc.destroy();
  await node.stop();
  await anvil.stop();
});

/** A transaction with one operation in it; where no contract is, none refuses it. */
async function landedWith({
  callData,
  to = ENTRY_POINT as string,
}: {
  callData: string;
  to?: string;
}): Promise<string> {
  const operation = [SENDER, 7n, '0x', callData, WORD, 0n, WORD, '0x', '0x'];
  const signer = await rpc.getSigner(0);
  const data = BUNDLER.encodeFunctionData('handleOps', [[operation], randomAddress()]);
  const { hash } = await signer.sendTransaction({ to, data });
  return hash;
}

/** The id of an operation as settlement tells of it; without a transaction it landed and its block was undone. */
async function operationOf(transactionHash: string | null, mode: LandedEvent['mode'] = 'sponsored'): Promise<string> {
  reservation += 1;
  const event = (kind: LandedEvent['kind']): LandedEvent => ({
    ...{ kind, eventId: randomUUID(), atMs: Date.now(), chainId: CHAIN_ID, paymasterId },
    ...{ reservationId: `${reservation}`, mode, sender: SENDER, nonce: '7', entryPointVersion: '0.7' },
    ...{ userOpHash: randomHex(32), transactionHash: transactionHash ?? WORD, blockNumber: '9', success: true },
    ...{ fundingWallet: randomAddress(), chargedWei: '6', actualGasCostWei: '5' },
  });
  const paymasterId = await paymasterIdOf(dashboard, keys);
  const projection = dashboard.app.get(OperationsProjection);
  await projection.apply(event('landed'));
  if (transactionHash === null) await projection.apply(event('unlanded'));
  const { data } = (await get('/operation?limit=1')).body;
  return (data?.['operations'] as { id: string }[])[0]?.id ?? '';
}

const get = (path: string, by = keys) => dashboard.call({ method: 'GET', path, ...by });
const callsOf = async (transactionHash: string | null) => get(`/operation/${await operationOf(transactionHash)}/calls`);

describe('GET /operation/{operationId}/calls', () => {
  it('shows what the operation called, with its arguments', async () => {
    const callData = ACCOUNT.encodeFunctionData('execute', [COUNTER, 5n, ADD_SEVEN]);
    const calls = [{ to: COUNTER, valueWei: '5', selector: '0x1003e2d2', data: ADD_SEVEN }];
    expect((await callsOf(await landedWith({ callData }))).body).toEqual({
      ...{
        statusCode: 200,
        message: 'Operation calls fetched',
        data: { calls, reason: null, message: null, tokenPayment: null },
      },
    });
  });

  it.each<[string, () => Promise<string | null>]>([
    ['notLanded', async () => null],
    ['transactionUnknown', async () => randomHex(32)],
    ['notInBundle', () => landedWith({ callData: '0x', to: randomAddress() })],
    ['notUnderstood', () => landedWith({ callData: '0x12345678' })],
  ])('says %s where that is so', async (reason, transaction) => {
    const { status, body } = await callsOf(await transaction());
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: { calls: null, reason, message: expect.stringMatching(/^The .*\.$/) as string, tokenPayment: null },
    });
  });

  it('shows them of an operation that was paid in a token, also where the node keeps no receipts', async () => {
    const callData = ACCOUNT.encodeFunctionData('execute', [COUNTER, 5n, ADD_SEVEN]);
    const id = await operationOf(await landedWith({ callData }), 'token');
    node.lie({
      eth_getTransactionReceipt: () => {
        throw new FakeRpcError(-32000, 'receipts are pruned');
      },
    });
    const { status, body } = await get(`/operation/${id}/calls`);
    node.beHonest();
    expect({ status, data: body.data }).toMatchObject({
      ...{ status: 200, data: { calls: [{ to: COUNTER }], tokenPayment: null } },
    });
  });

  it('takes an operation of another paymaster for an unknown one', async () => {
    const other = await createPaymaster(dashboard);
    for (const id of [await operationOf(null), randomUUID(), 'x', '%00'])
      expect(await get(`/operation/${id}/calls`, other)).toMatchObject({
        ...{ status: 404, body: refusal(404, 'OPERATION_NOT_FOUND', 'Operation not found') },
      });
  });

  it('answers 503 while the chain does not answer', async () => {
    const id = await operationOf(await landedWith({ callData: '0x' }));
    await anvil.stop();
    expect(await get(`/operation/${id}/calls`)).toMatchObject({
      ...{ status: 503, body: { message: 'The chain cannot be read at the moment' } },
    });
  });
});
