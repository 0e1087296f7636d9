import { randomBytes } from 'node:crypto';
import { startNats, type Nats } from '@paymaster/devnet';
import { policySnapshotBuilder, until } from '@paymaster/domain/testing';
import { apiKeyIndex, createNatsClient, MessageAuthenticator, PolicyClient } from '@paymaster/messaging';
import { randomApiKey } from '../testing/api-key';
import { PolicyResponder } from '../testing/policy-responder';

let nats: Nats;
let responder: PolicyResponder;
const indexKey = randomBytes(32).toString('hex');
const clients: PolicyClient[] = [];

beforeAll(async () => {
  nats = await startNats();
});
beforeEach(async () => {
  responder = await PolicyResponder.start({ natsUrl: nats.url, indexKey });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await responder.stop();
});
afterAll(() => nats?.stop());

/** The client asks again after each quarter of this time; milliseconds. */
async function asker(deadlineMs: number): Promise<PolicyClient> {
  const connection = createNatsClient({ natsUrl: nats.url }, 'test');
  const client = new PolicyClient(connection, new MessageAuthenticator(indexKey), deadlineMs);
  clients.push(client);
  client.start({ policyChanged: () => undefined, reconnected: () => undefined });
  await until(() => client.connected, 'connected');
  return client;
}

const questionOf = (apiKey: string, chainId: number) => ({ chainId, apiKeyIndex: apiKeyIndex(apiKey, indexKey) });

it('asks again when the dashboard that took the question died with it', async () => {
  const client = await asker(8_000);
  const [apiKey, snapshot] = [randomApiKey(), policySnapshotBuilder().build()];
  responder.set(apiKey, snapshot);
  responder.silent = true;
  const answered = client.resolve(questionOf(apiKey, snapshot.chainId), { requestId: 'once' });
  await until(() => responder.received.length === 1, 'asked once');
  responder.silent = false;
  expect(await answered).toMatchObject({ paymasterId: snapshot.paymasterId });
  expect(responder.received.map(({ requestId }) => requestId)).toEqual(['once', 'once']);
});

it('repeats at most a tenth of the questions (and a few at the start) when all answers are slow', async () => {
  const client = await asker(2_000);
  responder.silent = true;
  const asked = Array.from({ length: 100 }, () => client.resolve(questionOf(randomApiKey(), 1), { requestId: 'slow' }));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect(responder.received.length).toBeGreaterThan(100);
  expect(responder.received.length).toBeLessThanOrEqual(100 + 10 + 10);
});
