import { createHash } from 'node:crypto';
import { Wallet } from 'ethers';
import { hashSecret } from '../crypto/secret-text';
import { auditLogOf } from '../../testing/audit-log-of';
import { databaseOf, startDashboard, type DashboardUnderTest, type TestCall } from '../../testing/dashboard-under-test';
import {
  contractBody,
  COUNTER_ABI,
  createPaymaster,
  paymasterBody,
  paymasterIdOf,
  type Keys,
} from '../../testing/requests';
import { plansOf, wideReads } from '../../testing/statement-plans';

let dashboard: DashboardUnderTest;
let keys: Keys;
let paymasterId: string;
beforeAll(async () => {
  dashboard = await startDashboard();
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  paymasterId = String((await send('GET', '/funding-message'))['paymasterId']);
});
afterAll(() => dashboard.stop());

async function send(method: TestCall['method'], path: string, body?: object, status = 200) {
  const answer = await dashboard.call({ method, path, ...keys, body });
  expect(answer.status).toBe(status);
  return answer.body.data ?? {};
}
const log = () => auditLogOf(dashboard, paymasterId);

describe('the audit log', () => {
  it('says what was changed of contracts, without their ABIs', async () => {
    const { address, ...contract } = contractBody();
    await send('POST', '/smart-contract', { address, ...contract });
    await send('PATCH', '/smart-contract', { address, whitelistedMethods: ['add'] });
    await send('DELETE', '/smart-contract', { address });
    const abiSha256 = createHash('sha256').update(COUNTER_ABI).digest('hex');
    const created = { name: contract.name, address, abiSha256, whitelistedMethods: ['count'] };
    const updated = { ...created, whitelistedMethods: ['add'] };
    expect(await log()).toMatchObject([
      { version: 2, subject: 'contract', subjectId: address, action: 'created', before: null, after: created },
      { version: 3, subject: 'contract', subjectId: address, action: 'updated', before: created, after: updated },
      { version: 4, subject: 'contract', subjectId: address, action: 'deleted', before: updated, after: null },
    ]);
  });

  it('says what was changed of the settings', async () => {
    await send('PATCH', '/paymaster-settings', { sponsorAnyContract: true, maxOperationCostWei: '7' });
    expect(await log()).toMatchObject([
      {
        subject: 'settings',
        subjectId: paymasterId,
        action: 'updated',
        before: { sponsorAnyContract: false, maxOperationCostWei: null },
        after: { sponsorAnyContract: true, maxOperationCostWei: '7', explainToClients: false },
      },
    ]);
  });

  it('says who pays now, and who did', async () => {
    const wallet = Wallet.createRandom();
    const { fundingMessage } = await send('GET', '/funding-message');
    const signature = await wallet.signMessage(String(fundingMessage));
    await send('PATCH', '/paymaster', { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address });
    expect(await log()).toMatchObject([
      {
        subject: 'fundingWallet',
        action: 'updated',
        before: { fundingWallet: null },
        after: { fundingWallet: wallet.address.toLowerCase() },
      },
    ]);
  });

  it('says by which token, and when', async () => {
    await send('PATCH', '/paymaster-settings', { explainToClients: true });
    const [token] = await databaseOf(dashboard).query(
      'SELECT id, account_id AS "accountId" FROM dashboard.auth_tokens WHERE token_hash = $1',
      [hashSecret(keys.authToken)],
    );
    const [entry] = await log();
    expect(entry).toMatchObject({ accountId: token.accountId, tokenIdPrefix: token.id.slice(0, 8) });
    expect(Math.abs(Number(entry?.at) - Date.now())).toBeLessThan(60_000);
  });

  it('says nothing of writes that were refused, or that changed nothing', async () => {
    await send('PATCH', '/paymaster-settings', { explainToClients: false });
    await send('POST', '/smart-contract', { ...contractBody(), whitelistedMethods: ['mint'] }, 400);
    await send('DELETE', '/smart-contract', { address: contractBody().address }, 404);
    expect(await log()).toEqual([]);
  });
});

describe('GET /account/audit-log', () => {
  interface Page {
    readonly entries: readonly Record<string, unknown>[];
    readonly nextCursor: string | null;
  }
  const page = async (query = '', authToken = keys.authToken) => {
    const { status, body } = await dashboard.call({ method: 'GET', path: `/account/audit-log${query}`, authToken });
    return { status, ...(body.data as unknown as Page), message: body.message };
  };
  const versions = ({ entries }: Page) => entries.map(({ version }) => version);

  it('shows the changes of all paymasters of the account, newest first, and of no other account', async () => {
    await send('PATCH', '/paymaster-settings', { explainToClients: true });
    const { apiKey } = await createPaymasterOf(keys.authToken);
    await dashboard.call({ method: 'POST', path: '/smart-contract', ...keys, apiKey, body: contractBody() });
    const stranger = await createPaymaster(dashboard);
    await dashboard.call({ method: 'POST', path: '/smart-contract', ...stranger, body: contractBody() });
    const { entries, nextCursor } = await page();
    expect(entries).toMatchObject([
      { subject: 'contract', action: 'created', before: null, paymasterId: await paymasterIdOf(dashboard, { apiKey }) },
      { subject: 'settings', action: 'updated', before: { explainToClients: false }, paymasterId },
    ]);
    expect(nextCursor).toBeNull();
    expect((await page(`?paymasterId=${paymasterId}`, stranger.authToken)).entries).toEqual([]);
  });

  it('is filtered, and paged without gaps or repetitions', async () => {
    const [token] = await databaseOf(dashboard).query(
      'SELECT id, account_id AS "accountId" FROM dashboard.auth_tokens WHERE token_hash = $1',
      [hashSecret(keys.authToken)],
    );
    // Many of one transaction, which have the same time.
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.audit_log (paymaster_id, version, account_id, token_id_prefix, subject, subject_id, action, after)
       SELECT $1, n, $2, $3, 'policy', n::text, 'created', '{}' FROM generate_series(1, 120) n`,
      [paymasterId, token.accountId, token.id.slice(0, 8)],
    );
    await send('PATCH', '/paymaster-settings', { explainToClients: true });
    const query = `?subject=policy&actor=${token.id.slice(0, 8)}&paymasterId=${paymasterId}&from=2025-01-01`;
    const seen: unknown[] = [];
    for (let next: string | null = ''; next !== null;) {
      const one: Page = await page(`${query}${next && `&cursor=${next}`}`);
      expect(one.entries.length).toBeLessThanOrEqual(50);
      seen.push(...versions(one));
      next = one.nextCursor;
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => 120 - index));
    expect((await page('?subject=settings')).entries).toHaveLength(1);
    expect((await page('?actor=00000000')).entries).toEqual([]);
    expect((await page('?to=2025-01-01')).entries).toEqual([]);
  });

  it.each([
    ['paymasterId=x', 'paymasterId'],
    ['subject=everything', 'subject'],
    ['actor=me', 'actor'],
    ['from=yesterday', 'from'],
    ['cursor=x', 'cursor'],
    ['limit=5', 'limit'],
  ])('refuses ?%s and names it', async (query, name) => {
    expect(await page(`?${query}`)).toMatchObject({ status: 400, message: expect.stringContaining(name) });
  });

  it('reads few rows at 10,000 entries, by an index', async () => {
    const database = databaseOf(dashboard);
    const [{ accountId }] = await database.query(
      'SELECT account_id AS "accountId" FROM dashboard.paymasters WHERE id = $1',
      [paymasterId],
    );
    for (let step = 0; step < 10; step++) {
      await database.query(
        `INSERT INTO dashboard.audit_log (paymaster_id, version, account_id, token_id_prefix, subject, subject_id, action,
                                          after, at)
         SELECT $1, n + 1, $2, lpad(to_hex(n % 50), 8, '0'), 'policy', n::text, 'created', '{}', now() - n * interval '1 s'
           FROM generate_series($3::int * 1000, ($3::int + 1) * 1000 - 1) n`,
        [paymasterId, accountId, step],
      );
    }
    await database.query('ANALYZE dashboard.audit_log');
    const filters = ['', `paymasterId=${paymasterId}`, 'subject=policy', 'subject=token', 'actor=00000007'];
    for (const filter of [...filters, 'actor=ffffffff', 'from=2025-01-01&to=2025-01-02']) {
      const plans = await plansOf(database, () => page(`?${filter}`));
      expect({ filter, wide: plans.flatMap((plan) => wideReads(plan, 100)) }).toEqual({ filter, wide: [] });
      expect(plans).not.toEqual([]);
    }
  });

  async function createPaymasterOf(authToken: string): Promise<{ apiKey: string }> {
    const answer = await dashboard.call({ method: 'POST', path: '/paymaster', authToken, body: paymasterBody() });
    return { apiKey: String(answer.body.data?.['apiKey']) };
  }
});
