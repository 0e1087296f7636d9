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

  it('opens nothing that was signed under another key', () => {
    const rogue = new MessageAuthenticator('22'.repeat(32), () => NOW_MS);
    expect(gateway.openReply(question, rogue.signReply(question, '{}'))).toBeUndefined();
    expect(gateway.openChange(rogue.signChange(event))).toBeUndefined();
  });

  it.each([{ chainId: 1 }, { apiKeyIndex: 'bb'.repeat(32) }, { nonce: '02' }])(
    'does not take a reply to another question: %j',
    (change) => {
      expect(gateway.openReply({ ...question, ...change }, dashboard.signReply(question, '{}'))).toBeUndefined();
    },
  );

  it('does not take a changed body', () => {
    const reply = dashboard.signReply(question, '{"found":false}');
    expect(gateway.openReply(question, { ...reply, body: '{"found":true}' })).toBeUndefined();
  });

  it.each([{ paymasterId: 'q' }, { version: 4 }, { timestampMs: NOW_MS + 1_000 }])(
    'does not take a changed broadcast: %j',
    (change) => {
      expect(gateway.openChange({ ...dashboard.signChange(event), ...change })).toBeUndefined();
    },
  );

  it('does not take a broadcast of six minutes ago', () => {
    const past = new MessageAuthenticator(KEY, () => NOW_MS - 360_000);
    expect(gateway.openChange(past.signChange(event))).toBeUndefined();
  });

  it.each([null, undefined, 7, 'x', [], {}, { body: 1, mac: 2 }, { body: '{}', mac: 'é' }])(
    'takes %j for nothing',
    (message) => {
      expect(gateway.openReply(question, message)).toBeUndefined();
      expect(gateway.openChange(message)).toBeUndefined();
    },
  );

  it.each([2 ** 53, -1, 1.5, '3'])('does not take version %s, whoever signed it', (version) => {
    const signed = dashboard.signChange({ paymasterId: 'p', version: version as number });
    expect(gateway.openChange(signed)).toBeUndefined();
  });
});
