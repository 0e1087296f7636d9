import { BackTestsController } from './back-tests.controller';
import { OperationsRepository } from '../operations/operations.repository';
import { CHAIN_ID, databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster, paymasterIdOf, type Keys } from '../../testing/requests';

let dashboard: DashboardUnderTest;
let keys: Keys;
beforeAll(async () => {
  dashboard = await startDashboard();
  keys = await createPaymaster(dashboard);
});
afterAll(() => dashboard.stop());

const backTest = (body: object, by: Keys = keys) =>
  dashboard.call({ method: 'POST', path: '/paymaster-policy/back-test', ...by, body });
const RULES = {
  policyType: 'RULES',
  policyData: { limits: [{ scope: 'USER', measure: 'COUNT', amount: '2', cycle: 'DAY' }] },
  from: '2024-03-01',
  to: '2024-03-02',
};

describe('POST paymaster-policy/back-test', () => {
  it('tries a draft on the operations of the period, however many, and changes nothing', async () => {
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.operations (id, paymaster_id, chain_id, state, mode, sender, nonce, entry_point_version,
                                         expected_cost_wei, created_at, updated_at)
       SELECT gen_random_uuid(), $2, $1, CASE WHEN n % 10 = 0 THEN 'refused' ELSE 'settled' END, 'sponsored',
              '0x' || lpad((n % 3)::text, 40, '0'), n, '0.7', 5, '2024-03-01T12:00:00Z'::timestamptz + n * interval '1 ms', now()
         FROM generate_series(1, 3500) n`,
      [CHAIN_ID, await paymasterIdOf(dashboard, keys)],
    );
    const { body } = await backTest(RULES);
    expect(body).toMatchObject({
      statusCode: 200,
      message: 'Back-test done',
      data: { operations: 3_150, refused: 3_144, refusedByReason: { SPENDING_LIMIT_REACHED: 3_144 }, notEvaluated: [] },
    });
    const { body: list } = await dashboard.call({ method: 'GET', path: '/paymaster-policy', ...keys });
    expect(list.data).toEqual([]);
    expect((await backTest({ ...RULES, from: '2024-03-02', to: undefined })).body.data).toMatchObject({
      operations: 0,
    });
  });

  it.each([
    [{ policyType: 'WEBHOOK' }, 'policyType must be one of the following values: PAYMASTER_SA_LIMIT, RULES'],
    [{ policyData: { limits: [{ scope: 'X' }] } }, 'policyData'],
    [{ from: undefined }, 'from must be a string'],
    [{ from: 'yesterday' }, 'from must be a time in UTC'],
    [{ to: '2024-02-01' }, 'from must be before to'],
  ])('refuses %j and names the field', async (change, message) => {
    const answer = await backTest({ ...RULES, ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });

  it('runs two of an account at once, refuses more until one of them has ended, and leaves places to others', async () => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const past = jest.spyOn(OperationsRepository.prototype, 'past').mockImplementation(async function* () {
      await held;
      yield [];
    });
    const two = [backTest(RULES), backTest(RULES)];
    const underWay = (): number => dashboard.app.get(BackTestsController, { strict: false })['underWay'].length;
    while (underWay() < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const third = await backTest(RULES);
    expect(third.status).toBe(429);
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
    const others: Array<ReturnType<typeof backTest>> = [];
    for (let account = 0; account < 2; account++) {
      const other = await createPaymaster(dashboard);
      others.push(backTest(RULES, other), backTest(RULES, other));
    }
    while (underWay() < 6) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await backTest(RULES, await createPaymaster(dashboard))).status).toBe(503);
    goOn();
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await Promise.all(two)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await backTest(RULES)).status).toBe(200);
    past.mockRestore();
  });

  it('knows nothing of the operations of others', async () => {
    const other = await createPaymaster(dashboard);
    const answer = await dashboard.call({ method: 'POST', path: '/paymaster-policy/back-test', ...other, body: RULES });
    expect(answer.body.data).toMatchObject({ operations: 0 });
  });
});
