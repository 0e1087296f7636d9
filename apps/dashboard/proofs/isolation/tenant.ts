import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { faker } from '@faker-js/faker';
import { randomAddress } from '@paymaster/domain/testing';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { OperationsProjection } from '../../src/activity/operations/operations.projection';
import { apiKeyIndex, NetworkNames } from '@paymaster/messaging';
import {
  CHAIN_ID,
  databaseOf,
  INDEX_KEY,
  type DashboardUnderTest,
  type TestCall,
} from '../../src/testing/dashboard-under-test';
import { fromPage, randomWallet, signedInMember, type TestMember } from '../../src/testing/people';
import { contractBody, paymasterBody, paymasterIdOf, type Keys } from '../../src/testing/requests';
import { addPasskey } from '../../src/testing/software-authenticator';
import { ALERT, SESSION_KEY, sharedPolicy, type Named } from './routes';

/** A paymaster with one of everything that a route can name, show or change. */
export interface FurnishedPaymaster {
  readonly keys: Keys;
  /** An owner of the account. */
  readonly owner: TestMember;
  readonly named: Named;
  /** Texts that no caller is shown without `readSecrets`; the last one is in every URL that is stored. */
  readonly secrets: readonly string[];
  /** Texts that are found nowhere but in what belongs to this paymaster. */
  readonly marks: readonly string[];
  /** The ids by which its rows are found in any table. */
  readonly ids: readonly string[];
}

/** A paymaster of the token's account, furnished. */
export async function furnishPaymaster(dashboard: DashboardUnderTest, authToken: string): Promise<FurnishedPaymaster> {
  const paymaster = await send(dashboard, { method: 'POST', path: '/paymaster', authToken, body: paymasterBody() });
  const keys = { authToken, apiKey: String(paymaster['apiKey']) };
  const post = (path: string, body: object) => send(dashboard, { method: 'POST', path, ...keys, body });

  const paymasterId = await paymasterIdOf(dashboard, keys);
  const maxOperationCostWei = uniqueDigits();
  await send(dashboard, { method: 'PATCH', path: '/paymaster-settings', ...keys, body: { maxOperationCostWei } });
  const contract = contractBody();
  await post('/smart-contract', contract);
  const policyName = faker.string.uuid();
  const urlSecret = faker.string.uuid();
  const url = `https://hooks.example.org/services/${urlSecret}?token=${urlSecret}`;
  const limit = { name: policyName, policyType: 'PAYMASTER_SA_LIMIT', policyData: LIMIT };
  const limitPolicyId = await createPolicy(post, limit);
  const webhookPolicyId = await createPolicy(post, { name: policyName, policyType: 'WEBHOOK', policyData: { url } });
  const rulesPolicyId = await createPolicy(post, { name: policyName, policyType: 'RULES', policyData: {} });
  const shared = await post('/shared-policy', sharedPolicy(paymasterId, policyName));
  const sharedPolicyId = String(shared['policyId']);
  const keyName = faker.string.uuid();
  const { keyId } = await post('/keys', { name: keyName, kind: 'PUBLISHABLE', policyIds: [rulesPolicyId] });
  const { keyId: sessionKeyId } = await post('/session-keys', { name: keyName, publicKey: SESSION_KEY });
  // Paused, so that nothing is sent to it; what happens is written to its log below.
  const paused = { webhookUrl: url, requestType: 'POST', active: false };
  await post('/webhook', paused);
  const webhook = await post('/webhook', { ...paused, events: ['voided'] });
  const webhookId = String(webhook['webhookId']);
  const { alertId } = await post('/alerts', { ...ALERT, name: policyName, url });
  const { operationId, ...operation } = await addOperation(dashboard, paymasterId);
  const nearNetwork = await addNearNetwork(dashboard, paymasterId);
  const stored = await addRows(dashboard, { paymasterId, webhookId, alertId: String(alertId) });
  const funding = await send(dashboard, { method: 'GET', path: '/funding-message', ...keys });
  const wallet = randomWallet();
  const signature = await wallet.signMessage(String(funding['fundingMessage']));

  const authenticated = await dashboard.app.get(AccountsService).authenticate(authToken);
  if (!authenticated) throw new Error('the token is unknown');
  const owner = await signedInMember(dashboard, authenticated.account, 'owner');
  // Another owner, so that this one can go.
  await signedInMember(dashboard, authenticated.account, 'owner');
  const people = await addPeople(dashboard, owner);

  const named: Named = {
    ...{ keyId: String(keyId), sessionKeyId: String(sessionKeyId), rulesPolicyId, sharedPolicyId },
    ...{ paymasterId, limitPolicyId, webhookPolicyId, webhookId, operationId, signature, ...stored },
    ...{ contractAddress: contract.address, signer: wallet.address, alertId: String(alertId) },
    ...{ accountId: owner.accountId, personId: owner.personId, ...people },
  };
  const secrets = webhook['secrets'] as string[];
  const { fundingWallet, ...shown } = stored;
  return {
    keys,
    owner,
    named,
    secrets: [keys.apiKey, ...secrets, urlSecret],
    marks: [
      ...[keys.apiKey, paymasterId, limitPolicyId, webhookPolicyId, webhookId, operationId, urlSecret],
      ...[
        policyName,
        keyName,
        String(keyId),
        String(sessionKeyId),
        rulesPolicyId,
        sharedPolicyId,
        ...secrets,
        String(alertId),
      ],
      ...[contract.name, contract.address, maxOperationCostWei, fundingWallet, ...Object.values(shown)],
      ...[...Object.values(operation), owner.personId, ...Object.values(people), ...Object.values(nearNetwork)],
      apiKeyIndex(keys.apiKey, INDEX_KEY),
    ],
    ids: [
      paymasterId,
      webhookId,
      String(alertId),
      webhookPolicyId,
      sharedPolicyId,
      owner.personId,
      ...Object.values(people),
    ],
  };
}

const LIMIT = { type: 'PAYMASTER', cycleDuration: { value: 3, unit: 'hour' }, threshold: 10, thresholdType: 'COUNT' };

/** A number that nothing else in the test's world has. */
const uniqueDigits = (): string => BigInt(`0x1${randomBytes(15).toString('hex')}`).toString();

type Post = (path: string, body: object) => Promise<Record<string, unknown>>;

async function createPolicy(post: Post, body: object): Promise<string> {
  const policy = await post('/paymaster-policy', body);
  return String(policy['_id']);
}

/** A landed operation, as the events of the ledger tell it. */
async function addOperation(dashboard: DashboardUnderTest, paymasterId: string) {
  const [sender, userOpHash, chargedWei] = [randomAddress(), `0x${randomBytes(32).toString('hex')}`, uniqueDigits()];
  const of = {
    ...{ atMs: Date.now(), chainId: CHAIN_ID, paymasterId, reservationId: `${randomInt(2 ** 47)}` },
    ...{ mode: 'sponsored' as const, sender, nonce: '7', entryPointVersion: '0.7' },
  };
  const chain = {
    ...{ userOpHash, transactionHash: `0x${randomBytes(32).toString('hex')}`, blockNumber: '99', success: true },
    ...{ fundingWallet: randomAddress(), chargedWei, actualGasCostWei: chargedWei },
  };
  for (const kind of ['landed', 'settled'] as const)
    await dashboard.app.get(OperationsProjection).apply({ kind, eventId: randomUUID(), ...of, ...chain });
  const [row] = (await databaseOf(dashboard).query('SELECT id FROM dashboard.operations WHERE paymaster_id = $1', [
    paymasterId,
  ])) as { id: string }[];
  return { operationId: String(row?.id), sender, userOpHash, chargedWei };
}

/** A client network that used half of its room, as the ledger tells it. */
async function addNearNetwork(dashboard: DashboardUnderTest, paymasterId: string) {
  const group = () => randomInt(0x1000, 0xffff).toString(16);
  const [network, usedWei] = [`2a0${randomInt(1, 9)}:${group()}:${group()}::/48`, uniqueDigits()];
  await dashboard.app.get(OperationsProjection).apply({
    ...{ kind: 'networkNearRoom', eventId: randomUUID(), atMs: Date.now(), chainId: CHAIN_ID, paymasterId },
    ...{ contract: randomAddress(), fundingWallet: randomAddress(), roomWei: usedWei, usedWei },
    network: new NetworkNames(INDEX_KEY).of(network) ?? '',
  });
  return { network, usedWei };
}

/** What of people a route can name: the owner's session and passkey, a role that nobody has, an open invitation, an auth token that is not used. */
async function addPeople(dashboard: DashboardUnderTest, owner: TestMember) {
  const headers = fromPage(owner.cookie, owner.accountId);
  const sessions = await send(dashboard, { method: 'GET', path: '/sessions', headers });
  const post = (path: string, body: object) => send(dashboard, { method: 'POST', path, headers, body });
  const { invitationId } = await post('/invitations', { role: 'viewer' });
  const { tokenId } = await post('/auth-tokens', { name: faker.string.uuid(), scope: 'read' });
  const [session] = sessions as unknown as { sessionId: string }[];
  const { roleId } = await post('/roles', { name: faker.string.uuid(), rights: ['read'] });
  await databaseOf(dashboard).query('UPDATE dashboard.people SET mail_address = $2 WHERE id = $1', [
    ...[owner.personId, `${owner.personId}@example.org`],
  ]);
  await addPasskey(dashboard, owner.cookie);
  const passkeys = await send(dashboard, { method: 'GET', path: '/passkeys', headers });
  const [passkey] = passkeys as unknown as { passkeyId: string }[];
  return {
    ...{ sessionId: String(session?.sessionId), passkeyId: String(passkey?.passkeyId) },
    roleId: String(roleId),
    ...{ invitationId: String(invitationId), tokenId: String(tokenId) },
  };
}

/** What takes a chain, a proof or an outage to come about: a token, a funding wallet, a delivery that was given up. */
async function addRows(dashboard: DashboardUnderTest, of: { paymasterId: string; webhookId: string; alertId: string }) {
  const rows = {
    ...{
      tokenAddress: randomAddress(),
      fundingWallet: randomAddress(),
      deliveryId: randomUUID(),
      entryId: randomUUID(),
    },
  };
  const database = databaseOf(dashboard);
  await database.query(
    `INSERT INTO dashboard.tokens (id, paymaster_id, address, symbol, decimals, price_fixed_usd, premium_millionths,
                                   charging_ways, transfer_gas)
     VALUES (gen_random_uuid(), $1, $2, 'OWN', 18, '1', 100000, '{allowance}', 60000)`,
    [of.paymasterId, rows.tokenAddress],
  );
  await database.query('UPDATE dashboard.paymasters SET funding_wallet = $2 WHERE id = $1', [
    of.paymasterId,
    rows.fundingWallet,
  ]);
  await database.query(
    `INSERT INTO dashboard.webhook_deliveries (id, webhook_id, event_id, type, body, status, ended_at)
     VALUES ($1, $2, gen_random_uuid(), 'operation.voided', '{}', 'dead', now())`,
    [rows.deliveryId, of.webhookId],
  );
  await database.query(
    `INSERT INTO dashboard.alert_deliveries (alert_id, event_id, subject, type, body, status, ended_at)
     VALUES ($1, gen_random_uuid(), 'brake', 'wallet.braked', $2, 'dead', now())`,
    [of.alertId, JSON.stringify({ text: of.paymasterId })],
  );
  await database.query(
    `INSERT INTO dashboard.request_log
     VALUES ($1, $2, now(), now() + interval '1 day', 'r', ${CHAIN_ID}, 'pm_getPaymasterData', 'sponsored', 'main', null,
             null, null, 'refused', -32501, 'NO_POLICIES_SET', 'No.', '{}', 1, null)`,
    [rows.entryId, of.paymasterId],
  );
  return rows;
}

/** @throws {Error} when it is refused */
async function send(dashboard: DashboardUnderTest, call: TestCall): Promise<Record<string, unknown>> {
  const { status, body } = await dashboard.call(call);
  if (status !== 200) throw new Error(`${call.method} ${call.path}: ${body.message}`);
  return body.data ?? {};
}
