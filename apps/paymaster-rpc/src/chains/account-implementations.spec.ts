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
