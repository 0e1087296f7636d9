import { changesOf, draftOf, NEW_KEY, sendableKey, type NamedKey } from './key-draft';

const key: NamedKey = {
  ...{ ...NEW_KEY, name: 'web', allowedMethods: ['pm_chainId'] },
  limits: [{ scope: 'KEY', measure: 'COUNT', amount: '5', cycle: 'DAY' }],
  ...{ keyId: 'k', createdAt: '', lastUsedAt: null, formerKeysValidUntil: [] },
};

describe('changesOf', () => {
  it('has nothing of a key that was not changed', () => {
    expect(changesOf(draftOf(key), key)).toEqual({ expected: {} });
  });

  it('has what was changed only, null for a restriction that was taken away, and what was read of it', () => {
    const draft = { ...draftOf(key), name: 'shop', allowedMethods: [], allowedSenders: ['0x1'] };
    expect(changesOf(draft, key)).toEqual({
      ...{ name: 'shop', allowedMethods: null, allowedSenders: ['0x1'] },
      expected: { name: 'web', allowedMethods: ['pm_chainId'], allowedSenders: null },
    });
  });
});

it('a new key may send any operation, and a change of that is sent alone', () => {
  expect(sendableKey(NEW_KEY)).toMatchObject({ bundler: 'any' });
  expect(changesOf({ ...draftOf(key), bundler: 'off' }, key)).toEqual({
    ...{ bundler: 'off', expected: { bundler: 'any' } },
  });
  expect(changesOf({ ...draftOf({ ...key, bundler: 'off' }), bundler: 'any' }, { ...key, bundler: 'off' })).toEqual({
    ...{ bundler: 'any', expected: { bundler: 'off' } },
  });
});

it('sendableKey gives a secret key no origins', () => {
  const draft = { ...NEW_KEY, name: ' server ', kind: 'SECRET', allowedOrigins: ['https://a.test'] } as const;
  expect(sendableKey(draft as never)).toMatchObject({ name: 'server', kind: 'SECRET', allowedOrigins: null });
});
