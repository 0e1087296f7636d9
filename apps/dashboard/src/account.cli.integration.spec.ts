import { Commands, type Ended } from '@paymaster/devnet';
import { PAGE, startDashboard, type DashboardUnderTest } from './testing/dashboard-under-test';
import { fromPage, openSession, signedInMember } from './testing/people';
import { addSecondFactor } from './testing/second-factor';
import { addPasskey } from './testing/software-authenticator';

const commands = new Commands(__dirname);
let dashboard: DashboardUnderTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => Promise.all([commands.stop(), dashboard.stop()]));

const account = (args: readonly string[]): Promise<Ended> =>
  commands.run('account.cli.ts', args, { DATABASE_URL: dashboard.postgres.url, PUBLIC_URL: PAGE });

async function signIn(code: string) {
  const headers = { origin: PAGE };
  const answer = await dashboard.call({ method: 'POST', path: '/session/code', headers, body: { code } });
  expect(answer.status).toBe(200);
  return answer.body.data ?? {};
}

interface Made {
  readonly accountId: string;
  readonly personId: string;
  readonly role: string;
  readonly code: string;
  readonly link: string | null;
}

interface Issued {
  readonly accountId: string;
  readonly tokenId: string;
  readonly authToken: string;
}

async function codeFor(...args: string[]): Promise<Made> {
  const { code, stdout, stderr } = await account(['sign-in-code', '--json', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Made;
}

describe('the account command', () => {
  it('answers each of two tests that ask at once with what that test asked for', async () => {
    const teams = ['First of two', 'Second of two'];
    const made = await Promise.all(teams.map((team) => account(['create', '--json', '--name', team])));
    expect(made.map(({ stdout }) => (JSON.parse(stdout) as { accountName: string }).accountName)).toEqual(teams);
  });

  it('makes a code for a person who owns the account, and the link with the code in its fragment', async () => {
    const made = await codeFor('--account', 'My team', '--operator');
    expect(made).toMatchObject({ role: 'owner', link: `${PAGE}/sign-in#code=${made.code}` });
    expect(await signIn(made.code)).toMatchObject({
      person: { personId: made.personId, name: 'My team', isOperator: true },
      accounts: [{ name: 'My team', role: 'owner' }],
    });
  });

  it('knows the person and the account by id, and changes the role when it is told to', async () => {
    const first = await codeFor('--account', 'My team', '--person', 'Ada', '--role', 'viewer');
    const byId = ['--account-id', first.accountId, '--person-id', first.personId];
    expect(await codeFor(...byId, '--role', 'editor')).toMatchObject({ personId: first.personId, role: 'editor' });
    expect(await signIn(first.code)).toMatchObject({
      person: { name: 'Ada', isOperator: false },
      accounts: [{ role: 'editor' }],
    });
  });

  it('says that there is no link without PUBLIC_URL, and what it does not understand', async () => {
    const env = { DATABASE_URL: dashboard.postgres.url };
    const plain = await commands.start('account.cli.ts', ['sign-in-code', '--account', 'My team'], env).ended;
    expect(plain).toMatchObject({ code: 0, stdout: expect.stringContaining('With PUBLIC_URL, there would be a link') });
    expect(plain.stdout).toMatch(/^pm_code_[\w-]{49}$/m);
    const wrong = await account(['sign-in-code', '--account', 'My team', '--role', 'god']);
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('--role must be one of owner, editor, viewer, support.');
  });

  it('makes tokens that write, of a new account or of one by its id, and lists them without their texts', async () => {
    const { accountId, authToken } = JSON.parse(
      (await account(['create', '--name', 'New', '--json'])).stdout,
    ) as Issued;
    expect((await dashboard.call({ method: 'GET', path: '/paymaster', authToken })).status).toBe(200);
    const again = await account(['create', '--name', 'New']);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain(`The name New is taken by the account ${accountId}`);
    const second = JSON.parse((await account(['create', '--account-id', accountId, '--json'])).stdout) as Issued;
    const list = (await account(['list'])).stdout;
    const { tokenId } = second;
    expect(list).toMatch(
      new RegExp(`^${tokenId}  .*  active  ${accountId}  New  auth token ${tokenId.slice(0, 8)}$`, 'm'),
    );
    expect(list).not.toContain('pm_auth_');
  });

  it('shows the owners in the audit log which tokens it made and revoked', async () => {
    const issued = JSON.parse((await account(['create', '--name', 'Logged', '--json'])).stdout) as Issued;
    expect((await account(['revoke', issued.tokenId])).code).toBe(0);
    expect((await account(['revoke', issued.tokenId])).code).toBe(1);
    const { cookie, accountId } = await signedInMember(dashboard, { id: issued.accountId }, 'owner');
    const path = '/account/audit-log?subject=authToken';
    const { data } = (await dashboard.call({ method: 'GET', path, headers: fromPage(cookie, accountId) })).body;
    const token = {
      name: `auth token ${issued.tokenId.slice(0, 8)}`,
      scope: 'write',
      paymasterId: null,
      expiresAt: null,
    };
    const by = { subjectId: issued.tokenId, personId: null, tokenIdPrefix: null };
    expect(data?.['entries']).toMatchObject([
      { ...by, action: 'deleted', before: token, after: null },
      { ...by, action: 'created', before: null, after: token },
    ]);
    expect(JSON.stringify(data)).not.toContain(issued.authToken);
  });

  it('takes a lost second factor and lost passkeys from a person, who is signed out everywhere, and tells the accounts', async () => {
    const { accountId, personId, cookie } = await signedInMember(dashboard, 'Lost and found', 'owner');
    await addPasskey(dashboard, cookie);
    await addSecondFactor(dashboard, cookie);
    const headersOfThief = fromPage(await openSession(dashboard, personId));
    const guess = { method: 'POST', path: '/session/second-factor', body: { code: '000000' } } as const;
    const guessTwice = async () => {
      for (let tried = 0; tried < 2; tried++) await dashboard.call({ ...guess, headers: headersOfThief });
    };
    await guessTwice();
    expect((await account(['forget-wrong-codes', personId])).stdout).toMatch(
      /^2 wrong codes .* count no more\.\n.*stolen/s,
    );
    expect(await account(['forget-wrong-codes', personId])).toMatchObject({ code: 1 });
    await guessTwice();
    await dashboard.call({
      ...{ method: 'PATCH', path: '/account/second-factor', headers: fromPage(cookie, accountId) },
      body: { required: true },
    });
    // That is no new name: the operator's stays good.
    await codeFor('--account', 'Lost and found');
    const taken = await account(['take-second-factor', personId]);
    expect(taken).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/2 wrong codes .*stolen/s) });
    expect((await dashboard.call({ method: 'GET', path: '/session', headers: { cookie } })).status).toBe(401);
    const again = await account(['take-second-factor', personId]);
    expect(again).toMatchObject({
      code: 1,
      stderr: `There is no person ${personId} with a second factor or a passkey.\n`,
    });
    const { code } = await codeFor('--account-id', accountId, '--person-id', personId);
    await signIn(code);
    const headers = fromPage(await openSession(dashboard, personId, 'passkey'), accountId);
    const logged = async (subject: string) => {
      const path = `/account/audit-log?subject=${subject}`;
      return (await dashboard.call({ method: 'GET', path, headers })).body.data?.['entries'];
    };
    const [deleted, created] = [
      { action: 'deleted', personId: null },
      { action: 'created', personId },
    ];
    expect(await logged('passkey')).toMatchObject([deleted, created]);
    const forgotten = { before: { wrongCodes: 2 }, after: { wrongCodes: 0 }, personId: null };
    expect(await logged('secondFactor')).toMatchObject([deleted, forgotten, created]);
  });

  it('takes the role of an operator away from the next request on, and shows who had it', async () => {
    const made = await codeFor('--account', 'The operators', '--person', 'Grace', '--operator');
    const { accountId, personId } = made;
    await codeFor('--account-id', accountId, '--person-id', personId, '--operator');
    const cookie = await openSession(dashboard, personId);
    const statusOf = async (path: string) =>
      (await dashboard.call({ method: 'GET', path, headers: fromPage(cookie) })).status;
    expect([await statusOf('/operator/tenants'), await statusOf('/operator/chains')]).toEqual([200, 200]);

    expect(await account(['revoke-operator', personId.toUpperCase()])).toMatchObject({ code: 0, stderr: '' });
    expect([await statusOf('/operator/tenants'), await statusOf('/operator/chains')]).toEqual([403, 403]);
    expect(await statusOf('/session')).toBe(200);
    for (const id of [personId, accountId, 'Grace']) {
      const again = await account(['revoke-operator', id]);
      expect(again).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`There is no operator ${id}.`),
      });
    }
    expect(await account(['revoke-operator'])).toMatchObject({ code: 1, stdout: '' });

    const { operators, changes } = JSON.parse((await account(['operators', '--json'])).stdout) as Record<
      'operators' | 'changes',
      readonly { personId: string }[]
    >;
    expect(operators.map((each) => each.personId)).not.toContain(personId);
    const at = expect.stringMatching(/Z$/) as string;
    expect(changes.filter((each) => each.personId === personId)).toEqual(
      [true, false].map((isOperator) => ({ at, personId, name: 'Grace', isOperator })),
    );
    expect((await account(['operators'])).stdout).toMatch(
      new RegExp(`^\\S+Z  ${personId}  Grace  ceased to be an operator$`, 'm'),
    );
    // The account is not told.
    const path = '/account/audit-log';
    const log = await dashboard.call({ method: 'GET', path, headers: fromPage(cookie, accountId) });
    expect(JSON.stringify(log.body.data)).not.toMatch(/operator"/);
  });
});
