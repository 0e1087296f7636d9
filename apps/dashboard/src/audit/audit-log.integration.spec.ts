import { createHash } from 'node:crypto';
import { Wallet } from 'ethers';
import { hashSecret } from '../crypto/secret-text';
import { auditLogOf } from '../testing/audit-log-of';
import { databaseOf, startDashboard, type DashboardUnderTest, type TestCall } from '../testing/dashboard-under-test';
import { contractBody, COUNTER_ABI, createPaymaster, type Keys } from '../testing/requests';

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
