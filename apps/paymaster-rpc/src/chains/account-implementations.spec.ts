import { fakeClock } from '@paymaster/chain/testing';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { NO_DEADLINE } from '@paymaster/turns';
import { AccountImplementations } from './account-implementations';

const OWN_CODE: Hex = '0x60006000f3';
const READER = { clientAddress: '192.0.2.1', deadlineMs: NO_DEADLINE };

/** Accounts on a chain whose answers the test sets, and which counts the questions. */
function accountsOf(code: Map<Address, Hex>) {
  const asked = { times: 0 };
  const provider = {
    code: (address: Address) => {
      asked.times += 1;
      return Promise.resolve(code.get(address) ?? '0x');
    },
    storageAt: () => Promise.resolve<Hex>('0x'),
    ethCall: () => Promise.reject(new Error('nobody asks')),
  };
  const time = fakeClock();
  return { accounts: new AccountImplementations(provider, { clock: time.clock }), asked, time };
}

describe('AccountImplementations', () => {
  it('remembers code of an account, and never that an account has no code', async () => {
    const [account, code] = [randomAddress(), new Map<Address, Hex>()];
    const { accounts } = accountsOf(code);
    await expect(accounts.currentCode(account, READER)).resolves.toBeUndefined();
    await expect(accounts.implementationOf(account, READER)).resolves.toEqual({ known: false });
    expect(accounts.rememberedCode(account)).toBeUndefined();
    code.set(account, OWN_CODE);
    await expect(accounts.currentCode(account, READER)).resolves.toMatchObject({ delegate: undefined });
    expect(accounts.rememberedCode(account)).toMatchObject({ delegate: undefined });
  });

  it('forgets a delegation after five seconds', async () => {
    const [account, delegate] = [randomAddress(), randomAddress()];
    const { accounts, time } = accountsOf(new Map<Address, Hex>([[account, `0xef0100${delegate.slice(2)}`]]));
    await accounts.currentCode(account, READER);
    accounts.signed(account);
    time.advanceSeconds(4.9);
    expect(accounts.rememberedCode(account)).toMatchObject({ delegate });
    time.advanceSeconds(0.2);
    expect(accounts.rememberedCode(account)).toBeUndefined();
  });

  it('keeps accounts that were signed for, however many others are read', async () => {
    const [honest, glimpsed] = [randomAddress(), randomAddress()];
    const flood = Array.from({ length: 10_000 }, randomAddress);
    const { accounts, asked } = accountsOf(new Map([honest, glimpsed, ...flood].map((one) => [one, OWN_CODE])));
    for (const account of [honest, glimpsed]) await accounts.currentCode(account, READER);
    accounts.signed(honest);
    for (const account of flood) await accounts.currentCode(account, READER);
    expect(accounts.rememberedCode(honest)).toBeDefined();
    expect(accounts.rememberedCode(glimpsed)).toBeUndefined();
    expect(asked.times).toBe(10_002);
  });
});

describe('landed nonces', () => {
  it('of sixteen keys take one turn, and a key that is not answered says nothing of the others', async () => {
    const [sender, entryPoint] = [randomAddress(), randomAddress()];
    const asked = { times: 0 };
    const ethCall = async ({ data }: { data: Hex }) => {
      asked.times += 1;
      const key = BigInt(`0x${data.slice(74)}`);
      if (key === 3n) throw new Error('not answered');
      return (key << 64n) + (key === 5n ? 0n : 1n);
    };
    const accounts = new AccountImplementations({ ethCall } as never);
    const nonces = Array.from({ length: 16 }, (_, key) => BigInt(key) << 64n);
    // More turns than a client has at once.
    const asking = Array.from({ length: 20 }, () => accounts.landedNonces({ entryPoint, sender, nonces }, READER));
    const landed = nonces.filter((_, key) => key !== 3 && key !== 5);
    await expect(Promise.all(asking)).resolves.toEqual(Array.from({ length: 20 }, () => landed));
    expect(asked.times).toBe(20 * 16);
  });
});

describe('AccountImplementations beside a node that hangs', () => {
  const site = (at: number) => ({ clientAddress: `192.0.2.${at}`, deadlineMs: NO_DEADLINE });
  /** Reads that wait for the node, or for a turn at it. */
  function waiting() {
    const asked = { times: 0 };
    const hangs = () => {
      asked.times += 1;
      return new Promise<Hex>(() => undefined);
    };
    const accounts = new AccountImplementations({ code: hangs, storageAt: hangs, ethCall: hangs as never });
    const reads = (times: number, client: number): Promise<unknown>[] =>
      Array.from({ length: times }, () => accounts.currentCode(randomAddress(), site(client)).catch((error) => error));
    return { reads, asked };
  }
  const PENDING = 'pending';
  const now = (read: Promise<unknown> | undefined) =>
    Promise.race([read, new Promise((resolve) => setImmediate(() => resolve(PENDING)))]);

  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  it('lets 256 reads of a client wait, and tells the next that it is busy', async () => {
    const { reads, asked } = waiting();
    const ofBusy = reads(8 + 256 + 1, 1);
    expect(asked.times).toBe(8);
    expect(await now(ofBusy.at(-2))).toBe(PENDING);
    expect(await now(ofBusy.at(-1))).toMatchObject({ reason: 'RATE_LIMITED', retryAfterSeconds: 1 });
    expect(await now(reads(1, 2)[0])).toBe(PENDING);
    expect(asked.times).toBe(9);
  });

  it('lets 1,024 reads of all clients wait, and tells the next client that the gateway is overloaded', async () => {
    const { reads, asked } = waiting();
    // Four clients at the node, and four that wait with 256 reads each.
    for (let client = 1; client <= 4; client++) void reads(8, client);
    for (let client = 5; client <= 8; client++) void reads(256, client);
    expect(asked.times).toBe(32);
    expect(await now(reads(1, 9)[0])).toMatchObject({ reason: 'OVERLOADED', retryAfterSeconds: 1 });
  });
});
