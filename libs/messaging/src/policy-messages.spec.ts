import {
  DEFAULT_PAYMASTER_SETTINGS,
  eachPriceSource,
  NATIVE_PSEUDO_ADDRESS,
  SETTINGS,
  toPriceReference,
  ZERO_ADDRESS,
  type Hex,
  type KeyGrant,
  type Setting,
} from '@paymaster/domain';
import {
  keyGrantBuilder,
  policySnapshotBuilder,
  randomAddress,
  rulesPolicyBuilder,
  tokenListingBuilder,
} from '@paymaster/domain/testing';
import { MessageAuthenticator } from './message-authenticator';
import { fromMessage, toMessage } from './policy-messages';
import { MalformedSnapshotError } from './snapshot-shape';
import { MAX_POLICIES_BYTES, policiesBytes, toPolicyMessage } from './sponsorship-policy-message';
import { MAX_SNAPSHOT_TOKENS } from './token-shape';

describe('policy snapshot messages', () => {
  it.each([null, 0n, 2n ** 200n])('survive JSON with a cost cap of %s', (maxOperationCostWei) => {
    const snapshot = policySnapshotBuilder()
      .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, maxOperationCostWei })
      .build();
    expect(fromMessage(JSON.parse(JSON.stringify(toMessage(snapshot))), snapshot.chainId)).toEqual(snapshot);
  });

  it.each([null, 0n, 2n ** 200n])('survive JSON with tokens whose exposure cap is %s', (exposureCapWei) => {
    const feed = { address: randomAddress(), heartbeatSeconds: 604_800 };
    const listings = [
      tokenListingBuilder().with('exposureCapWei', exposureCapWei).build(),
      tokenListingBuilder()
        .with('price', toPriceReference({ feed, apiId: 'usd-coin' }))
        .with('logoUrl', null)
        .build(),
    ];
    const snapshot = policySnapshotBuilder().with('tokens', listings).build();
    expect(fromMessage(JSON.parse(JSON.stringify(toMessage(snapshot))), snapshot.chainId)).toEqual(snapshot);
  });

  it('have no source that a dashboard from before it does not know', () => {
    const snapshot = policySnapshotBuilder().with('tokens', [tokenListingBuilder().build()]).build();
    const sent = JSON.stringify(toMessage(snapshot)).replace(',"coinFeed":null', '');
    expect(sent).not.toContain('coinFeed');
    expect(fromMessage(JSON.parse(sent), snapshot.chainId)).toEqual(snapshot);
  });

  it('contain the receiver of tokens and the ways of charging', () => {
    const settings = {
      ...DEFAULT_PAYMASTER_SETTINGS,
      tokenMode: 'whitelistedCalls',
      tokenChargingWays: [],
      tokenFeeReceiver: randomAddress(),
      servers: ['203.0.113.7', '198.51.100.0/24', '2001:db8:1::/48'],
    } as const;
    const snapshot = policySnapshotBuilder().with('settings', settings).build();
    expect(fromMessage(JSON.parse(JSON.stringify(toMessage(snapshot))), snapshot.chainId).settings).toEqual(settings);
  });

  it('say what a named key may do; messages of an older dashboard, which knows no named keys, name no key', () => {
    const key: KeyGrant = {
      ...keyGrantBuilder().build(),
      ...{ allowedOrigins: ['https://app.example'], allowedNetworks: ['203.0.113.0/24', '::1'], expiresAtMs: 7 },
      ...{ allowedSenders: [randomAddress()], allowedMethods: ['pm_getPaymasterData'], policyIds: ['p'] },
      bundler: 'off',
      limits: [{ id: 'KEY-WEI-DAY', scope: 'KEY', measure: 'WEI', amount: 2n ** 200n, cycle: 'DAY' }],
    };
    const named = toMessage({ ...policySnapshotBuilder().build(), key });
    expect(fromMessage(JSON.parse(JSON.stringify(named)), named.chainId).key).toEqual(key);
    const { key: _, sessionKeys: __, suspensionReason: ___, contractErrors: ____, ...older } = named;
    const none = { key: null, sessionKeys: [], suspensionReason: null, contractErrors: [] };
    expect(fromMessage(older, named.chainId)).toMatchObject(none);
  });

  const later = Object.entries<Setting>(SETTINGS).filter(([, { mayBeAbsent }]) => mayBeAbsent);
  it.each(later)(
    'take %s as its standard from an older dashboard, which sends nothing for it',
    (name, { standard }) => {
      const { settings, ...rest } = toMessage(policySnapshotBuilder().build());
      const older = Object.fromEntries(Object.entries(settings).filter(([key]) => key !== name));
      expect(fromMessage({ ...rest, settings: older }, rest.chainId).settings).toHaveProperty(name, standard);
      const broken = { ...rest, settings: { ...settings, [name]: {} } };
      expect(() => fromMessage(broken, rest.chainId)).toThrow(new MalformedSnapshotError(`settings.${name}`));
    },
  );

  it('leave out `bundler` where it is `any`, because older gateways refuse a field that they do not know', () => {
    const snapshot = { ...policySnapshotBuilder().build(), key: keyGrantBuilder().build() };
    const message = toMessage(snapshot);
    expect(message.key).not.toHaveProperty('bundler');
    expect(fromMessage(JSON.parse(JSON.stringify(message)), message.chainId).key).toEqual(snapshot.key);
    const narrowed = toMessage({ ...snapshot, key: { ...snapshot.key, bundler: 'sponsored' } });
    expect(narrowed.key).toHaveProperty('bundler', 'sponsored');
  });

  it('say why the paymaster is suspended, and are refused when that is no text', () => {
    const message = toMessage({ ...policySnapshotBuilder().build(), suspensionReason: 'It drains wallets.' });
    expect(fromMessage(JSON.parse(JSON.stringify(message)), message.chainId)).toMatchObject({
      suspensionReason: 'It drains wallets.',
    });
    expect(() => fromMessage({ ...message, suspensionReason: true }, message.chainId)).toThrow(
      new MalformedSnapshotError('suspensionReason'),
    );
  });

  const grant = keyGrantBuilder().build();
  const keyLimit = { id: 'a', scope: 'KEY', measure: 'WEI', amount: '5', cycle: 'DAY' };
  it.each<[string, unknown]>([
    ['no object', true],
    ['an empty one', {}],
    ['an unknown kind', { ...grant, kind: 'OPEN' }],
    ['an unknown field', { ...grant, allowedMoons: null }],
    ...Object.keys(grant)
      .filter((field) => field !== 'bundler')
      .map((field): [string, unknown] => [`no ${field}`, { ...grant, [field]: undefined }]),
    ['an unknown use of the bundlers', { ...grant, bundler: 'most' }],
    ['no word for the use of the bundlers', { ...grant, bundler: null }],
    ['an id that could name another budget', { ...grant, keyId: 'a:b' }],
    ['an empty list', { ...grant, allowedOrigins: [] }],
    ['an origin twice', { ...grant, allowedOrigins: ['a', 'a'] }],
    ['too many origins', { ...grant, allowedOrigins: Array.from({ length: 21 }, (_, at) => `o${at}`) }],
    ...[
      '203.0.113.0/33',
      '::/129',
      '10.0.0.0/08',
      '10.0.0/8',
      '::ffff:10.0.0.1',
      'fe80::1%eth0',
      '1.2.3.4/8/8',
      '',
    ].map((network): [string, unknown] => [`the network ${network}`, { ...grant, allowedNetworks: [network] }]),
    ['a sender in capitals', { ...grant, allowedSenders: [randomAddress().toUpperCase()] }],
    ['a method with a space', { ...grant, allowedMethods: ['pm_x '] }],
    ['a limit in EUR', { ...grant, limits: [{ ...keyLimit, measure: 'EUR' }] }],
    ['a limit of an unknown field', { ...grant, limits: [{ ...keyLimit, of: 1 }] }],
    ['a limit twice', { ...grant, limits: [keyLimit, keyLimit] }],
    ['a limit of a number', { ...grant, limits: [{ ...keyLimit, amount: 5 }] }],
    ['an end before time', { ...grant, expiresAtMs: -1 }],
  ])('are refused with a key of %s', (_what, key) => {
    const { chainId, ...rest } = toMessage(policySnapshotBuilder().build());
    expect(() => fromMessage({ ...rest, chainId, key }, chainId)).toThrow(new MalformedSnapshotError('key'));
  });

  const spki = 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=';
  const sessionKey = { keyId: 'a', algorithm: 'EdDSA', spki };
  it.each<[string, unknown]>([
    ['no list', null],
    ['an algorithm without a key', [{ ...sessionKey, algorithm: 'none' }]],
    ['a shared secret', [{ ...sessionKey, algorithm: 'HS256' }]],
    ['a key that is no base64', [{ ...sessionKey, spki: '-----BEGIN PUBLIC KEY-----' }]],
    ['an unknown field', [{ ...sessionKey, scope: 'all' }]],
    ['a key twice', [sessionKey, sessionKey]],
    ['too many', ['a', 'b', 'c', 'd', 'e'].map((keyId) => ({ ...sessionKey, keyId }))],
  ])('are refused with session keys of %s', (_what, sessionKeys) => {
    const { chainId, ...rest } = toMessage(policySnapshotBuilder().build());
    expect(() => fromMessage({ ...rest, chainId, sessionKeys }, chainId)).toThrow(
      new MalformedSnapshotError('sessionKeys'),
    );
    expect(fromMessage({ ...rest, chainId, sessionKeys: [sessionKey] }, chainId).sessionKeys).toEqual([sessionKey]);
  });

  const contractError = { selector: '0xe450d38c', signature: 'TooLittle(uint256 available,uint256 wanted)' };
  it.each<[string, unknown]>([
    ['no list', null],
    ['text', ['TooLittle()']],
    ['a selector in capitals', [{ ...contractError, selector: '0xE450D38C' }]],
    ['no signature', [{ ...contractError, signature: '' }]],
    ['a long signature', [{ ...contractError, signature: 'a'.repeat(301) }]],
    ['too many', Array.from({ length: 201 }, () => contractError)],
  ])('are refused with errors of contracts of %s', (_what, contractErrors) => {
    const { chainId, ...rest } = toMessage(policySnapshotBuilder().build());
    expect(() => fromMessage({ ...rest, chainId, contractErrors }, chainId)).toThrow(
      new MalformedSnapshotError('contractErrors'),
    );
    const read = fromMessage({ ...rest, chainId, contractErrors: [contractError] }, chainId);
    expect(read.contractErrors).toEqual([contractError]);
  });

  const message = toMessage(policySnapshotBuilder().build());
  const withSettings = (settings: object) => ({ ...message, settings: { ...message.settings, ...settings } });

  it.each<[string, unknown]>([
    ['paymasterId', null],
    ['paymasterId', { ...message, paymasterId: 7 }],
    ['version', { ...message, version: 2 ** 53 }],
    ['version', { ...message, version: '3' }],
    ['chainId', { ...message, chainId: message.chainId + 1 }],
    ['fundingWallet', { ...message, fundingWallet: '0x1' }],
    ['contracts', { ...message, contracts: [null] }],
    ['contracts', { ...message, contracts: [{ address: `0x${'1'.repeat(40)}`, selectors: ['0x123'] }] }],
    ['settings.sponsorAnyContract', { ...message, settings: undefined }],
    ['settings.sponsorAnyContract', withSettings({ sponsorAnyContract: 'no' })],
    ['settings.sponsorDeployments', withSettings({ sponsorDeployments: 'sometimes' })],
    ['settings.maxOperationCostWei', withSettings({ maxOperationCostWei: '-1' })],
    ['settings.maxOperationCostWei', withSettings({ maxOperationCostWei: undefined })],
    ['settings.allowedOrigins', withSettings({ allowedOrigins: '*' })],
    ['settings.tokenMode', withSettings({ tokenMode: 'on' })],
    ['settings.tokenMode', withSettings({ tokenMode: undefined })],
    ['settings.tokenChargingWays', withSettings({ tokenChargingWays: ['gift'] })],
    ['settings.tokenChargingWays', withSettings({ tokenChargingWays: ['permit', 'permit'] })],
    ['settings.tokenChargingWays', withSettings({ tokenChargingWays: null })],
    ['settings.tokenFeeReceiver', withSettings({ tokenFeeReceiver: ZERO_ADDRESS })],
    ['settings.tokenFeeReceiver', withSettings({ tokenFeeReceiver: undefined })],
    ['settings.onLimitReached', withSettings({ onLimitReached: undefined })],
    ['settings.allowEqualFees', withSettings({ allowEqualFees: undefined })],
    ['settings.allowCallDataSuffix', withSettings({ allowCallDataSuffix: undefined })],
    ...[['10.0.0.0/23'], ['2001:db8::/47'], ['0.0.0.0/0'], ['app.example'], ['10.0.0.1', '10.0.0.1'], null].map(
      (servers): [string, unknown] => ['settings.servers', withSettings({ servers })],
    ),
    ['settings.servers', withSettings({ servers: Array.from({ length: 21 }, (_, at) => `10.0.0.${at}`) })],
    ['settings.ignoreForeignPolicyIds', withSettings({ ignoreForeignPolicyIds: undefined })],
    ['settings.allowBatchApprovalWithoutRules', withSettings({ allowBatchApprovalWithoutRules: undefined })],
    ['settings.signWhenSent', withSettings({ signWhenSent: null })],
    ['settings.sponsorName', withSettings({ sponsorName: undefined })],
    ['settings.sponsorIcon', withSettings({ sponsorIcon: 'data:image/svg+xml;base64,PHN2Zy8+' })],
    ['tokens', { ...message, tokens: undefined }],
    ['tokens', { ...message, tokens: [null] }],
  ])('are refused with a wrong %s', (field, broken) => {
    expect(() => fromMessage(broken, message.chainId)).toThrow(new MalformedSnapshotError(field));
  });

  const token = toMessage(policySnapshotBuilder().with('tokens', [tokenListingBuilder().build()]).build()).tokens[0];
  const feed = { address: randomAddress(), heartbeatSeconds: 1 };
  const price = { feed: null, apiId: null, fixedUsd: '1' };

  it.each<[string, object]>([
    ['the zero address', { address: ZERO_ADDRESS }],
    ['the native pseudo-address', { address: NATIVE_PSEUDO_ADDRESS }],
    ['an address in upper case', { address: `0x${'A'.repeat(40)}` }],
    ['no symbol', { symbol: '' }],
    ['a symbol of 65 characters', { symbol: 'a'.repeat(65) }],
    ['37 decimals', { decimals: 37 }],
    ['negative decimals', { decimals: -1 }],
    ['a logo that is not https', { logoUrl: 'http://example.org/logo.png' }],
    ['a logo of 2,049 characters', { logoUrl: `https://${'a'.repeat(2_041)}` }],
    ['no price', { price: null }],
    ['a price without a source', { price: { ...price, fixedUsd: null } }],
    ['a price that leaves a source out', { price: { fixedUsd: '1' } }],
    ['a fixed price of zero', { price: { ...price, fixedUsd: '0.00' } }],
    ['a fixed price as a number', { price: { ...price, fixedUsd: 1 } }],
    ['an API id that ends its query', { price: { ...price, apiId: 'usd-coin&x=1' } }],
    ['a feed without a heartbeat', { price: { ...price, feed: { address: feed.address } } }],
    ['a heartbeat of 0', { price: { ...price, feed: { ...feed, heartbeatSeconds: 0 } } }],
    ['a heartbeat over a week', { price: { ...price, feed: { ...feed, heartbeatSeconds: 604_801 } } }],
    ['a negative premium', { premiumMillionths: -1 }],
    ['a premium over 100 %', { premiumMillionths: 1_000_001 }],
    ['a fractional premium', { premiumMillionths: 0.5 }],
    ['a cap as a number', { exposureCapWei: 1 }],
    ['no cap at all', { exposureCapWei: undefined }],
    ['an unknown way', { chargingWays: ['gift'] }],
    ['a way named twice', { chargingWays: ['permit', 'permit'] }],
    ['no transfer gas', { transferGas: 0 }],
    ['more transfer gas than a block', { transferGas: 30_000_001 }],
  ])('are refused with a token that has %s', (_title, broken) => {
    expect(() => fromMessage({ ...message, tokens: [{ ...token, ...broken }] }, message.chainId)).toThrow(
      new MalformedSnapshotError('tokens'),
    );
    expect(fromMessage({ ...message, tokens: [token] }, message.chainId).tokens).toHaveLength(1);
  });

  it('are refused with an address listed twice, and with more tokens than fit', () => {
    const tokens = (count: number) => Array.from({ length: count }, () => ({ ...token, address: randomAddress() }));
    expect(fromMessage({ ...message, tokens: tokens(MAX_SNAPSHOT_TOKENS) }, message.chainId).tokens).toHaveLength(50);
    for (const broken of [tokens(MAX_SNAPSHOT_TOKENS + 1), [token, token]]) {
      expect(() => fromMessage({ ...message, tokens: broken }, message.chainId)).toThrow(
        new MalformedSnapshotError('tokens'),
      );
    }
  });

  it('have room in one NATS message at the limits of everything', () => {
    const policies = [rulesPolicyBuilder().build()];
    while (policiesBytes(policies.map(toPolicyMessage)) < MAX_POLICIES_BYTES - 4_000) {
      policies.push(rulesPolicyBuilder({ deniedSenders: Array.from({ length: 50 }, () => randomAddress()) }).build());
    }
    const snapshot = policySnapshotBuilder()
      .with('contracts', [{ address: randomAddress(), selectors: Array<Hex>(50_000).fill('0x12345678') }])
      .with(
        'tokens',
        Array.from({ length: MAX_SNAPSHOT_TOKENS }, () => ({
          ...tokenListingBuilder().build(),
          symbol: '\u{1F680}'.repeat(32),
          logoUrl: `https://${'a'.repeat(2_040)}`,
          price: toPriceReference({
            ...eachPriceSource(() => ({ address: randomAddress(), heartbeatSeconds: 604_800 })),
            apiId: 'a'.repeat(100),
            fixedUsd: `${'9'.repeat(18)}.${'9'.repeat(18)}`,
          }),
          exposureCapWei: 2n ** 256n - 1n,
        })),
      )
      .with('policies', policies)
      .with('settings', {
        ...DEFAULT_PAYMASTER_SETTINGS,
        sponsorName: '\u{1F680}'.repeat(500),
        sponsorIcon: `data:image/jpeg;base64,/9j/${'A'.repeat(8_164)}`,
      })
      .build();
    const body = JSON.stringify({ found: true, snapshot: toMessage(snapshot) });
    const signed = new MessageAuthenticator('11'.repeat(32)).signReply(
      { chainId: snapshot.chainId, apiKeyIndex: 'aa'.repeat(32), nonce: '01' },
      body,
    );
    expect(fromMessage(toMessage(snapshot), snapshot.chainId)).toEqual(snapshot);
    expect(Buffer.byteLength(JSON.stringify({ id: '0'.repeat(32), response: signed }))).toBeLessThan(1_000_000);
  });
});
