import { CANONICAL_ENTRY_POINTS, DEFAULT_PAYMASTER_SETTINGS, type PolicySnapshot } from '@paymaster/domain';
import { userOperationV07Builder, until } from '@paymaster/domain/testing';
import { demoTokenAbi } from '@paymaster/contract-abis';
import { apiKeyIndex, GatewayClient, MessageAuthenticator } from '@paymaster/messaging';
import { Client } from 'pg';
import type { Abi } from 'viem';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { DIALECTS } from '../wire/dialects/index';
import { METHOD_ROWS, ofNothing } from '../../proofs/isolation/methods';
import { call, executeCall, sponsoredMode, wireOperationV07, type RpcAnswer } from '../testing/rpc-call';
import { draftOperation } from '../../proofs/attacks/testing/draft-operation';
import { startTokenWorld, type TokenWorld } from '../testing/token-world';
import { erc20Mode, toWire } from '../testing/token-call';

const CHAIN_ID = 31337;
const REASON = 'Wallets <b>are drained</b> by its contract.';
/** One request after the other, each. */
const CLIENTS_PER_GATEWAY = 3;
/** Answers of each gateway, under load, after the second that it may take. */
const ENOUGH = 100;

let world: TokenWorld;
let urls: readonly string[];

beforeAll(async () => {
  world = await startTokenWorld({ env: { RATE_LIMIT_PER_KEY_PER_SECOND: '1000000' } });
  urls = [world.url, await world.another()];
}, 240_000);
afterAll(() => world?.stop());

interface Paymaster {
  readonly apiKey: string;
  readonly snapshot: PolicySnapshot;
}

const newPaymaster = (): Paymaster =>
  world.newPaymaster({ settings: { ...DEFAULT_PAYMASTER_SETTINGS, onRefusal: 'userPays' } });

/** What the dashboard does when the operator suspends or resumes: a new version, and its broadcast. */
async function change({ apiKey, snapshot }: Paymaster, by: { version: number; reason: string | null }): Promise<void> {
  const { version, reason: suspensionReason } = by;
  world.responder.set(apiKey, { ...snapshot, version, suspensionReason });
  await world.responder.broadcast({ paymasterId: snapshot.paymasterId, version });
}

const suspend = (paymaster: Paymaster) => change(paymaster, { version: 2, reason: REASON });
const urlOf = (base: string, { apiKey }: Paymaster): string => `${base}/api/v2/${CHAIN_ID}/${apiKey}`;
const callData = () => executeCall({ to: world.demo.address, data: world.demo.callData });
const isSigned = ({ json }: RpcAnswer): boolean => String(json.result?.['paymasterAndData'] ?? '0x') !== '0x';
const refusal = (httpStatus: number) => ({
  status: httpStatus,
  json: {
    error: {
      ...{ code: -32501, message: `The operator of this service has suspended the paymaster: ${REASON}` },
      data: { reason: 'PAYMASTER_SUSPENDED', suspensionReason: REASON },
    },
  },
});

describe('a suspended paymaster', () => {
  const KEYED = DIALECTS.flatMap(({ methods }) => methods)
    .filter((method) => !('anonymous' in method))
    .map(({ name }) => name);

  it.each([...new Set(KEYED)])('is refused %s in all forms, with the reason', async (method) => {
    const paymaster = newPaymaster();
    await suspend(paymaster);
    const own = { contract: world.demo.address, payable: userOperationV07Builder().build() };
    const requests = METHOD_ROWS[method]?.requests(ofNothing(), own) ?? [];
    expect(requests.length).toBeGreaterThan(0);
    for (const params of requests) {
      const answer = await call(urlOf(world.url, paymaster), method, params);
      expect(answer).toMatchObject({ json: refusal(answer.status).json });
      expect([200, 400]).toContain(answer.status);
    }
  });

  it('is explained to its owner with the reason', async () => {
    const paymaster = newPaymaster();
    await suspend(paymaster);
    const indexKey = world.app.get(PaymasterRpcConfig, { strict: false }).apiKeyIndexKey;
    const nats = { natsUrl: world.broker.current.url };
    const client = new GatewayClient({ nats, name: 'dashboard', authenticator: new MessageAuthenticator(indexKey) });
    client.start();
    const question = { chainId: CHAIN_ID, apiKeyIndex: apiKeyIndex(paymaster.apiKey, indexKey) };
    try {
      const explain = () => client.ask('explain', { ...question, userOperation: wireOperationV07(callData()) }, 'r');
      await until(() => explain().then(() => true, () => false), 'a gateway answers'); // prettier-ignore
      expect(await explain()).toMatchObject({
        ...{ sponsored: false, reason: 'PAYMASTER_SUSPENDED', message: expect.stringContaining(REASON), trace: [] },
      });
    } finally {
      await client.close();
    }
  });

  it('gets no signature from any gateway from the next second on, under load, and gets them again when resumed', async () => {
    const paymaster = newPaymaster();
    const answers: { readonly gateway: string; readonly atMs: number; readonly isSigned: boolean }[] = [];
    let isOver = false;
    const send = async (gateway: string): Promise<void> => {
      // The same operation again and again, so that no limit is used up.
      const operation = wireOperationV07(callData());
      while (!isOver) {
        const answer = await call(urlOf(gateway, paymaster), 'pm_sponsorUserOperation', [operation, sponsoredMode()]);
        answers.push({ gateway, atMs: performance.now(), isSigned: isSigned(answer) });
        if (!isSigned(answer)) expect(answer).toMatchObject(refusal(400));
      }
    };
    const clients = urls.flatMap((url) => Array.from({ length: CLIENTS_PER_GATEWAY }, () => send(url)));
    const over = Promise.all(clients);
    over.catch(() => (isOver = true));
    const after = (atMs: number, signed: boolean) =>
      urls.map(
        (url) => answers.filter((each) => each.gateway === url && each.atMs > atMs && each.isSigned === signed).length,
      );
    try {
      await until(() => isOver || after(0, true).every((count) => count > ENOUGH), 'both sign');
      await suspend(paymaster);
      const aSecondLater = performance.now() + 1_000;
      await until(() => isOver || after(aSecondLater, false).every((count) => count > ENOUGH), 'both refuse');
      expect(after(aSecondLater, true)).toEqual([0, 0]);
      await change(paymaster, { version: 3, reason: null });
      const resumedAtMs = performance.now();
      await until(() => isOver || after(resumedAtMs, true).every((count) => count > 0), 'both sign again');
    } finally {
      isOver = true;
      await over;
    }
  });

  it.each(['sponsored', 'paid in a token'])(
    'gets no signature for what is %s and was being decided when it was suspended',
    async (mode) => {
      const paymaster = newPaymaster();
      const url = urlOf(world.url, paymaster);
      const token = world.tokens.USDx;
      const baseUnits = 10n ** BigInt(token.decimals + 6);
      const sender = await world.newHolder({ token, baseUnits });
      const approve = { name: 'approve', args: [world.paymasters['0.7'], baseUnits] };
      const calls = [{ to: token.address, abi: demoTokenAbi as Abi, ...approve }];
      const payable = await draftOperation(world.chain, { version: '0.7', sender, calls });
      const params =
        mode === 'sponsored'
          ? [wireOperationV07(callData()), sponsoredMode()]
          : [toWire(payable), CANONICAL_ENTRY_POINTS['0.7'], erc20Mode({ feeTokenAddress: token.address })];
      // Nothing can be reserved while another holds the table.
      const holder = new Client({ connectionString: world.ledger.url });
      await holder.connect();
      try {
        await holder.query('BEGIN');
        await holder.query('LOCK TABLE ledger.reservations IN ACCESS EXCLUSIVE MODE');
        const asked = call(url, 'pm_sponsorUserOperation', params);
        await until(async () => {
          const { rows } = await holder.query('SELECT FROM pg_locks WHERE NOT granted');
          return rows.length > 0;
        }, 'the request waits for its reservation');
        await suspend(paymaster);
        await holder.query('COMMIT');
        expect(await asked).toMatchObject(refusal(400));
      } finally {
        await holder.end();
      }
    },
  );
});
