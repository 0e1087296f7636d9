import { readStack } from '@paymaster/devnet';
import { randomAddress } from '@paymaster/domain/testing';
import { freshAccount } from './support/account';
import { expectRefusal, freshPaymaster, fundingMessage, only, type Keys } from './support/fixtures';
import { callPolicies, freshPolicy, limitBody, listPolicies, UUID, type PolicyRecord } from './support/policies';

const BOTH = 'Auth token and API key is required in the headers';
const NOT_FOUND = 'Paymaster Policy not found';
const UNKNOWN_KEY = 'lU3R_dRgt.22c06266-1faa-4c47-8477-e8eaacd90330';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let authToken: string;
let keys: Keys;
beforeAll(async () => {
  ({ authToken } = await freshAccount());
  keys = only(await freshPaymaster(authToken));
});

const patch = (path: string, body?: object) => callPolicies(keys, { method: 'PATCH', path, body });
const show = async (id: string) => (await listPolicies(keys)).find(({ _id }) => _id === id);

describe('the policy operations', () => {
  it('create a limit, to the letter of what existing clients know', async () => {
    const body = limitBody();
    const before = Date.now();
    const answer = await callPolicies<PolicyRecord>(keys, { method: 'POST', body });
    const { paymasterId } = await fundingMessage(keys);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'Paymaster Policy created successfully',
      data: {
        _id: expect.stringMatching(UUID),
        name: body.name,
        policyType: 'PAYMASTER_SA_LIMIT',
        organisationId: expect.stringMatching(UUID),
        paymasterId,
        createdBy: expect.stringMatching(UUID),
        chainId: readStack().chainId,
        active: true,
        policyData: {
          type: 'PAYMASTER',
          startTimeInEpoch: expect.any(Number),
          durationInMs: 10_800_000,
          cycleDuration: { value: 3, unit: 'hour' },
          threshold: 10,
          thresholdType: 'COUNT',
        },
      },
    });
    const start = Number(answer.body.data.policyData['startTimeInEpoch']);
    expect(start).toBeGreaterThan(before - 5_000);
    expect(start).toBeLessThan(Date.now() + 5_000);
  });

  it.each<[string, object, object]>([
    ['WEBHOOK', { url: 'https://hooks.example.org/bico' }, { url: 'https://hooks.example.org/bico' }],
    ['WALLET_DEPLOYMENT', {}, { operator: 'walletDeployment' }],
    ['RULES', {}, { priority: 100 }],
    [
      'PAYMASTER_SA_LIMIT',
      { ...limitBody().policyData, type: 'SMART_ACCOUNT', thresholdType: 'NATIVE_ASSET', threshold: 0.25 },
      { threshold: 0.25, type: 'SMART_ACCOUNT' },
    ],
  ])('create a %s, and list it', async (policyType, policyData, shown) => {
    const policy = await freshPolicy(keys, { name: policyType, policyType, policyData });
    expect(policy).toMatchObject({ policyType, active: true, policyData: shown });
    expect((await listPolicies(keys)).at(-1)).toEqual(policy);
  });

  it('create rules of every kind', async () => {
    const [one, two] = [randomAddress(), randomAddress()];
    const policyData = {
      priority: 1,
      startsAt: 1_700_000_000,
      endsAt: 4_000_000_000,
      senders: { allow: [one, two], deny: [two] },
      maxCallValueWei: '1000000000000000000',
      maxTotalValueWei: '2000000000000000000',
      arguments: [
        { contract: one, method: 'mint(address,uint256)', index: 1, operator: 'LTE', value: '5' },
        { contract: one, method: 'mint(address,uint256)', index: 0, operator: 'IN', value: [two] },
      ],
      maxFeePercentOfBaseFee: 250,
      maxCallGasPercentOfEstimate: 150,
      eip7702Delegates: [one],
      accountFactories: [two],
      revertBreaker: { maxRevertPercent: 50, minOperations: 20, windowMinutes: 60 },
      limits: [
        { scope: 'OPERATION', measure: 'USD', amount: '0.5' },
        { scope: 'USER', measure: 'COUNT', amount: '10', cycle: 'HOUR' },
        { scope: 'USER', measure: 'WEI', amount: '1000000000000000', cycle: 'WEEK' },
        { scope: 'PAYMASTER', measure: 'USD', amount: '100', cycle: 'MONTH' },
        { scope: 'PAYMASTER', measure: 'WEI', amount: '5', cycle: 'LIFETIME' },
      ],
    };
    const policy = await freshPolicy(keys, { name: 'all rules', policyType: 'RULES', policyData });
    expect(policy.policyData).toEqual(policyData);
  });

  it('list policies, oldest first', async () => {
    const own = only(await freshPaymaster(authToken));
    const answer = await callPolicies(own, { method: 'GET' });
    expect(answer).toMatchObject({
      status: 200,
      body: { statusCode: 200, message: 'Paymaster Policies found!', data: [] },
    });
    const created = [await freshPolicy(own), await freshPolicy(own), await freshPolicy(own)];
    expect(await listPolicies(own)).toEqual(created);
  });

  it('show one policy', async () => {
    const policy = await freshPolicy(keys);
    const answer = await callPolicies(keys, { method: 'GET', path: `/${policy._id}` });
    expect(answer.body).toEqual({ statusCode: 200, message: 'Paymaster Policy found!', data: policy });
    expect(await callPolicies(keys, { method: 'GET', path: `/${policy._id.toUpperCase()}` })).toMatchObject({
      status: 200,
    });
  });

  it('edit a limit, which starts a new cycle; a new name does not', async () => {
    const policy = await freshPolicy(keys);
    const answer = await patch(`/limit/${policy._id}`, { name: 'renamed' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ statusCode: 200, message: 'Paymaster Limit updated' });
    expect(await show(policy._id)).toEqual({ ...policy, name: 'renamed' });
    await patch(`/limit/${policy._id}`, { threshold: 5, cycleDuration: { value: 1, unit: 'day' } });
    const edited = await show(policy._id);
    expect(edited?.policyData).toMatchObject({ threshold: 5, durationInMs: 86_400_000, type: 'PAYMASTER' });
    expect(Number(edited?.policyData['startTimeInEpoch'])).toBeGreaterThan(
      Number(policy.policyData['startTimeInEpoch']),
    );
  });

  it('pause and unpause a policy', async () => {
    const policy = await freshPolicy(keys);
    expect((await patch(`/deactivate/${policy._id}`)).body).toEqual({
      statusCode: 200,
      message: 'Paymaster Policy Deactivated!',
    });
    expect(await show(policy._id)).toEqual({ ...policy, active: false });
    expect((await patch(`/activate/${policy._id}`, {})).body).toEqual({
      statusCode: 200,
      message: 'Paymaster Policy Activated!',
    });
    expect(await show(policy._id)).toEqual(policy);
  });

  it('update the data, the name and the priority of a policy', async () => {
    const policy = await freshPolicy(keys, {
      name: 'rules',
      policyType: 'RULES',
      policyData: { maxCallValueWei: '1' },
    });
    const path = `/${policy._id}`;
    const answer = await patch(path, { name: 'better', policyData: { priority: 3, startsAt: 5 } });
    const updated = { ...policy, name: 'better', policyData: { priority: 3, startsAt: 5 } };
    expect(answer.body).toEqual({ statusCode: 200, message: 'Paymaster Policy updated', data: updated });
    expect((await patch(path, { priority: 4 })).body.data).toMatchObject({ policyData: { priority: 4, startsAt: 5 } });
    expect(await show(policy._id)).toEqual({ ...updated, policyData: { priority: 4, startsAt: 5 } });
  });

  it('delete a policy, whose history stays', async () => {
    const policy = await freshPolicy(keys);
    const path = `/${policy._id}`;
    expect((await callPolicies(keys, { method: 'DELETE', path })).body).toEqual({
      statusCode: 200,
      message: 'Paymaster Policy deleted',
    });
    expect(await show(policy._id)).toBeUndefined();
    expectRefusal(await callPolicies(keys, { method: 'DELETE', path }), 404, NOT_FOUND);
    const history = await callPolicies<object[]>(keys, { method: 'GET', path: `${path}/history` });
    expect(history.body).toMatchObject({ statusCode: 200, message: 'Paymaster Policy history found!' });
    expect(history.body.data).toMatchObject([
      { action: 'deleted', accountId: policy.organisationId, before: { name: policy.name }, after: null },
      { action: 'created', tokenIdPrefix: expect.stringMatching(/^[0-9a-f]{8}$/), before: null },
    ]);
  });
});

describe('the policy operations refuse', () => {
  const OPERATIONS: ReadonlyArray<readonly [string, string]> = [
    ['POST', ''],
    ['GET', ''],
    ['GET', '/export'],
    ['POST', '/import'],
    ['GET', `/${UNKNOWN_ID}`],
    ['GET', `/${UNKNOWN_ID}/history`],
    ['PATCH', `/${UNKNOWN_ID}`],
    ['DELETE', `/${UNKNOWN_ID}`],
    ['PATCH', `/limit/${UNKNOWN_ID}`],
    ['PATCH', `/activate/${UNKNOWN_ID}`],
    ['PATCH', `/deactivate/${UNKNOWN_ID}`],
  ];

  it.each(OPERATIONS)('%s %s without a header, and with a wrong one, in the documented order', async (method, path) => {
    const send = (by: Partial<Keys>) => callPolicies(by, { method, path });
    expectRefusal(await send({ apiKey: keys.apiKey }), 401, BOTH);
    expectRefusal(await send({ authToken }), 401, BOTH);
    expectRefusal(await send({ authToken: 'pm_auth_unknown', apiKey: UNKNOWN_KEY }), 401, 'Invalid auth token');
    expectRefusal(await send({ authToken, apiKey: UNKNOWN_KEY }), 404, 'User not found');
  });

  it('another account’s keys, and its policies, as if there were none', async () => {
    const stranger = only(await freshPaymaster((await freshAccount()).authToken));
    const policy = await freshPolicy(stranger);
    for (const [method, path] of OPERATIONS) {
      const own = path.replace(UNKNOWN_ID, policy._id);
      for (const mixed of [
        { authToken, apiKey: stranger.apiKey },
        { authToken: stranger.authToken, apiKey: keys.apiKey },
      ]) {
        expectRefusal(await callPolicies(mixed, { method, path: own }), 404, 'User not found');
      }
      if (own !== path) expectRefusal(await callPolicies(keys, { method, path: own }), 404, NOT_FOUND);
    }
    expect(await listPolicies(stranger)).toEqual([policy]);
  });

  it.each(OPERATIONS.slice(4))('%s %s of a policy that is not there', async (method, path) => {
    for (const id of [UNKNOWN_ID, 'x', '%00', '%27%20OR%201=1--', 'x'.repeat(90)]) {
      expectRefusal(await callPolicies(keys, { method, path: path.replace(UNKNOWN_ID, id) }), 404, NOT_FOUND);
    }
  });
});
