import { randomBytes } from 'node:crypto';
import { startNats, type Nats } from '@paymaster/devnet';
import { policySnapshotBuilder } from '@paymaster/domain/testing';
import { apiKeyIndex, createNatsClient, MessageAuthenticator, PolicyClient } from '@paymaster/messaging';
import { randomApiKey } from '../testing/api-key';
import { PolicyResponder } from '../testing/policy-responder';
import { until } from '../testing/until';

/** It is asked again each quarter of this; milliseconds. */
const DEADLINE_MS = 8_000;

it('asks again when the dashboard that took the question died with it', async () => {
  const nats: Nats = await startNats();
  const indexKey = randomBytes(32).toString('hex');
  const responder = await PolicyResponder.start({ natsUrl: nats.url, indexKey });
  const client = new PolicyClient(
    createNatsClient({ natsUrl: nats.url }, 'test'),
    new MessageAuthenticator(indexKey),
    DEADLINE_MS,
  );
  try {
    client.start({ policyChanged: () => undefined, reconnected: () => undefined });
    await until('connected', () => client.connected);
    const [apiKey, snapshot] = [randomApiKey(), policySnapshotBuilder().build()];
    responder.set(apiKey, snapshot);
    responder.silent = true;
    const question = { chainId: snapshot.chainId, apiKeyIndex: apiKeyIndex(apiKey, indexKey) };
    const answered = client.resolve(question, { requestId: 'once' });
    await until('asked once', () => responder.received.length === 1);
    responder.silent = false;
    expect(await answered).toMatchObject({ paymasterId: snapshot.paymasterId });
    expect(responder.received.map(({ requestId }) => requestId)).toEqual(['once', 'once']);
  } finally {
    await client.close();
    await responder.stop();
    await nats.stop();
  }
});
