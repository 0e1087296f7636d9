import { freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import { expectRefusal, freshContract, freshPaymaster, listContracts, only, type Keys } from './support/fixtures';
import { callPolicies, freshPolicy, listPolicies, type PolicyRecord } from './support/policies';
import { leavingNoTrace } from './support/unchanged';

interface PolicyDocument {
  readonly formatVersion: number;
  readonly version: number;
  readonly policies: ReadonlyArray<{ readonly policyId: string; readonly policyData: object }>;
  readonly contracts: readonly object[];
  readonly settings: object;
}

let authToken: string;
let keys: Keys;
let limit: PolicyRecord;
beforeEach(async () => {
  authToken ??= (await freshAccount()).authToken;
  keys = only(await freshPaymaster(authToken));
  limit = await freshPolicy(keys);
  await freshPolicy(keys, { name: 'rules', policyType: 'RULES', policyData: { maxCallValueWei: '5' } });
  await freshContract(keys);
});

const exported = async (by = keys) =>
  (await callPolicies<PolicyDocument>(by, { method: 'GET', path: '/export' })).body.data;
const importing = (body: unknown, query = '', by = keys) =>
  callPolicies(by, { method: 'POST', path: `/import${query}`, body });
const nothing = { added: [], changed: [], removed: [] };

describe('export and import', () => {
  it('show in a dry run what would change, and change nothing', async () => {
    const document = await exported();
    const [first] = document.policies;
    const changed = { ...first, policyData: { ...first?.policyData, threshold: 99 } };
    const body = { ...document, policies: [changed], settings: { sponsorAnyContract: true } };
    const answer = await leavingNoTrace(keys, () => importing(body, '?dryRun=true'));
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'Paymaster Policies compared',
      data: {
        applied: false,
        version: document.version,
        policies: {
          added: [],
          changed: [
            {
              id: limit._id,
              before: expect.objectContaining({ policyData: limit.policyData }),
              after: expect.objectContaining({ policyData: expect.objectContaining({ threshold: 99 }) }),
            },
          ],
          removed: [{ id: expect.any(String), before: expect.objectContaining({ name: 'rules' }) }],
        },
        contracts: nothing,
        settings: {
          ...nothing,
          changed: [
            { id: limit.paymasterId, before: { sponsorAnyContract: false }, after: { sponsorAnyContract: true } },
          ],
        },
      },
    });
    expect((await importing(body)).body).toMatchObject({
      message: 'Paymaster Policies imported',
      data: { applied: true, version: document.version + 1 },
    });
    expect(await listPolicies(keys)).toMatchObject([{ _id: limit._id, policyData: { threshold: 99 } }]);
  });

  it('make another paymaster alike', async () => {
    const other = only(await freshPaymaster(authToken));
    const document = await exported();
    expect((await importing(document, '', other)).status).toBe(200);
    expect(await listContracts(other)).toEqual(await listContracts(keys));
    expect((await listPolicies(other)).map(({ name }) => name)).toEqual(
      (await listPolicies(keys)).map(({ name }) => name),
    );
    expect((await importing(document, '', other)).body.data).toMatchObject({ policies: nothing, contracts: nothing });
  });

  it('let one of two edits of one version win', async () => {
    const document = await exported();
    const query = `?expectedVersion=${document.version}`;
    const answers = await Promise.all([importing(document, query), importing(document, query)]);
    const lost = answers.find(({ status }) => status !== 200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(lost).toMatchObject({
      status: 409,
      body: {
        statusCode: 409,
        message: `The paymaster has changed meanwhile: it is at version ${document.version + 1}`,
      },
    });
  });

  it.each<[string, unknown, string]>([
    ['a document of another format', { formatVersion: 9, policies: [] }, 'formatVersion must be equal to 1'],
    ['a document without policies', { formatVersion: 1 }, 'policies must be an array'],
    ['an unknown part', { formatVersion: 1, policies: [], tokens: [] }, 'property tokens should not exist'],
    [
      'one wrong policy among all',
      { formatVersion: 1, policies: [{ name: 'x', policyType: 'WEBHOOK', policyData: {} }] },
      'policies.0.policyData: url must be a string',
    ],
    [
      'a contract without its ABI',
      { formatVersion: 1, policies: [], contracts: [{ name: 'x', address: `0x${'7'.repeat(40)}` }] },
      'contracts.0: abi must be sent for a contract that is not registered',
    ],
  ])('refuse %s as a whole', async (_title, document, message) => {
    expectRefusal(await leavingNoTrace(keys, () => importing(document)), 400, message);
  });

  it('refuse a query that is misspelt, rather than to import', async () => {
    const document = await exported();
    const answer = await leavingNoTrace(keys, () => importing({ ...document, policies: [] }, '?dry_run=true'));
    expectRefusal(answer, 400, 'the query parameter "dry_run" is not known');
  });

  it('refuse a list in place of a document', async () => {
    const request = { method: 'POST', path: '/paymaster-policy/import', ...keys, rawBody: '[]' };
    expectRefusal(await leavingNoTrace(keys, () => call(request)), 400, 'The body must be a JSON object');
  });
});
