import { MessageAuthenticator } from './message-authenticator';

const NOW_MS = 1_700_000_000_000;
const KEY = '11'.repeat(32);
const question = { chainId: 31337, apiKeyIndex: 'aa'.repeat(32), nonce: '01' };
const event = { paymasterId: 'p', version: 3 };

describe('MessageAuthenticator', () => {
  const dashboard = new MessageAuthenticator(KEY, () => NOW_MS);
  const gateway = new MessageAuthenticator(`0x${KEY}`, () => NOW_MS);

  it('opens what the other side signed under the same key', () => {
    expect(gateway.openReply(question, dashboard.signReply(question, '{"found":false}'))).toBe('{"found":false}');
    expect(gateway.openChange(dashboard.signChange(event))).toEqual(event);
  });

  it('signs as earlier releases do, which run beside it during an update', () => {
    const macs = [dashboard.signReply(question, '{}'), dashboard.signChange(event), dashboard.signRates('s', '{}')].map(
      ({ mac }) => mac,
    );
    // Proofs that the test computes itself from labels and fields; each kind of message has a key of its own.
    expect(macs).toEqual([
      '512a6a94388fe06e27055ba6173c9bbf144df8ab3f24aea8d290534a79731883',
      '4813db0842185d11bd599332cbba77a509fe5ecb59d25f805fd4a2922e0c4ed7',
      '9ddeef897cb63490e5f7de28ebb129f7aecee0c748ca72eba4f85a992b7f47be',
    ]);
  });

  it('opens nothing that was signed under another key', () => {
    const rogue = new MessageAuthenticator('22'.repeat(32), () => NOW_MS);
    expect(gateway.openReply(question, rogue.signReply(question, '{}'))).toBeUndefined();
    expect(gateway.openChange(rogue.signChange(event))).toBeUndefined();
  });

  it.each<[string, readonly [string, ...string[]]]>([
    ['believes only one', [KEY]],
    ['makes its own with another', ['33'.repeat(32), KEY, '44'.repeat(32)]],
  ])('opens a message that was signed under the current of several keys, when the reader %s', (_title, keys) => {
    const several = new MessageAuthenticator([KEY, '22'.repeat(32)], () => NOW_MS);
    const other = new MessageAuthenticator(keys, () => NOW_MS);
    expect(other.openReply(question, several.signReply(question, '{}'))).toBe('{}');
    expect(other.openChange(several.signChange(event))).toEqual(event);
    expect(other.openRates('s', several.signRates('s', '{}'))).toBe('{}');
  });

  it('accepts messages that were signed under any of its keys, and no others', () => {
    const several = new MessageAuthenticator([KEY, '22'.repeat(32), `0x${'33'.repeat(32)}`], () => NOW_MS);
    const signer = (key: string) => new MessageAuthenticator(key.repeat(32), () => NOW_MS);
    for (const key of ['11', '22', '33']) {
      expect(several.openReply(question, signer(key).signReply(question, '{}'))).toBe('{}');
      expect(several.openChange(signer(key).signChange(event))).toEqual(event);
      expect(several.openRates('s', signer(key).signRates('s', '{}'))).toBe('{}');
    }
    expect(several.openReply(question, signer('44').signReply(question, '{}'))).toBeUndefined();
    expect(several.openChange(signer('44').signChange(event))).toBeUndefined();
    expect(several.openRates('s', signer('44').signRates('s', '{}'))).toBeUndefined();
  });

  it.each([[undefined], [['cc'.repeat(32)]], [['bb'.repeat(32), 'cc'.repeat(32)]]])(
    'does not accept a reply to a question with other indexes: %j',
    (otherIndexes) => {
      const asked = { ...question, otherIndexes: ['bb'.repeat(32)] };
      const reply = dashboard.signReply({ ...question, otherIndexes }, '{}');
      expect(gateway.openReply(asked, reply)).toBeUndefined();
      expect(gateway.openReply(asked, dashboard.signReply(asked, '{}'))).toBe('{}');
    },
  );

  it.each([{ chainId: 1 }, { apiKeyIndex: 'bb'.repeat(32) }, { nonce: '02' }])(
    'does not accept a reply to another question: %j',
    (change) => {
      expect(gateway.openReply({ ...question, ...change }, dashboard.signReply(question, '{}'))).toBeUndefined();
    },
  );

  it('does not accept a changed body', () => {
    const reply = dashboard.signReply(question, '{"found":false}');
    expect(gateway.openReply(question, { ...reply, body: '{"found":true}' })).toBeUndefined();
  });

  it.each([{ paymasterId: 'q' }, { version: 4 }, { timestampMs: NOW_MS + 1_000 }])(
    'does not accept a changed broadcast: %j',
    (change) => {
      expect(gateway.openChange({ ...dashboard.signChange(event), ...change })).toBeUndefined();
    },
  );

  it('does not accept a broadcast of six minutes ago', () => {
    const past = new MessageAuthenticator(KEY, () => NOW_MS - 360_000);
    expect(gateway.openChange(past.signChange(event))).toBeUndefined();
  });

  it.each([null, undefined, 7, 'x', [], {}, { body: 1, mac: 2 }, { body: '{}', mac: 'é' }])(
    'does not accept %j as a message',
    (message) => {
      expect(gateway.openReply(question, message)).toBeUndefined();
      expect(gateway.openChange(message)).toBeUndefined();
    },
  );

  it.each([2 ** 53, -1, 1.5, '3'])('does not accept version %s, even with a valid proof', (version) => {
    const signed = dashboard.signChange({ paymasterId: 'p', version: version as number });
    expect(gateway.openChange(signed)).toBeUndefined();
  });
});

describe('questions to gateways', () => {
  const [key, other] = ['11'.repeat(32), '22'.repeat(32)];
  const dashboard = new MessageAuthenticator(key);
  const question = dashboard.signQuestion('a.subject', '{"n":1}');

  it('are opened with the key, for their subject only', () => {
    expect(new MessageAuthenticator([other, key]).openQuestion('a.subject', question)).toBe('{"n":1}');
    expect(dashboard.openQuestion('another.subject', question)).toBeUndefined();
    expect(new MessageAuthenticator(other).openQuestion('a.subject', question)).toBeUndefined();
    expect(dashboard.openQuestion('a.subject', { ...question, body: '{"n":2}' })).toBeUndefined();
    for (const wrong of [null, 'x', {}, { body: 1, mac: 2 }]) {
      expect(dashboard.openQuestion('a.subject', wrong)).toBeUndefined();
    }
  });

  it('have answers that answer no other question, and are no answers themselves', () => {
    const answer = dashboard.signAnswer(question, '{"answer":1}');
    expect(dashboard.openAnswer(question, answer)).toBe('{"answer":1}');
    expect(dashboard.openAnswer(dashboard.signQuestion('a.subject', '{"n":2}'), answer)).toBeUndefined();
    expect(dashboard.openAnswer(question, dashboard.signQuestion('a.subject', '{"answer":1}'))).toBeUndefined();
    expect(dashboard.openQuestion('a.subject', answer)).toBeUndefined();
  });
});
