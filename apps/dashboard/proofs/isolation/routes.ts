import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { faker } from '@faker-js/faker';
import { randomAddress } from '@paymaster/domain/testing';
import { INVITATION_CODE, MAIL_CODE, SIGN_IN_CODE } from '../../src/platform/crypto/secret-text';
import { COUNTER_ABI, paymasterBody } from '../../src/testing/requests';
import { SoftwareAuthenticator } from '../../src/testing/software-authenticator';

/** Everything of a paymaster that a request can name. */
export interface Named {
  readonly paymasterId: string;
  readonly contractAddress: string;
  readonly tokenAddress: string;
  readonly limitPolicyId: string;
  readonly webhookPolicyId: string;
  readonly rulesPolicyId: string;
  readonly sharedPolicyId: string;
  readonly webhookId: string;
  readonly keyId: string;
  readonly sessionKeyId: string;
  readonly deliveryId: string;
  readonly alertId: string;
  readonly operationId: string;
  /** Of the request log. */
  readonly entryId: string;
  readonly fundingWallet: string;
  /** The account, and an owner of it with a session; an open invitation of his, and an auth token. */
  readonly accountId: string;
  readonly personId: string;
  readonly sessionId: string;
  readonly passkeyId: string;
  readonly roleId: string;
  readonly invitationId: string;
  readonly tokenId: string;
  /** Signed the paymaster's latest funding message. */
  readonly signer: string;
  readonly signature: string;
}

/** Names of nothing, in the same forms. */
export const ofNothing = (): Named => ({
  ...{ paymasterId: randomUUID(), limitPolicyId: randomUUID(), webhookPolicyId: randomUUID() },
  ...{ sessionKeyId: randomUUID(), keyId: randomUUID(), rulesPolicyId: randomUUID(), sharedPolicyId: randomUUID() },
  ...{ webhookId: randomUUID(), deliveryId: randomUUID(), alertId: randomUUID(), operationId: randomUUID() },
  entryId: randomUUID(),
  ...{ accountId: randomUUID(), personId: randomUUID(), sessionId: randomUUID(), invitationId: randomUUID() },
  ...{ tokenId: randomUUID(), passkeyId: randomUUID(), roleId: randomUUID() },
  ...{ contractAddress: randomAddress(), tokenAddress: randomAddress(), fundingWallet: randomAddress() },
  ...{ signer: randomAddress(), signature: `0x${randomBytes(64).toString('hex')}1b` },
});

export interface RouteRequest {
  /** Fills in the path's parameter and adds a query. */
  readonly id?: string;
  readonly query?: string;
  readonly body?: object;
}

/** What exists once, for the one request that uses it up. */
export interface Fresh {
  /** The address of a token on the chain. */
  readonly token: string;
  readonly signInCode: string;
  readonly invitationCode: string;
  readonly signedMessage: { readonly message: string; readonly signature: string };
  /** What a browser answers with a passkey that the owner has, and with a new one. */
  readonly passkeyUse: object;
  readonly newPasskey: object;
  /** Confirms a mail address of the owner. */
  readonly mailCode: string;
  /** Of the owner's second factor. */
  readonly factorCode: string;
}

/** {@link Fresh} of nothing, in the same forms. */
export const nothingFresh = (): Fresh => ({
  ...{ token: randomAddress(), signInCode: SIGN_IN_CODE.generate(), invitationCode: INVITATION_CODE.generate() },
  signedMessage: { message: 'Sign in', signature: `0x${randomBytes(65).toString('hex')}` },
  ...passkeyOfNobody(),
  mailCode: MAIL_CODE.generate(),
  factorCode: 'abcd-efgh-ijkm-npqr',
});

function passkeyOfNobody(): Pick<Fresh, 'passkeyUse' | 'newPasskey'> {
  const device = new SoftwareAuthenticator();
  const asked = { challenge: 'bm90IG91cnM', rpId: 'paymaster.example.org', personId: randomUUID() };
  return { newPasskey: device.create(asked), passkeyUse: device.use(asked) };
}

export interface Route {
  /** The answer is the same for every account. */
  readonly isSameForAll?: true;
  /** Requests that name something of a paymaster; one without names where the route takes none. */
  requests(named: Named): readonly RouteRequest[];
  /** The same made to succeed for the owner, where that takes something that does not exist yet. */
  own?(named: Named, fresh: Fresh): readonly RouteRequest[];
}

const plain: Route = { requests: () => [{}] };
const byPaymaster = (): Route => ({ requests: ({ paymasterId }) => [{ id: paymasterId }] });
const byPolicy = (body?: object): Route => ({
  requests: ({ limitPolicyId }) => [{ id: limitPolicyId, ...(body && { body }) }],
});
const byWebhook = (more: object = {}): Route => ({
  requests: ({ webhookId }) => [{ body: { webhookId, ...more } }],
});
const byCode: Route = {
  requests: () => [{ body: { code: nothingFresh().factorCode } }],
  own: (_named, { factorCode: code }) => [{ body: { code } }],
};
const byAlert: Route = { requests: ({ alertId }) => [{ id: alertId }] };
/** Paused, so that nothing is sent. */
export const ALERT = { name: 'an alert', kind: 'SLACK', about: ['walletBraked'], active: false };
const signedWebhooks = ({ webhookId, webhookPolicyId }: Named) => [webhookId, webhookPolicyId];
const contract = (address: string) => ({ name: faker.string.uuid(), address, abi: COUNTER_ABI });
const token = (address: string) => ({ address, price: { fixedUsd: '1' } });
const policy = { name: 'a policy', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
export const sharedPolicy = (paymasterId: string, name = 'a budget') => ({
  ...{ name, policyType: 'SPENDING_LIMITS', paymasterIds: [paymasterId] },
  policyData: { limits: [{ scope: 'PAYMASTER', measure: 'USD', amount: '100', cycle: 'MONTH' }] },
});
const userOperation = {
  ...{ sender: randomAddress(), nonce: '0x5', callData: '0x', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' },
};
const draft = {
  policyType: 'RULES',
  policyData: { limits: [{ scope: 'USER', measure: 'COUNT', amount: '2', cycle: 'DAY' }] },
};

/** A public key, as PEM: as a JWK it would be an object, and what else stands in a JWK is nobody's business. */
export const SESSION_KEY = String(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }));

/** A new route of the API document has to be listed here, with everything in it that can name another's. */
export const ROUTES: Readonly<Record<string, Route>> = {
  'GET /session/nonce': { ...plain, isSameForAll: true },
  'POST /session/wallet': {
    requests: () => [{ body: nothingFresh().signedMessage }],
    own: (_named, { signedMessage: body }) => [{ body }],
  },
  'POST /session/code': {
    requests: () => [{ body: { code: nothingFresh().signInCode } }],
    own: (_named, { signInCode: code }) => [{ body: { code } }],
  },
  'GET /session/passkey': { ...plain, isSameForAll: true },
  'POST /session/passkey': {
    requests: () => [{ body: nothingFresh().passkeyUse }],
    own: (_named, { passkeyUse: body }) => [{ body }],
  },
  // The same for addresses of nobody, too.
  'POST /session/mail-link': { requests: ({ personId }) => [{ body: { address: `${personId}@example.org` } }] },
  'GET /person/mail-address': plain,
  'POST /person/mail-address': { requests: () => [{ body: { address: `${randomUUID()}@example.org` } }] },
  'POST /person/mail-address/confirm': {
    requests: () => [{ body: { code: nothingFresh().mailCode } }],
    own: (_named, { mailCode: code }) => [{ body: { code } }],
  },
  'DELETE /person/mail-address': plain,
  'POST /session/second-factor': byCode,
  // It says whether there is one, and since when.
  'GET /person/second-factor': { ...plain, isSameForAll: true },
  'POST /person/second-factor': plain,
  'POST /person/second-factor/confirm': byCode,
  'POST /person/second-factor/recovery-codes': byCode,
  'DELETE /person/second-factor': byCode,
  'GET /passkeys': plain,
  'GET /passkeys/options': plain,
  'POST /passkeys': {
    requests: () => [{ body: { name: 'a device', ...nothingFresh().newPasskey } }],
    own: (_named, { newPasskey }) => [{ body: { name: 'a device', ...newPasskey } }],
  },
  'PATCH /passkeys/{passkeyId}': { requests: ({ passkeyId }) => [{ id: passkeyId, body: { name: 'changed' } }] },
  // Before the passkey that opened it.
  'DELETE /sessions/{sessionId}': { requests: ({ sessionId }) => [{ id: sessionId }] },
  'DELETE /passkeys/{passkeyId}': { requests: ({ passkeyId }) => [{ id: passkeyId }] },
  'GET /session': plain,
  'DELETE /session': plain,
  'GET /sessions': plain,
  'DELETE /sessions': plain,
  'PATCH /person': { requests: () => [{ body: { name: 'changed' } }] },
  'POST /account': { requests: () => [{ body: { name: faker.string.uuid() } }] },
  'PATCH /account': { requests: () => [{ body: { name: faker.string.uuid() } }] },
  'PATCH /account/second-factor': { requests: () => [{ body: { required: true } }] },
  'GET /members': plain,
  'PATCH /members/{personId}': { requests: ({ personId }) => [{ id: personId, body: { role: 'viewer' } }] },
  'DELETE /members/{personId}': { requests: ({ personId }) => [{ id: personId }] },
  'GET /roles': plain,
  'POST /roles': { requests: () => [{ body: { name: faker.string.uuid(), rights: ['read', 'money'] } }] },
  'PATCH /roles/{roleId}': { requests: ({ roleId }) => [{ id: roleId, body: { rights: ['read'] } }] },
  'DELETE /roles/{roleId}': { requests: ({ roleId }) => [{ id: roleId }] },
  'GET /invitations': plain,
  'POST /invitations': { requests: () => [{ body: { role: 'viewer', name: 'a guest' } }] },
  'POST /invitations/accept': {
    requests: () => [{ body: { code: nothingFresh().invitationCode } }],
    own: (_named, { invitationCode: code }) => [{ body: { code } }],
  },
  'DELETE /invitations/{invitationId}': { requests: ({ invitationId }) => [{ id: invitationId }] },
  'GET /auth-tokens': plain,
  'POST /auth-tokens': {
    requests: ({ paymasterId }) => [
      { body: { name: 'a token', scope: 'write' } },
      { body: { name: 'a token', scope: 'read', paymasterId } },
    ],
  },
  'DELETE /auth-tokens/{tokenId}': { requests: ({ tokenId }) => [{ id: tokenId }] },
  'GET /operator/tenants': { requests: ({ paymasterId }) => [{ query: `?search=${paymasterId}` }] },
  'GET /operator/chains': { ...plain, isSameForAll: true },
  'POST /operator/paymaster/{paymasterId}/suspend': {
    requests: ({ paymasterId }) => [{ id: paymasterId, body: { reason: 'It drains wallets.' } }],
  },
  'POST /operator/paymaster/{paymasterId}/resume': byPaymaster(),
  'GET /chains': { ...plain, isSameForAll: true },
  'GET /account/paymasters': plain,
  'GET /paymaster/{paymasterId}': byPaymaster(),
  'PATCH /paymaster/{paymasterId}': {
    requests: ({ paymasterId }) => [
      { id: paymasterId, body: { name: `renamed ${paymasterId}` } },
      { id: paymasterId, body: { project: 'a project' } },
    ],
  },
  'POST /paymaster/{paymasterId}/archive': byPaymaster(),
  'POST /paymaster/{paymasterId}/restore': byPaymaster(),
  'GET /paymaster': plain,
  'POST /paymaster': { requests: () => [{ body: paymasterBody() }] },
  'PATCH /paymaster': {
    requests: ({ paymasterId, signer: address, signature }) => [
      { body: { paymasterId, type: 'paymasterFundingId', signature, address } },
    ],
  },
  'POST /paymaster/show-key': plain,
  'POST /paymaster/rotate-key': { requests: () => [{ body: { previousKeyValidSeconds: 0 } }] },
  // It has no former key, and the answer says only when keys end.
  'GET /paymaster/former-keys': { ...plain, isSameForAll: true },
  'DELETE /paymaster/former-keys': plain,
  'GET /keys': plain,
  'POST /keys': {
    requests: ({ rulesPolicyId }) => [{ body: { name: 'a key', kind: 'SECRET', policyIds: [rulesPolicyId] } }],
  },
  'PATCH /keys/{keyId}': {
    requests: ({ keyId, rulesPolicyId }) => [
      { id: keyId, body: { name: 'changed' } },
      { id: keyId, body: { policyIds: [rulesPolicyId] } },
    ],
  },
  'DELETE /keys/{keyId}': { requests: ({ keyId }) => [{ id: keyId }] },
  'POST /keys/{keyId}/rotate': { requests: ({ keyId }) => [{ id: keyId, body: { previousKeyValidSeconds: 0 } }] },
  'GET /session-keys': plain,
  'POST /session-keys': { requests: () => [{ body: { name: 'a session key', publicKey: SESSION_KEY } }] },
  'DELETE /session-keys/{keyId}': { requests: ({ sessionKeyId }) => [{ id: sessionKeyId }] },
  'GET /paymaster-settings': plain,
  'POST /paymaster-settings/release-brake': plain,
  'PATCH /paymaster-settings': { requests: () => [{ body: { sponsorNativeTransfers: true } }] },
  'POST /smart-contract': {
    requests: ({ contractAddress }) => [{ body: contract(contractAddress) }],
    own: () => [{ body: contract(randomAddress()) }],
  },
  'GET /smart-contract': plain,
  'PATCH /smart-contract': {
    requests: ({ contractAddress }) => [{ body: { address: contractAddress, whitelistedMethods: ['add'] } }],
  },
  'DELETE /smart-contract': { requests: ({ contractAddress }) => [{ body: { address: contractAddress } }] },
  'POST /token': {
    requests: ({ tokenAddress }) => [{ body: token(tokenAddress) }],
    own: (_named, fresh) => [{ body: token(fresh.token) }],
  },
  'GET /token': plain,
  'PATCH /token': { requests: ({ tokenAddress: address }) => [{ body: { address, premiumPercentage: '3' } }] },
  'DELETE /token': { requests: ({ tokenAddress: address }) => [{ body: { address } }] },
  'POST /paymaster-policy': { requests: () => [{ body: policy }] },
  'GET /paymaster-policy': plain,
  'GET /paymaster-policy/{policyId}': {
    requests: ({ limitPolicyId, webhookPolicyId }) => [{ id: limitPolicyId }, { id: webhookPolicyId }],
  },
  'PATCH /paymaster-policy/{policyId}': byPolicy({ name: 'changed' }),
  'DELETE /paymaster-policy/{policyId}': byPolicy(),
  'GET /paymaster-policy/{policyId}/history': byPolicy(),
  'GET /paymaster-policy/{policyId}/use': {
    requests: ({ limitPolicyId, sharedPolicyId }) => [{ id: limitPolicyId }, { id: sharedPolicyId }],
  },
  'GET /price': plain,
  'POST /explain': { requests: () => [{ body: { userOperation } }] },
  'PATCH /paymaster-policy/limit/{policyId}': byPolicy({ threshold: 11 }),
  'PATCH /paymaster-policy/deactivate/{policyId}': byPolicy(),
  'PATCH /paymaster-policy/activate/{policyId}': byPolicy(),
  'GET /paymaster-policy/export': plain,
  'POST /paymaster-policy/import': {
    requests: ({ limitPolicyId, contractAddress }) =>
      ['', '?dryRun=true'].map((query) => ({
        query,
        body: {
          ...{ formatVersion: 1, policies: [{ policyId: limitPolicyId, ...policy }], settings: {} },
          contracts: [{ ...contract(contractAddress), name: 'imported' }],
        },
      })),
    // The type of a policy that exists stays.
    own: () => [{ body: { formatVersion: 1, policies: [policy], contracts: [], settings: {} } }],
  },
  'POST /account/smart-contract': {
    requests: ({ paymasterId, contractAddress }) => [
      { body: { ...contract(contractAddress), paymasterIds: [paymasterId] } },
    ],
  },
  'POST /account/paymaster-policy': {
    requests: ({ paymasterId }) => [{ body: { ...policy, paymasterIds: [paymasterId] } }],
  },
  'GET /account/usage': plain,
  'GET /shared-policy': plain,
  'GET /shared-policy/paymasters': plain,
  'POST /shared-policy': { requests: ({ paymasterId }) => [{ body: sharedPolicy(paymasterId) }] },
  'PATCH /shared-policy/{policyId}': {
    requests: ({ sharedPolicyId, paymasterId }) => [
      { id: sharedPolicyId, body: { active: false } },
      { id: sharedPolicyId, body: { paymasterIds: [paymasterId] } },
    ],
  },
  'DELETE /shared-policy/{policyId}': { requests: ({ sharedPolicyId }) => [{ id: sharedPolicyId }] },
  'GET /funding-message': plain,
  'GET /funding-message/{paymasterId}': byPaymaster(),
  'GET /account/operation': plain,
  'GET /account/audit-log': { requests: ({ paymasterId }) => [{ query: `?paymasterId=${paymasterId}` }] },
  'GET /events': { requests: () => [{ query: '?follow=false&after=0' }] },
  'GET /operation': plain,
  'GET /operation/export.csv': plain,
  'GET /operation/reasons': { ...plain, isSameForAll: true },
  'GET /operation/{operationId}': { requests: ({ operationId }) => [{ id: operationId }] },
  // The chain of the test does not know the operation's transaction.
  'GET /operation/{operationId}/calls': {
    isSameForAll: true,
    requests: ({ operationId }) => [{ id: operationId }],
  },
  'GET /request-log': plain,
  'GET /request-log/{entryId}': { requests: ({ entryId }) => [{ id: entryId }] },
  'DELETE /request-log': plain,
  'GET /usage': { requests: () => [{}, { query: '?by=sender' }] },
  'POST /webhook': {
    requests: () => [{ body: { webhookUrl: 'https://hooks.example.org/', requestType: 'POST', active: false } }],
  },
  'GET /webhook': { requests: ({ webhookId }) => [{ query: `?webhookId=${webhookId}` }, {}] },
  'PATCH /webhook': byWebhook({ active: false }),
  'DELETE /webhook': byWebhook(),
  'GET /webhook/secrets': {
    requests: (named) => signedWebhooks(named).map((webhookId) => ({ query: `?webhookId=${webhookId}` })),
  },
  'POST /webhook/rotate': { requests: (named) => signedWebhooks(named).map((webhookId) => ({ body: { webhookId } })) },
  'POST /webhook/test': byWebhook(),
  'GET /webhook/deliveries': { requests: ({ webhookId }) => [{ query: `?webhookId=${webhookId}` }] },
  'POST /webhook/replay': {
    requests: ({ webhookId, deliveryId }) => [{ body: { webhookId } }, { body: { webhookId, deliveryId } }],
  },
  'GET /alerts': plain,
  'POST /alerts': { requests: () => [{ body: { ...ALERT, url: 'https://hooks.example.org/' } }] },
  'PATCH /alerts/{alertId}': { requests: ({ alertId }) => [{ id: alertId, body: { name: 'changed' } }] },
  'DELETE /alerts/{alertId}': byAlert,
  'POST /alerts/{alertId}/test': byAlert,
  'GET /alerts/{alertId}/deliveries': byAlert,
  'GET /funding-wallet': plain,
  'GET /funding-wallet/transactions': { requests: () => [{ query: '?amountWei=5' }] },
  'POST /paymaster-policy/back-test': {
    requests: () => [{ body: { ...draft, from: '2024-03-01', to: '2024-03-02' } }],
  },
};
