import { decodePaymasterAndData } from '@paymaster/chain';
import { connectDevChain, deployPaymasters, DEV_KEYS } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_LIVE_SIGNATURE_CAPS,
  DEFAULT_PAYMASTER_SETTINGS,
  normalizeAddress,
  type Address,
  type Hex,
} from '@paymaster/domain';
import { randomAddress, until } from '@paymaster/domain/testing';
import { fromStored } from '@paymaster/ledger/testing';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV06, type RpcAnswer } from '../testing/rpc-call';

/**
 * Requests with `wireOperationV06` and its own limits, so all operations cost the same. The brake is off, because
 * wallets are spent to the last wei.
 */
const CAPS = { ...DEFAULT_LIVE_SIGNATURE_CAPS, perClient: 10_000, clientSharePercent: 100 };
const withCaps = (changes: Partial<typeof CAPS>) => ({
  settings: {
    ...DEFAULT_PAYMASTER_SETTINGS,
    spendingBrake: false,
    liveSignatureCaps: { ...CAPS, ...changes },
    // Own bound: a network of strangers may cost a part of these small wallets only, and a named server all of it.
    servers: 'perClient' in changes ? [] : [SERVER],
  },
});
/** From where requests come. */
const SERVER = '198.51.100.1';

interface Asking {
  readonly apiKey: string;
  readonly operation?: object;
  readonly url?: string;
  readonly from?: string;
}

describe('reservations', () => {
  let world: GatewayWorld;
  let callData: Hex;
  /** What one operation holds; wei. */
  let costWei: bigint;

  beforeAll(async () => {
    world = await startGatewayWorld({ env: { TRUSTED_PROXIES: '1', LEDGER_MAX_LAG_SECONDS: '3600' } });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
    const first = await sponsor({ apiKey: world.newPaymaster().apiKey });
    if (first.status !== 200) throw new Error(first.text);
    const [held] = await world.ledger.rows<{ hold_wei: string }>('SELECT hold_wei FROM ledger.reservations');
    costWei = BigInt(held!.hold_wei);
  });
  afterAll(() => world?.stop());

  const sponsor = ({ apiKey, operation = {}, url = world.url, from = SERVER }: Asking): Promise<RpcAnswer> =>
    call(
      `${url}/api/v1/31337/${apiKey}`,
      'pm_sponsorUserOperation',
      [wireOperationV06(callData, operation), sponsoredMode()],
      { 'x-forwarded-for': from },
    );
  const reasonOf = ({ json }: RpcAnswer) => json.error?.data['reason'] ?? 'signed';
  const tally = (answers: readonly RpcAnswer[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const reason of answers.map(reasonOf)) counts[String(reason)] = (counts[String(reason)] ?? 0) + 1;
    return counts;
  };
  /** A paymaster with its own wallet, which can pay for this many operations and lacks one wei for one more. */
  const newFunded = async (operations: bigint, changes: object = withCaps({})) => {
    const fundingWallet: Address = randomAddress();
    const spendableWei = operations * costWei + costWei - 1n;
    await world.ledger.setWallet({ contract: world.paymasters['0.6'], wallet: fundingWallet, spendableWei });
    return world.newPaymaster({ fundingWallet, ...changes });
  };
  const openHolds = async (paymasterId: string) => {
    const [row] = await world.ledger.rows<{ count: string; wei: string }>(
      `SELECT count(*), coalesce(sum(hold_wei), 0) AS wei FROM ledger.reservations
        WHERE paymaster_id = $1 AND state = 'open'`,
      [paymasterId],
    );
    return { count: Number(row!.count), wei: BigInt(row!.wei) };
  };

  it('grants exactly what a wallet can pay for, however many ask two gateways at once', async () => {
    const { apiKey, snapshot } = await newFunded(37n);
    const urls = [world.url, await world.another()];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => sponsor({ apiKey, url: urls[index % 2] })),
    );
    expect(tally(answers)).toEqual({ signed: 37, FUNDING_WALLET_BALANCE_TOO_LOW: 63 });
    expect(await openHolds(snapshot.paymasterId)).toEqual({ count: 37, wei: 37n * costWei });
    const refusal = answers.find(({ json }) => json.error);
    expect([refusal?.status, refusal?.json.error?.code]).toEqual([400, -32508]);
  });

  it('signs for one contract only, while gateways are switched to the next: each pays from its own account', async () => {
    const other = await connectDevChain({ rpcUrl: world.anvil.url, privateKey: DEV_KEYS.fundingWallet.privateKey });
    const { signer, fundingWallet: wallet } = DEV_KEYS;
    const next = await deployPaymasters(other, { signer: signer.address, fundingWallet: wallet.address });
    const contracts = { old: world.paymasters['0.6'], next: normalizeAddress(next['0.6']) };
    const { apiKey, snapshot } = await newFunded(3n);
    const { fundingWallet } = snapshot;
    const spendableWei = 3n * costWei - 1n;
    await world.ledger.setWallet({ contract: contracts.next, wallet: fundingWallet!, spendableWei });
    const entryPoint = CANONICAL_ENTRY_POINTS['0.6'];
    const switched = { entryPoint, paymaster: contracts.next, drainingPaymasters: [contracts.old] };
    const urls = [world.url, await world.another({ entryPoints: { '0.6': switched } })];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sponsor({ apiKey, url: urls[index % 2] })),
    );
    expect(tally(answers)).toEqual({ signed: 5, FUNDING_WALLET_BALANCE_TOO_LOW: 15 });
    const signedFor = (url: number) =>
      answers
        .filter(({ json }, index) => json.result && index % 2 === url)
        .map(({ json }) => String(json.result!['paymasterAndData']).slice(0, 42));
    expect([signedFor(0), signedFor(1)]).toEqual([Array(3).fill(contracts.old), Array(2).fill(contracts.next)]);
  });

  it('grants exactly what half of a wallet can pay for while the spending brake is on, until its owner releases it', async () => {
    const braked = (brakeReleasedAtMs: number) => ({
      settings: { ...withCaps({}).settings, spendingBrake: true, brakeReleasedAtMs },
    });
    const { apiKey, snapshot } = await newFunded(38n, braked(0));
    const urls = [world.url, await world.another()];
    // The brake counts what operations are expected to cost, which is near what they hold where calls take the most gas.
    const operation = { callGasLimit: '450000' };
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => sponsor({ apiKey, operation, url: urls[index % 2] })),
    );
    const [held] = await world.ledger.rows<{ expected_wei: string }>(
      'SELECT expected_wei FROM ledger.reservations WHERE paymaster_id = $1',
      [snapshot.paymasterId],
    );
    const half = Number((39n * costWei - 1n) / (2n * BigInt(held!.expected_wei)));
    expect(tally(answers)).toEqual({ signed: half, SPENDING_BRAKE: 60 - half });
    const refusal = answers.find(({ json }) => json.error);
    expect([refusal?.status, refusal?.json.error?.code]).toEqual([400, -32501]);
    // The operations land, and each costs what it held.
    await world.ledger.rows(
      `INSERT INTO ledger.losses SELECT wallet_id, paymaster_id, extract(epoch FROM now())::bigint / 60, sum(hold_wei)
         FROM ledger.reservations WHERE paymaster_id = $1 GROUP BY 1, 2`,
      [snapshot.paymasterId],
    );
    expect(reasonOf(await sponsor({ apiKey }))).toBe('SPENDING_BRAKE');
    const stops = () =>
      world.ledger.rows<{ n: string }>(
        `SELECT count(*) AS n FROM ledger.outbox WHERE kind = 'walletBraked' AND paymaster_id = $1`,
        [snapshot.paymasterId],
      );
    expect(await stops()).toEqual([{ n: '1' }]);
    await world.ledger.rows(`UPDATE ledger.losses SET lost_wei = 0 WHERE paymaster_id = $1`, [snapshot.paymasterId]);
    const isStopped = await Promise.all(urls.map((url) => sponsor({ apiKey, url })));
    expect(tally(isStopped)).toEqual({ SPENDING_BRAKE: 2 });
    expect(await stops()).toEqual([{ n: '1' }]);
  });

  it.each([
    // 100,000 gas, three times 150,000 and 50,000, and then a million more.
    ['of usual gas', 100_000, 1n, 'signed'],
    ['of much gas', 1_100_000, 1n, 'SPENDING_BRAKE'],
    ['of much gas, with the brake turned off', 1_100_000, 1n, 'signed', false],
    ['of much gas, of a wallet that has it twice', 1_100_000, 2n, 'signed'],
  ])(
    'lets a single operation take more than half of its wallet only if it is a usual one: %s',
    async (_title, gas, times, outcome, spendingBrake = true) => {
      const operation = { callGasLimit: String(gas) };
      const settings = { ...withCaps({}).settings, spendingBrake: false };
      const other = await newFunded(100n, { settings });
      expect(reasonOf(await sponsor({ apiKey: other.apiKey, operation }))).toBe('signed');
      const neededWei = (await openHolds(other.snapshot.paymasterId)).wei;
      const fundingWallet: Address = randomAddress();
      const spendableWei = neededWei * times;
      await world.ledger.setWallet({ contract: world.paymasters['0.6'], wallet: fundingWallet, spendableWei });
      const { apiKey } = world.newPaymaster({ fundingWallet, settings: { ...settings, spendingBrake } });
      expect(reasonOf(await sponsor({ apiKey, operation }))).toBe(outcome);
    },
  );

  it('grants exactly as many live signatures as a paymaster allows, over two gateways', async () => {
    const { apiKey, snapshot } = world.newPaymaster(withCaps({ perPaymaster: 23 }));
    const urls = [world.url, await world.another()];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => sponsor({ apiKey, url: urls[index % 2] })),
    );
    expect(tally(answers)).toEqual({ signed: 23, TOO_MANY_LIVE_SIGNATURES: 37 });
    expect((await openHolds(snapshot.paymasterId)).count).toBe(23);
  });

  it('holds the maximum of an operation that is asked for again, never the sum', async () => {
    const { apiKey, snapshot } = await newFunded(2n, withCaps({ perSender: 1 }));
    const same = { sender: randomAddress(), nonce: '0x7' };
    const ask = (callGasLimit: number) =>
      sponsor({ apiKey, operation: { ...same, callGasLimit: String(callGasLimit) } });
    const cheap = reasonOf(await ask(50_000));
    const afterCheap = (await openHolds(snapshot.paymasterId)).wei;
    expect([cheap, reasonOf(await ask(100_000)), reasonOf(await ask(60_000))]).toEqual(['signed', 'signed', 'signed']);
    expect(afterCheap).toBeLessThan(costWei);
    expect(await openHolds(snapshot.paymasterId)).toEqual({ count: 1, wei: costWei });
    expect(reasonOf(await sponsor({ apiKey, operation: { ...same, nonce: '0x8' } }))).toBe('TOO_MANY_LIVE_SIGNATURES');
  });

  it('signs no later end of validity than it holds the money for', async () => {
    const { apiKey, snapshot } = world.newPaymaster();
    const { json } = await sponsor({ apiKey });
    const { sponsorFields } = decodePaymasterAndData('0.6', json.result?.['paymasterAndData'] as Hex);
    const [row] = await world.ledger.rows<{ valid_until: string }>(
      'SELECT valid_until FROM ledger.reservations WHERE paymaster_id = $1',
      [snapshot.paymasterId],
    );
    expect(sponsorFields.validUntilSeconds).toBe(Number(row!.valid_until));
  });

  it("lets another tenant name the same sender and nonce: neither uses up the other's caps or hold", async () => {
    const same = { sender: randomAddress(), nonce: '0x7' };
    const [mine, theirs] = [await newFunded(1n, withCaps({ perSender: 1 })), await newFunded(1n)];
    expect(reasonOf(await sponsor({ apiKey: theirs.apiKey, operation: same }))).toBe('signed');
    expect(reasonOf(await sponsor({ apiKey: mine.apiKey, operation: same }))).toBe('signed');
    for (const { snapshot } of [mine, theirs])
      expect(await openHolds(snapshot.paymasterId)).toEqual({ count: 1, wei: costWei });
  });

  it('stops a stranger who hoards with random senders, and serves the others', async () => {
    const { apiKey, snapshot } = await newFunded(100n, withCaps({ perClient: 5 }));
    const hoard = (from: string) => Promise.all(Array.from({ length: 15 }, () => sponsor({ apiKey, from })));
    expect(tally(await hoard('203.0.113.66'))).toEqual({ signed: 5, TOO_MANY_LIVE_SIGNATURES: 10 });
    // The address that the stranger writes into the header stands before the address that the operator's proxy adds.
    expect(tally(await hoard('8.8.8.8, 203.0.113.66'))).toEqual({ TOO_MANY_LIVE_SIGNATURES: 15 });
    const customer = await Promise.all(
      Array.from({ length: 15 }, (_, index) => sponsor({ apiKey, from: `2001:db8:7:9::${index}` })),
    );
    expect(tally(customer)).toEqual({ signed: 5, TOO_MANY_LIVE_SIGNATURES: 10 });
    expect(reasonOf(await sponsor({ apiKey, from: '2001:db8:7:a::1' }))).toBe('signed');
    expect((await openHolds(snapshot.paymasterId)).count).toBe(11);
  });

  it('reports grants, and refusals with their reasons, to owners, but not invalid requests', async () => {
    const { apiKey, snapshot } = await newFunded(1n);
    const granted = await sponsor({ apiKey, operation: { sender: randomAddress(), nonce: '0x1' } });
    await sponsor({ apiKey, operation: { nonce: '0x2' } });
    await sponsor({ apiKey, operation: { nonce: '0x3', callData: '0xdeadbeef' } });
    await sponsor({ apiKey, operation: { nonce: 'nonsense' } });
    await sponsor({ apiKey: apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0')) });
    expect(granted.status).toBe(200);

    const read = () =>
      world.ledger.rows<{ kind: string; payload: Record<string, unknown> }>(
        'SELECT kind, payload FROM ledger.outbox WHERE paymaster_id = $1 ORDER BY id',
        [snapshot.paymasterId],
      );
    await until(async () => (await read()).length >= 3, 'all are told');
    const events = (await read()).map(({ kind, payload }) => ({
      kind,
      payload: fromStored(payload) as typeof payload,
    }));
    expect(events.map(({ kind, payload }) => [kind, payload['nonce'], payload['reason']])).toEqual([
      ['granted', '1', undefined],
      ['refused', '2', 'FUNDING_WALLET_BALANCE_TOO_LOW'],
      ['refused', '3', 'CALL_DATA_NOT_UNDERSTOOD'],
    ]);
    expect(events[0]?.payload).toMatchObject({
      ...{ requestId: granted.headers.get('x-request-id'), prechargeWei: costWei.toString(), policyVersion: 1 },
      ...{ fundingWallet: snapshot.fundingWallet, mode: 'sponsored', reservationId: expect.stringMatching(/^\d+$/) },
      targets: [{ to: world.demo.address, selector: world.demo.callData.slice(0, 10), valueWei: '0' }],
      trace: expect.arrayContaining([{ rule: 'methodsWhitelisted', input: expect.any(String), outcome: 'pass' }]),
    });
    expect(events[1]?.payload).toMatchObject({ prechargeWei: costWei.toString() });
  });

  it('reserves nothing while settlement is too far behind, and says so', async () => {
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const { apiKey } = world.newPaymaster();
    const ready = async () => (await fetch(`${world.url}/health/ready`)).status;
    await world.ledger.seeChain(nowSeconds - 7_200);
    try {
      const { status, headers, json } = await sponsor({ apiKey });
      expect([status, json.error?.code, json.error?.data['reason']]).toEqual([503, -32011, 'LEDGER_BEHIND']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      await until(async () => (await ready()) === 503, 'readiness tells');
    } finally {
      await world.ledger.seeChain();
    }
    expect(reasonOf(await sponsor({ apiKey }))).toBe('signed');
  });
});
