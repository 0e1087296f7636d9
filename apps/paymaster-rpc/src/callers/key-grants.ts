import { ApiKeyExpiredError, SponsorshipRefusedError, type Address, type KeyGrant } from '@paymaster/domain';
import { NetworkList } from '@paymaster/nest-kit';
import type { ReasonGroup } from '../platform/errors/reasons';

/** The parts of a request about which its key decides. */
export interface KeyUse {
  readonly origin: string | undefined;
  /** The address that the operator's trusted proxies report. */
  readonly clientAddress: string | undefined;
}

/** The error for a key that {@link hasExpired}. */
export function keyExpired(): ApiKeyExpiredError {
  return new ApiKeyExpiredError('The API key has expired; its owner can give it another end.');
}

/** Whether the key's end, set by its owner, has passed. */
export function hasExpired({ expiresAtMs }: KeyGrant): boolean {
  return expiresAtMs !== null && Date.now() >= expiresAtMs;
}

/**
 * Checks that a named key may be used from the request's origin and address.
 *
 * @throws {SponsorshipRefusedError} ORIGIN_NOT_ALLOWED, KEY_NETWORK_NOT_ALLOWED
 */
export function assertKeyServes(key: KeyGrant, { origin, clientAddress }: KeyUse): void {
  if (key.allowedOrigins !== null && !(origin !== undefined && key.allowedOrigins.includes(origin))) {
    throw new SponsorshipRefusedError(
      'ORIGIN_NOT_ALLOWED',
      'This API key serves pages of certain origins only; its owner can add an origin to the key.',
    );
  }
  if (key.allowedNetworks !== null && !networksOf(key.allowedNetworks).has(clientAddress)) {
    throw new SponsorshipRefusedError(
      'KEY_NETWORK_NOT_ALLOWED',
      'This API key serves certain networks only, and the request comes from another.',
    );
  }
}

/** @throws {SponsorshipRefusedError} KEY_METHOD_NOT_ALLOWED */
export function assertKeyCalls({ allowedMethods }: KeyGrant, method: string): void {
  if (allowedMethods === null || allowedMethods.includes(method)) return;
  throw new SponsorshipRefusedError('KEY_METHOD_NOT_ALLOWED', `This API key may not call ${method}.`);
}

/** The methods of all dialects whose answers contain a signature. */
export const SIGNING_METHODS: readonly string[] = [
  'pm_getFeeQuoteOrData',
  'pm_sponsorUserOperation',
  'pm_getPaymasterData',
  'zd_sponsorUserOperation',
  'alchemy_requestGasAndPaymasterAndData',
];

/** Checks that the key may ask for a signature by some method. @throws {SponsorshipRefusedError} KEY_METHOD_NOT_ALLOWED */
export function assertKeySigns({ allowedMethods }: KeyGrant): void {
  if (allowedMethods === null || allowedMethods.some((method) => SIGNING_METHODS.includes(method))) return;
  const sentence = 'This API key may call no method that answers a signature.';
  throw new SponsorshipRefusedError('KEY_METHOD_NOT_ALLOWED', sentence);
}

/** Whether operations can be sent with the key. */
export function maySend({ allowedMethods, bundler }: KeyGrant): boolean {
  return bundler !== 'off' && (allowedMethods === null || allowedMethods.includes('eth_sendUserOperation'));
}

/**
 * Checks that a key with `bundler: off` calls no method of a bundler.
 *
 * @param refusals the groups of refusals of the method. A bundler's method has `bundlerUse` among them
 * @throws {SponsorshipRefusedError} KEY_BUNDLER_OFF
 */
export function assertKeyMayBundle(
  { bundler }: KeyGrant,
  { name, refusals }: { readonly name: string; readonly refusals: readonly ReasonGroup[] },
): void {
  if (bundler !== 'off' || !refusals.includes('bundlerUse')) return;
  throw new SponsorshipRefusedError(
    'KEY_BUNDLER_OFF',
    `This API key may not call ${name} or another method of a bundler; the key's owner can change that.`,
  );
}

/** @throws {SponsorshipRefusedError} KEY_SENDER_NOT_ALLOWED */
export function assertKeyServesSender({ allowedSenders }: KeyGrant, sender: Address): void {
  if (allowedSenders === null || allowedSenders.includes(sender.toLowerCase() as Address)) return;
  const line = { rule: 'senders of the API key', input: sender, outcome: 'refuse' as const };
  const message = `This API key serves certain accounts only, and ${sender} is none of them`;
  throw new SponsorshipRefusedError('KEY_SENDER_NOT_ALLOWED', message, [line]);
}

/** The origins whose pages may read answers to the key: those that both the paymaster and the key allow. */
export function originsOfKey(ofPaymaster: readonly string[], key: KeyGrant | null): readonly string[] {
  const ofKey = key?.allowedOrigins ?? null;
  if (ofKey === null) return ofPaymaster;
  return ofPaymaster.includes('*') ? ofKey : ofKey.filter((origin) => ofPaymaster.includes(origin));
}

/** Made once for each copy of a policy. */
const known = new WeakMap<readonly string[], NetworkList>();

/** The compiled list of networks of a policy. */
export function networksOf(networks: readonly string[]): NetworkList {
  const made = known.get(networks) ?? new NetworkList(networks);
  known.set(networks, made);
  return made;
}
