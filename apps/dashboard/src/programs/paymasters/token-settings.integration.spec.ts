import { ZERO_ADDRESS } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster, type Keys } from '../../testing/requests';

let dashboard: DashboardUnderTest;
let keys: Keys;
beforeAll(async () => {
  dashboard = await startDashboard();
  keys = await createPaymaster(dashboard);
});
afterAll(() => dashboard.stop());

const settings = (method: 'GET' | 'PATCH', body?: object) =>
  dashboard.call({ method, path: '/paymaster-settings', ...keys, body });

describe('the settings of token mode and of the sponsor', () => {
  it('let anybody pay in every way, to the funding wallet, until they are changed', async () => {
    expect((await settings('GET')).body.data).toMatchObject({
      tokenMode: 'anyCall',
      tokenChargingWays: ['allowance', 'permit', 'batchApproval'],
      tokenFeeReceiver: null,
      allowBatchApprovalWithoutRules: false,
      signWhenSent: false,
    });
  });

  it('turn approvals in the batch on where there is no rule, and ignore ids of other vendors’ policies', async () => {
    const on = { allowBatchApprovalWithoutRules: true, ignoreForeignPolicyIds: true, signWhenSent: true };
    expect((await settings('PATCH', on)).body.data).toMatchObject(on);
    expect((await settings('GET')).body.data).toMatchObject(on);
  });

  it('are changed one by one, and back', async () => {
    const receiver = randomAddress();
    const changed = await settings('PATCH', { tokenFeeReceiver: receiver.toUpperCase().replace('0X', '0x') });
    expect(changed.body.data).toMatchObject({ tokenFeeReceiver: receiver, tokenMode: 'anyCall' });
    await settings('PATCH', { tokenMode: 'off', tokenChargingWays: [] });
    expect((await settings('GET')).body.data).toMatchObject({
      tokenMode: 'off',
      tokenChargingWays: [],
      tokenFeeReceiver: receiver,
    });
    await settings('PATCH', { tokenFeeReceiver: null });
    expect((await settings('GET')).body.data).toMatchObject({ tokenFeeReceiver: null, tokenMode: 'off' });
  });

  it('name a sponsor with an icon, and none again', async () => {
    const sponsor = { sponsorName: 'Caf\u00e9', sponsorIcon: 'data:image/jpeg;base64,/9j/4AAQ' };
    const changed = await settings('PATCH', { ...sponsor, sponsorName: ' Cafe\u0301 ' });
    expect(changed.body.data).toMatchObject(sponsor);
    expect((await settings('PATCH', { sponsorIcon: null })).body.data).toMatchObject({
      ...{ sponsorName: sponsor.sponsorName, sponsorIcon: null },
    });
    expect((await settings('PATCH', { sponsorName: null })).body.data).toMatchObject({ sponsorName: null });
  });

  it.each<[string, string]>([
    ['settings_on_limit_reached', `'native'`],
    ['settings_default_expiry_seconds', '119'],
    ['settings_sponsor_name', `''`],
    ['settings_sponsor_icon', `'https://a.example/icon.png'`],
    ['settings_token_mode', `'sometimes'`],
    ['settings_token_charging_ways', `'{gift}'`],
    ['settings_token_charging_ways', `'{allowance,allowance,allowance,allowance}'`],
    ['settings_token_fee_receiver', `'${ZERO_ADDRESS}'`],
    ['settings_token_fee_receiver', `'0xABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD'`],
  ])('hold in the database too: %s is never %s', async (column, value) => {
    await expect(databaseOf(dashboard).query(`UPDATE dashboard.paymasters SET ${column} = ${value}`)).rejects.toThrow(
      `paymasters_${column}_check`,
    );
  });

  it('are there for a paymaster that a process of the version before registers', async () => {
    const before = ['sponsor_any_contract', 'sponsor_native_transfers', 'sponsor_deployments']
      .concat(['allow_unknown_factories', 'require_known_accounts', 'on_refusal', 'explain_to_clients'])
      .concat(['max_expiry_seconds', 'max_operation_cost_wei', 'allowed_origins'])
      .map((name) => `settings_${name}`);
    const [row] = await databaseOf(dashboard).query(
      `INSERT INTO dashboard.paymasters
         (id, account_id, name, chain_id, type, paymaster_version, api_key_index, api_key_ciphertext, ${before.join()})
       SELECT gen_random_uuid(), account_id, 'older', chain_id, type, paymaster_version, md5('a') || md5('b'), '',
         ${before.join()} FROM dashboard.paymasters LIMIT 1
       RETURNING settings_token_mode AS mode, settings_token_charging_ways AS ways`,
    );
    expect(row).toEqual({ mode: 'anyCall', ways: ['allowance', 'permit', 'batchApproval'] });
  });
});
