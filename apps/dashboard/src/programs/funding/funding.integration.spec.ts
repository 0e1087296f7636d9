import { randomUUID } from 'node:crypto';
import { Wallet } from 'ethers';
import { AccountsService } from '../../access/accounts/accounts.service';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import { databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster } from '../../testing/requests';
import { FundingMessagesRepository } from './funding-messages.repository';
import { FundingService } from './funding.service';

let dashboard: DashboardUnderTest;
beforeAll(async () => (dashboard = await startDashboard()));
afterAll(() => dashboard.stop());

describe('the paymasterId of 6a and 6b', () => {
  it('may be in upper case and is answered in lower case', async () => {
    const keys = await createPaymaster(dashboard);
    const wallet = Wallet.createRandom();
    const first = await dashboard.call({ method: 'GET', path: '/funding-message', ...keys });
    const paymasterId = String(first.body.data?.['paymasterId']);
    const upper = paymasterId.toUpperCase();

    const issued = await dashboard.call({ method: 'GET', path: `/funding-message/${upper}`, ...keys });
    expect(issued.body).toMatchObject({ statusCode: 200, data: { paymasterId } });

    const signature = await wallet.signMessage(String(issued.body.data?.['fundingMessage']));
    const body = { paymasterId: upper, type: 'paymasterFundingId', signature, address: wallet.address };
    const linked = await dashboard.call({ method: 'PATCH', path: '/paymaster', ...keys, body });
    expect(linked.body).toMatchObject({ statusCode: 200, data: { paymasterId } });
  });
});

describe('a funding message', () => {
  const TTL_SECONDS = 900;
  const setExpiry = (paymasterId: string, expiresAt: string) =>
    databaseOf(dashboard).query(
      `UPDATE dashboard.funding_messages SET expires_at = ${expiresAt} WHERE paymaster_id = $1`,
      [paymasterId],
    );

  it('says when it expires, which is as long after its timestamp as the configuration says', async () => {
    const keys = await createPaymaster(dashboard);
    const { body } = await dashboard.call({ method: 'GET', path: '/funding-message', ...keys });
    const timeOf = (label: string) =>
      Date.parse(new RegExp(`^${label}: (.*)$`, 'm').exec(String(body.data?.['fundingMessage']))?.[1] ?? '');
    expect(timeOf('Expires') - timeOf('Timestamp')).toBe(TTL_SECONDS * 1_000);
  });

  it('links the wallet that signed it, to its own paymaster, once, until it expires', async () => {
    const keys = await createPaymaster(dashboard);
    const [wallet, stranger] = [Wallet.createRandom(), Wallet.createRandom()];
    const issued = await dashboard.call({ method: 'GET', path: '/funding-message', ...keys });
    const [text, paymasterId] = [issued.body.data?.['fundingMessage'], issued.body.data?.['paymasterId']].map(String);
    const signature = await wallet.signMessage(text!);
    const link = (changes: object = {}) => {
      const body = { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address, ...changes };
      return dashboard.call({ method: 'PATCH', path: '/paymaster', ...keys, body });
    };

    await setExpiry(paymasterId!, 'now()');
    expect(await link()).toMatchObject({ status: 400, body: { message: 'Invalid signature' } });
    await setExpiry(paymasterId!, `now() + interval '1 hour'`);
    expect((await link({ address: stranger.address })).status).toBe(400);
    expect((await link({ paymasterId: randomUUID() })).status).toBe(404);
    expect((await link()).status).toBe(200);
    expect((await link()).status).toBe(400);
  });
});

describe('a funding message that two dashboards have read', () => {
  it('links a wallet once', async () => {
    const { authToken, apiKey } = await createPaymaster(dashboard);
    const wallet = Wallet.createRandom();
    const { account, tokenId } = (await dashboard.app.get(AccountsService).authenticate(authToken))!;
    const paymaster = (await dashboard.app.get(PaymastersRepository).findByApiKey(account.id, apiKey))!;
    const [funding, messages] = [dashboard.app.get(FundingService), dashboard.app.get(FundingMessagesRepository)];
    const { fundingMessage } = await funding.issueMessage(account, paymaster);
    const signature = await wallet.signMessage(fundingMessage);
    const request = {
      paymasterId: paymaster.id,
      type: 'paymasterFundingId',
      signature,
      address: wallet.address,
    } as const;
    const link = () => funding.updateWallet({ paymaster, actor: { accountId: account.id, tokenId } }, request);

    const read = jest.spyOn(messages, 'find').mockResolvedValue(await messages.find(paymaster.id));
    await expect(link()).resolves.toMatchObject({ paymasterId: paymaster.id });
    await expect(link()).rejects.toThrow('Invalid signature');
    read.mockRestore();
  });
});

describe('an account name that could forge the signed text', () => {
  it('makes no account', async () => {
    await expect(dashboard.createToken('Team\nNonce: 00')).rejects.toThrow('name must not contain control characters');
  });
});
