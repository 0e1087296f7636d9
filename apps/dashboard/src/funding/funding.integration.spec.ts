import { Wallet } from 'ethers';
import { startDashboard, type DashboardUnderTest } from '../testing/dashboard-under-test';
import { createPaymaster } from '../testing/requests';

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

describe('an account name that could forge the signed text', () => {
  it('makes no account', async () => {
    await expect(dashboard.createToken('Team\nNonce: 00')).rejects.toThrow('name must not contain control characters');
  });
});
