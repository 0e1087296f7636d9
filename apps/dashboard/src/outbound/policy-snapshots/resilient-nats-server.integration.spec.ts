import { setTimeout as sleep } from 'node:timers/promises';
import { policySnapshotBuilder, randomAddress, until } from '@paymaster/domain/testing';
import { natsConnectionOptions, SUBJECTS, TIME_LEFT_HEADER } from '@paymaster/messaging';
import { connect, headers as natsHeaders, type NatsConnection } from 'nats';
import { startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { PolicySnapshotsRepository } from './policy-snapshots.repository';
import { ResilientNatsServer } from './resilient-nats-server';

const question = {
  pattern: SUBJECTS.policyResolve,
  id: '7',
  data: { chainId: 1, apiKeyIndex: 'aa'.repeat(32), nonce: '01' },
};

let dashboard: DashboardUnderTest;
let stranger: NatsConnection;

beforeAll(async () => {
  dashboard = await startDashboard();
  stranger = await connect({ servers: dashboard.natsUrl });
  await until(() => ask(JSON.stringify(question)).then(() => true, () => false)); // prettier-ignore
});
// A rejection that nobody handles, which would end the process, fails the test that runs.
afterEach(async () => {
  jest.restoreAllMocks();
  await sleep(50);
});
afterAll(async () => {
  await stranger.close();
  await dashboard.stop();
});

async function ask(payload: string | Uint8Array): Promise<unknown> {
  return (await stranger.request(SUBJECTS.policyResolve, payload, { timeout: 30_000 })).json();
}

describe('the responder on NATS', () => {
  it.each<[string, string | Uint8Array]>([
    ['cut off', '{not json'],
    ['no text', new Uint8Array([0xff, 0xfe, 0x00])],
  ])('answers an error to a message that is %s', async (_title, payload) => {
    expect(await ask(payload)).toMatchObject({ err: 'the message cannot be answered' });
  });

  it.each(['null', '7', '"x"', '[]', '{}', '{"data":1}', '{"id":null,"data":null}', '{"id":{},"data":{"chainId":1}}'])(
    'outlives %s, with and without somebody to answer to',
    async (payload) => {
      stranger.publish(SUBJECTS.policyResolve, payload);
      stranger.publish(SUBJECTS.policyResolve, payload, { reply: 'nobody' });
      await stranger.flush();
      expect(await ask(JSON.stringify(question))).toMatchObject({ id: '7' });
    },
  );

  it.each([
    [null],
    ['aa'],
    [{}],
    [['AA'.repeat(32)]],
    [['a'.repeat(63)]],
    [[1]],
    [[['aa'.repeat(32)]]],
    [Array(4).fill('aa'.repeat(32))],
  ])('signs nothing for a question with the other indexes %j', async (otherIndexes) => {
    const find = jest.spyOn(dashboard.app.get(PolicySnapshotsRepository, { strict: false }), 'find');
    const answer = await ask(JSON.stringify({ ...question, data: { ...question.data, otherIndexes } }));
    expect(answer).toMatchObject({ err: expect.anything() });
    expect(answer).not.toHaveProperty('response');
    expect(find).not.toHaveBeenCalled();
  });

  it('answers an error in place of a reply that no message carries', async () => {
    const selectors = Array.from({ length: 100_000 }, () => '0x00000000' as const);
    const policy = policySnapshotBuilder()
      .with('contracts', [{ address: randomAddress(), selectors }])
      .build();
    const find = jest.spyOn(dashboard.app.get(PolicySnapshotsRepository, { strict: false }), 'find');
    find.mockResolvedValueOnce({ policy, lasting: true });
    expect(await ask(JSON.stringify(question))).toEqual({
      err: 'the message cannot be answered',
      isDisposed: true,
      id: '7',
    });
  });
});

describe('a flood of questions', () => {
  const FLOOD = 20_000;
  const leftMs = (said: string) => {
    const headers = natsHeaders();
    headers.set(TIME_LEFT_HEADER, said);
    return headers;
  };

  it.each([
    ['do not say for how long they are waited for', undefined],
    ['say that they are waited for a quarter of an hour', leftMs('900000')],
    ['say that they are waited for a year', leftMs('31536000000')],
  ])('keeps no other question waiting, where they %s', async (_title, headers) => {
    const honestIndex = 'bb'.repeat(32);
    let [read, readBefore] = [0, 0];
    const repository = dashboard.app.get(PolicySnapshotsRepository, { strict: false });
    jest.spyOn(repository, 'find').mockImplementation(async ({ indexes }) => {
      if (indexes[0] === honestIndex) readBefore = read;
      else read += 1;
      await sleep(50);
      return null;
    });
    for (let asked = 0; asked < FLOOD; asked++)
      stranger.publish(SUBJECTS.policyResolve, JSON.stringify(question), {
        reply: 'nobody',
        ...(headers && { headers }),
      });
    const honest = { ...question, data: { ...question.data, apiKeyIndex: honestIndex } };
    expect(await ask(JSON.stringify(honest))).toMatchObject({ id: '7' });
    // What was read while they all came; not one of those that wait was before it.
    expect(readBefore).toBeLessThan(FLOOD / 2);
  });

  it('takes no question that is far too long, by itself or with its headers', async () => {
    const apiKeyIndex = 'cc'.repeat(32);
    const own = { ...question, data: { ...question.data, apiKeyIndex } };
    const find = jest.spyOn(dashboard.app.get(PolicySnapshotsRepository, { strict: false }), 'find');
    const padding = 'x'.repeat(10_000);
    const headers = natsHeaders();
    headers.set('x-padding', padding);
    stranger.publish(SUBJECTS.policyResolve, JSON.stringify({ ...own, padding }), { reply: 'nobody' });
    stranger.publish(SUBJECTS.policyResolve, JSON.stringify(own), { reply: 'nobody', headers });
    expect(await ask(JSON.stringify(own))).toMatchObject({ id: '7' });
    expect(find.mock.calls.filter(([{ indexes }]) => indexes[0] === apiKeyIndex)).toHaveLength(1);
  });
});

it('answers what it has when it is closed, and takes nothing more', async () => {
  const leaving = new ResilientNatsServer(natsConnectionOptions({ natsUrl: dashboard.natsUrl }, 'test'), 10);
  let asked = 0;
  leaving.addHandler('slow', async () => {
    asked += 1;
    await sleep(300);
    return 'done';
  });
  await new Promise((resolve) => void leaving.listen(resolve));
  await stranger.flush();
  const request = () => stranger.request('slow', JSON.stringify({ id: '1', data: {} }), { timeout: 30_000 });
  const answered = Promise.all([request(), request(), request()]);
  await until(() => Promise.resolve(asked === 3));
  await leaving.close();
  for (const reply of await answered) expect(reply.json()).toMatchObject({ response: 'done' });
  await expect(request()).rejects.toMatchObject({ code: '503' });
});

it('stops trying to connect when it is closed', async () => {
  // Nobody listens there.
  const server = new ResilientNatsServer(natsConnectionOptions({ natsUrl: 'nats://127.0.0.1:1' }, 'test'), 10);
  const listening = new Promise<unknown>((resolve) => void server.listen(resolve));
  await sleep(100);
  await server.close();
  expect(await listening).toMatchObject({ message: 'closed before there was a connection to NATS' });
});
