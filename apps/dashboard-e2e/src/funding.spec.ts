import { randomAddress } from '@paymaster/domain/testing';
import { Signature, Wallet, type HDNodeWallet } from 'ethers';
import { freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import { expectRefusal, freshPaymaster, fundingMessage, only, type Keys } from './support/fixtures';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

let authToken: string;
let keys: Keys;
let paymasterId: string;
let message: string;
let wallet: HDNodeWallet;

beforeAll(async () => ({ authToken } = await freshAccount()));
beforeEach(async () => {
  keys = only(await freshPaymaster(authToken));
  ({ fundingMessage: message, paymasterId } = await fundingMessage(keys));
  wallet = Wallet.createRandom();
});

const update = (overrides: object) => {
  const body = { paymasterId, type: 'paymasterFundingId', address: wallet.address, ...overrides };
  return call({ method: 'PATCH', path: '/paymaster', ...keys, body });
};

async function inTens<T>(count: number, make: (place: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    const first = made.length;
    made.push(...(await Promise.all(Array.from({ length: 10 }, (_, place) => make(first + place)))));
  }
  return made;
}

/** The same signature with the other s, which naive recovery also takes. */
function highS(signature: string): string {
  const { r, s, v } = Signature.from(signature);
  const mirrored = (ORDER - BigInt(s)).toString(16).padStart(64, '0');
  return `${r}${mirrored}${v === 27 ? '1c' : '1b'}`;
}

/** Funding wallet: bad-input corpus C7 (228 to 232) and threat 38. */
describe('6a and 6b, the funding wallet', () => {
  it('say in the message what the signature does', () => {
    expect(message).toContain(paymasterId);
    expect(message).toMatch(/spend the gas deposit of this wallet on chain \d+/);
    expect(message).toMatch(/No transaction is sent/);
    expect(message).toMatch(/To revoke, /);
    expect(message).toMatch(/Timestamp: \d{4}-\d\d-\d\dT/);
    expect(message).toMatch(/Nonce: [0-9a-f]{32}/);
  });

  it.each<[string, (signature: string) => string]>([
    ['0x', () => '0x'],
    ['not hex', () => 'signature'],
    ['of 63 bytes', (signature) => signature.slice(0, -4)],
    ['of 64 bytes (compact)', (signature) => Signature.from(signature).compactSerialized],
    ['of 66 bytes', (signature) => `${signature}00`],
    ['with high s', highS],
    ['with v = 0 or 1', (signature) => signature.slice(0, -2) + (signature.endsWith('1b') ? '00' : '01')],
    ['with v = 99', (signature) => `${signature.slice(0, -2)}63`],
    ['with r = 0', (signature) => `0x${'0'.repeat(64)}${signature.slice(66)}`],
  ])('refuse a signature that is %s, and still take the right one', async (_title, spoil) => {
    const signature = await wallet.signMessage(message);
    expectRefusal(await update({ signature: spoil(signature) }), 400, 'Invalid signature');
    expect((await update({ signature })).status).toBe(200);
  });

  it('refuse a signature of a text that differs in whitespace', async () => {
    expectRefusal(await update({ signature: await wallet.signMessage(`${message} `) }), 400, 'Invalid signature');
  });

  it('refuse a signature of the message of another paymaster', async () => {
    const other = await fundingMessage(only(await freshPaymaster(authToken)));
    expectRefusal(
      await update({ signature: await wallet.signMessage(other.fundingMessage) }),
      400,
      'Invalid signature',
    );
  });

  it('take a signature once', async () => {
    const signature = await wallet.signMessage(message);
    expect((await update({ signature })).status).toBe(200);
    expectRefusal(await update({ signature }), 400, 'Invalid signature');
  });

  it('take one of ten equal requests', async () => {
    const signature = await wallet.signMessage(message);
    const answers = await Promise.all(Array.from({ length: 10 }, () => update({ signature })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(9);
  });

  it('take the address in any case', async () => {
    const signature = await wallet.signMessage(message);
    expect((await update({ signature, address: wallet.address.toLowerCase() })).status).toBe(200);
  });

  it('answer User not found for the paymasterId of another paymaster', async () => {
    const other = await fundingMessage(only(await freshPaymaster(authToken)));
    const signature = await wallet.signMessage(other.fundingMessage);
    expectRefusal(await update({ signature, paymasterId: other.paymasterId }), 404, 'User not found');
  });

  it.each<[string, object, string]>([
    ['another type', { type: 'paymasterName' }, 'type must be one of the following values: paymasterFundingId'],
    ['no signature', { signature: undefined }, 'signature must be a string'],
    ['no paymasterId', { paymasterId: undefined }, 'paymasterId must be a string'],
    [
      'a short address',
      { address: randomAddress().slice(0, -1) },
      'address must be an address: 0x and 40 hexadecimal digits',
    ],
  ])('refuse %s', async (_title, overrides, sentence) => {
    const signature = await wallet.signMessage(message);
    expectRefusal(await update({ signature, ...overrides }), 400, sentence);
  });

  it('keep exactly one of a hundred messages alive', async () => {
    // Ten at a time: the service gives up on what waits for the others for too long.
    const messages = await inTens(100, () => fundingMessage(keys));
    const signatures = await Promise.all(messages.map((each) => wallet.signMessage(each.fundingMessage)));
    const answers = await inTens(100, (place) => update({ signature: signatures[place] }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const lost = answers.filter(({ status }) => status !== 200);
    lost.forEach((answer) => expectRefusal(answer, 400, 'Invalid signature'));
  });
});
