import {
  ApiKeyExpiredError,
  DEFAULT_LIVE_SIGNATURE_CAPS,
  DEFAULT_PAYMASTER_SETTINGS,
  InvalidApiKeyError,
  type KeyGrant,
} from '@paymaster/domain';
import { keyGrantBuilder, policySnapshotBuilder } from '@paymaster/domain/testing';
import { NO_SPAN } from '@paymaster/tracing';
import type { ServedChains } from '../chains/served-chains';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { RateLimitedError } from '../platform/errors/rpc-errors';
import type { PolicySnapshots } from '../snapshots/policy-snapshots.service';
import { randomApiKey } from '../testing/api-key';
import { CallerService } from './caller.service';

/** The number of unknown keys that a network may try at once. */
const GUESSES = 300;
const OFFICE = '203.0.113.7';
/** A chain that is served, and to which no key here belongs. */
const OTHER_CHAIN_ID = 1;

/** A dashboard that knows some keys, and how often it was asked. */
function world({ perSecond = 1_000_000, clientSharePercent = 100, servers = [] as string[] } = {}) {
  const config = {
    rateLimitPerKeyPerSecond: perSecond,
    apiKeyIndexKey: '11'.repeat(32),
    natsUrl: 'nats://127.0.0.1:1',
  };
  const dashboard = { asked: 0, knows: false, down: false, grant: null as KeyGrant | null };
  const liveSignatureCaps = { ...DEFAULT_LIVE_SIGNATURE_CAPS, clientSharePercent };
  const snapshot = policySnapshotBuilder()
    .with('settings', {
      ...DEFAULT_PAYMASTER_SETTINGS,
      ...{ liveSignatureCaps, servers, allowedOrigins: ['https://app.example'] },
    })
    .build();
  const snapshots = {
    resolve: () => {
      dashboard.asked += 1;
      if (dashboard.down) return Promise.reject(new Error('down'));
      return Promise.resolve(dashboard.knows ? { snapshot: { ...snapshot, key: dashboard.grant } } : undefined);
    },
  };
  const named = (text: string) => {
    if (text === String(OTHER_CHAIN_ID)) return { config: { chainId: OTHER_CHAIN_ID } };
    throw new InvalidApiKeyError(`no chain ${text}`);
  };
  const chains = { ids: [snapshot.chainId], get: () => ({}), named };
  const callers = new CallerService(
    config as unknown as PaymasterRpcConfig,
    chains as unknown as ServedChains,
    snapshots as unknown as PolicySnapshots,
  );
  const ask = (
    apiKey: string,
    clientAddress = OFFICE,
    { chainId, origin, headers }: { chainId?: string; origin?: string; headers?: Record<string, string> } = {},
  ) =>
    callers
      .identify({
        credentials: { chainId, pathKey: apiKey, xApiKey: undefined, authorization: undefined },
        ...{ origin, headers, requestId: 'test', clientAddress, weight: 1, span: NO_SPAN, deadlineMs: 5_000 },
      })
      .then(
        () => 'good',
        (error: unknown) => error,
      );
  return { dashboard, ask };
}

beforeEach(() => jest.spyOn(performance, 'now').mockReturnValue(0));
afterEach(() => jest.restoreAllMocks());

describe('CallerService', () => {
  it('looks up no more keys of a network that tried too many unknown keys', async () => {
    const { dashboard, ask } = world();
    for (let tries = 0; tries < GUESSES; tries++) expect(await ask(randomApiKey())).toBeInstanceOf(InvalidApiKeyError);
    expect(dashboard.asked).toBe(GUESSES);
    expect(await ask(randomApiKey())).toBeInstanceOf(RateLimitedError);
    expect(await ask('malformed')).toBeInstanceOf(RateLimitedError);
    expect(dashboard.asked).toBe(GUESSES);
    // Another client's network.
    expect(await ask(randomApiKey(), '203.0.113.8')).toBeInstanceOf(InvalidApiKeyError);
  });

  it('counts keys that cannot exist too, and never asks for them', async () => {
    const { dashboard, ask } = world();
    for (let tries = 0; tries < GUESSES; tries++) expect(await ask('malformed')).toBeInstanceOf(InvalidApiKeyError);
    expect(await ask('malformed')).toBeInstanceOf(RateLimitedError);
    expect(dashboard.asked).toBe(0);
  });

  it('counts keys that name a chain which is not served', async () => {
    const { ask } = world();
    for (let tries = 0; tries < GUESSES; tries++)
      expect(await ask(randomApiKey(), OFFICE, { chainId: '5' })).toBeInstanceOf(InvalidApiKeyError);
    expect(await ask(randomApiKey(), OFFICE, { chainId: '5' })).toBeInstanceOf(RateLimitedError);
  });

  it('serves a key on its own chain only, and only to pages that its owner allows', async () => {
    const { dashboard, ask } = world();
    dashboard.knows = true;
    expect(await ask(randomApiKey(), OFFICE, { chainId: String(OTHER_CHAIN_ID) })).toMatchObject({
      details: { addressChainId: OTHER_CHAIN_ID },
    });
    expect(await ask(randomApiKey(), OFFICE, { origin: 'https://evil.example' })).toMatchObject({
      reason: 'ORIGIN_NOT_ALLOWED',
    });
    expect(await ask(randomApiKey(), OFFICE, { origin: 'https://app.example' })).toBe('good');
  });

  it('lets a good key go on behind the address of a guesser', async () => {
    const { dashboard, ask } = world();
    const good = randomApiKey();
    dashboard.knows = true;
    expect(await ask(good)).toBe('good');
    dashboard.knows = false;
    for (let tries = 0; tries <= GUESSES; tries++) await ask(randomApiKey());
    dashboard.knows = true;
    expect(await ask(good)).toBe('good');
  });

  it('counts neither good keys nor keys that could not be looked up', async () => {
    const { dashboard, ask } = world();
    dashboard.knows = true;
    for (let tries = 0; tries <= GUESSES; tries++) expect(await ask(randomApiKey())).toBe('good');
    dashboard.down = true;
    for (let tries = 0; tries <= GUESSES; tries++) expect(await ask(randomApiKey())).toMatchObject({ message: 'down' });
  });

  it('counts a key that was good and is no longer', async () => {
    const { dashboard, ask } = world();
    const revoked = randomApiKey();
    dashboard.knows = true;
    expect(await ask(revoked)).toBe('good');
    dashboard.knows = false;
    const answers = [];
    for (let tries = 0; tries <= GUESSES + 1; tries++) answers.push(await ask(revoked));
    expect(answers[0]).toBeInstanceOf(InvalidApiKeyError);
    expect(answers.at(-1)).toBeInstanceOf(RateLimitedError);
  });

  describe('with several keys of one paymaster', () => {
    /** What fits at once into a limit of 20 a second. */
    const BURST = 40;
    const times = async (count: number, ask: () => Promise<unknown>) => {
      const answers = await Promise.all(Array.from({ length: count }, ask));
      return answers.filter((answer) => answer === 'good').length;
    };

    it('counts them together, however many come before their paymaster is known', async () => {
      const { dashboard, ask } = world({ perSecond: 20 });
      dashboard.knows = true;
      const [former, current] = [randomApiKey(), randomApiKey()];
      expect(await times(BURST - 10, () => ask(former))).toBe(BURST - 10);
      expect(await times(BURST, () => ask(current))).toBe(10);
      expect(await ask(former)).toBeInstanceOf(RateLimitedError);
    });

    it.each([
      ['is not known any more', { knows: false }, InvalidApiKeyError],
      ['has expired', { grant: { ...keyGrantBuilder().build(), expiresAtMs: Date.now() - 1 } }, ApiKeyExpiredError],
    ])('no longer counts a key that %s', async (_what, ending, refusal) => {
      const { dashboard, ask } = world({ perSecond: 20 });
      const [ended, current] = [randomApiKey(), randomApiKey()];
      Object.assign(dashboard, { knows: true, grant: keyGrantBuilder().build() });
      expect(await ask(ended)).toBe('good');
      Object.assign(dashboard, ending);
      expect(await ask(ended)).toBeInstanceOf(refusal);
      for (let tries = 1; tries < BURST; tries++) await ask(ended);
      Object.assign(dashboard, { knows: true, grant: null });
      // Less the requests that the ended key sent while it worked, and the request that found its end.
      expect(await times(BURST, () => ask(current))).toBe(BURST - 2);
    });
  });

  describe('where clients are kept from each other', () => {
    const many = async (times: number, ask: () => Promise<unknown>) => {
      const answers = [];
      for (let asked = 0; asked < times; asked++) answers.push(await ask());
      return answers.filter((answer) => answer === 'good').length;
    };

    it('gives each client address a share of what is left, of one /48 together', async () => {
      const { dashboard, ask } = world({ perSecond: 20, clientSharePercent: 50 });
      dashboard.knows = true;
      const key = randomApiKey();
      expect(await many(40, () => ask(key, '203.0.113.66'))).toBe(20);
      let address = 0;
      expect(await many(40, () => ask(key, `2001:db8:66:${(address++).toString(16)}::1`))).toBe(10);
      expect(await many(5, () => ask(key))).toBe(5);
      // Of another key of the same paymaster too, from its first request on.
      expect(await ask(randomApiKey(), '203.0.113.66')).toBeInstanceOf(RateLimitedError);
    });

    it('gives a server of the owner all that is left, and each user whom it names a share', async () => {
      const servers = ['203.0.113.66'];
      const { dashboard, ask } = world({ perSecond: 20, clientSharePercent: 50, servers });
      dashboard.knows = true;
      const key = randomApiKey();
      expect(await many(20, () => ask(key, '203.0.113.66', { headers: { 'x-forwarded-user': 'alice' } }))).toBe(20);
      expect(await many(1, () => ask(key, '203.0.113.66', { headers: { 'x-forwarded-user': 'alice' } }))).toBe(0);
      expect(await many(40, () => ask(key, '203.0.113.66'))).toBe(20);
    });

    it('takes nothing of the others for what it refuses', async () => {
      const { dashboard, ask } = world({ perSecond: 20, clientSharePercent: 50 });
      dashboard.knows = true;
      const key = randomApiKey();
      await many(1_000, () => ask(key, '203.0.113.66'));
      expect(await many(10, () => ask(key))).toBe(10);
    });
  });

  it('limits nothing where the operator wants no limit', async () => {
    const { ask } = world({ perSecond: 0 });
    for (let tries = 0; tries <= GUESSES; tries++) expect(await ask(randomApiKey())).toBeInstanceOf(InvalidApiKeyError);
  });
});
