import { MalformedEventError, parseSponsorshipEvent } from './sponsorship-event-shape';

const OPERATION = {
  eventId: '0b8d7231-57e3-4d22-8a4e-1b2c3d4e5f60',
  atMs: 1_700_000_000_000,
  chainId: 1,
  paymasterId: 'p',
  reservationId: '7',
  mode: 'sponsored',
  sender: `0x${'11'.repeat(20)}`,
  nonce: '0',
  entryPointVersion: '0.7',
};
const VOIDED = { ...OPERATION, kind: 'voided', because: 'expired', releasedWei: '5' };
const SETTLED = {
  ...OPERATION,
  kind: 'settled',
  userOpHash: `0x${'22'.repeat(32)}`,
  transactionHash: `0x${'33'.repeat(32)}`,
  blockNumber: '9',
  fundingWallet: `0x${'44'.repeat(20)}`,
  chargedWei: '5',
  actualGasCostWei: '4',
  success: true,
};
const GRANTED = {
  ...OPERATION,
  kind: 'granted',
  requestId: 'r',
  fundingWallet: `0x${'44'.repeat(20)}`,
  prechargeWei: '5',
  validUntilSeconds: 1_700_000_300,
  policyId: null,
  policyVersion: 3,
  targets: [{ to: `0x${'55'.repeat(20)}`, selector: null, valueWei: '0' }],
  trace: [{ rule: 'whitelist', input: 'increment()', outcome: 'pass' }],
};
const PAID = { ...SETTLED, mode: 'token', tokenPayment: { token: `0x${'77'.repeat(20)}`, amount: '8' } };
const PRICED = {
  ...{ ...GRANTED, keyId: 'k', nativeUsd: '3000.5', token: `0x${'77'.repeat(20)}` },
  tokenPrice: { token: `0x${'77'.repeat(20)}`, decimals: 6, usd: '0.9999' },
};
const UNPRICED = { ...GRANTED, keyId: null, nativeUsd: null, tokenPrice: null };
const WALLET = {
  ...OPERATION,
  kind: 'walletChanged',
  paymasterId: null,
  contract: `0x${'66'.repeat(20)}`,
  fundingWallet: `0x${'44'.repeat(20)}`,
  spendableWei: '1',
  heldWei: '0',
};
const BRAKED = {
  ...WALLET,
  ...{ kind: 'walletBraked', paymasterId: 'p', lostWei: '5', leftWei: '5', releasedAtMs: 0 },
};
const NEAR_ROOM = {
  ...WALLET,
  ...{ kind: 'networkNearRoom', paymasterId: 'p', network: 'n', usedWei: '5', roomWei: '9' },
};

const DROPPED = {
  ...OPERATION,
  ...{ kind: 'dropped', userOpHash: `0x${'22'.repeat(32)}`, bundler: 'alto', message: null },
};

const parse = (value: unknown) => parseSponsorshipEvent(new TextEncoder().encode(JSON.stringify(value)));

describe('parseSponsorshipEvent', () => {
  it.each([VOIDED, SETTLED, PAID, GRANTED, PRICED, UNPRICED, WALLET, BRAKED, NEAR_ROOM, DROPPED])(
    'reads a $kind event as it was written',
    (event) => {
      expect(parse(event)).toEqual(event);
    },
  );

  it('lets a field through that a newer publisher adds', () => {
    expect(parse({ ...VOIDED, colour: 'red' })).toMatchObject({ colour: 'red' });
  });

  it.each<[string, unknown]>([
    ['kind', { ...VOIDED, kind: 'exploded' }],
    ['eventId', { ...VOIDED, eventId: 'x' }],
    ['atMs', { ...VOIDED, atMs: '1' }],
    ['releasedWei', { ...VOIDED, releasedWei: '1e3' }],
    ['because', { ...VOIDED, because: undefined }],
    ['sender', { ...SETTLED, sender: '0x1' }],
    ['bundler', { ...DROPPED, bundler: null }],
    ['success', { ...SETTLED, success: 'yes' }],
    ['targets', { ...GRANTED, targets: [{}] }],
    ['tokenPayment', { ...PAID, tokenPayment: { token: '0x1', amount: '8' } }],
    ['nativeUsd', { ...PRICED, nativeUsd: '1e3' }],
    ['tokenPrice', { ...PRICED, tokenPrice: { ...PRICED.tokenPrice, usd: '-1' } }],
    ['token', { ...GRANTED, token: 'USDC' }],
    ['paymasterId', { ...BRAKED, paymasterId: null }],
    ['network', { ...NEAR_ROOM, network: null }],
    ['form', null],
    ['form', 7],
    ['kind', []],
  ])('refuses a wrong %s', (field, value) => {
    expect(() => parse(value)).toThrow(new MalformedEventError(field));
  });

  it('refuses what is no JSON', () => {
    expect(() => parseSponsorshipEvent(new Uint8Array([0xff, 0x7b]))).toThrow(MalformedEventError);
  });
});
