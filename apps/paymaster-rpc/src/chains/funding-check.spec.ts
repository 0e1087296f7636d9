import type { WalletOnChain } from '@paymaster/chain';
import { DependencyUnavailableError, FundingWalletError } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { SpendingBrakeError } from '@paymaster/ledger';
import { FundingCheck } from './funding-check';

const account = { paymaster: randomAddress(), wallet: randomAddress(), entryPoint: randomAddress() };
const operation = { paymasterId: 'p', sender: randomAddress(), nonce: 3n };
const ask = (neededWei: bigint) => ({ ...account, neededWei, operation });

/** A chain whose numbers the test sets; if the test sets an error, reading throws it. */
function world(state: {
  availableWei: bigint | Error;
  ownHoldWei?: bigint;
  depositWei: bigint | Error;
  brake?: Error;
  onChain?: Pick<WalletOnChain, 'balanceWei' | 'requestedWei'> | Error;
}) {
  const asked: unknown[] = [];
  const braked: unknown[] = [];
  const say = (value: bigint | Error): bigint => {
    if (value instanceof Error) throw value;
    return value;
  };
  const ledger = {
    availableWei: async (wallet: object, of?: object) => {
      asked.push(of ? [wallet, of] : wallet);
      return say(state.availableWei) + (of ? (state.ownHoldWei ?? 0n) : 0n);
    },
    spendableWei: async () => say(state.availableWei),
    assertBrakeLeaves: async (neededWei: bigint, key: object) => {
      braked.push([neededWei, key]);
      if (state.brake) throw state.brake;
    },
  };
  const deposits = { depositWei: async () => say(state.depositWei) };
  const looks: object[] = [];
  const readWallet = async (of: object) => {
    looks.push(of);
    if (state.onChain instanceof Error || !state.onChain) throw state.onChain ?? new Error('not read');
    return state.onChain;
  };
  return { asked, braked, looks, check: new FundingCheck(7, ledger, deposits, readWallet) };
}

const unknown = (dependency: string) => new DependencyUnavailableError(dependency, 'down');

describe('FundingCheck', () => {
  it("asks for the wallet's account in the contract, and allows what it covers to the wei", async () => {
    const { check, asked } = world({ availableWei: 50n, depositWei: 1_000n });
    await expect(check.assertCovers(ask(50n))).resolves.toBeUndefined();
    expect(asked).toEqual([{ chainId: 7, contract: account.paymaster, wallet: account.wallet }]);
  });

  it.each([
    ['the wallet', { availableWei: 49n, depositWei: 1_000n }],
    ['the EntryPoint deposit', { availableWei: 1_000n, depositWei: 49n }],
  ])('refuses what %s does not cover, with the amounts', async (_title, state) => {
    const refusal = await world(state)
      .check.assertCovers(ask(50n))
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(FundingWalletError);
    expect(refusal).toMatchObject({
      reason: 'FUNDING_WALLET_BALANCE_TOO_LOW',
      details: { availableWei: '49', neededWei: '50' },
    });
  });

  it('counts the operation’s own hold, and reads it only if the rest is not enough', async () => {
    const { check, asked } = world({ availableWei: 10n, ownHoldWei: 40n, depositWei: 1_000n });
    await check.assertCovers(ask(50n));
    const wallet = { chainId: 7, contract: account.paymaster, wallet: account.wallet };
    expect(asked).toEqual([wallet, [wallet, operation]]);
    await expect(check.assertCovers(ask(51n))).rejects.toMatchObject({ details: { availableWei: '50' } });
  });

  it('asks the spending brake of the paymaster, for what the wallet covers', async () => {
    const brake = new SpendingBrakeError(undefined);
    const { check, braked } = world({ availableWei: 50n, depositWei: 1_000n, brake });
    await expect(check.assertCovers(ask(50n))).rejects.toBe(brake);
    const wallet = { chainId: 7, contract: account.paymaster, wallet: account.wallet };
    expect(braked).toEqual([[50n, { ...wallet, ...operation }]]);
    await expect(check.assertCoversIfKnown(ask(50n))).rejects.toBe(brake);
  });

  it('leaves half of the wallet to a large operation, where the owner wants the brake', async () => {
    const { check } = world({ availableWei: 101n, depositWei: 1_000n });
    const large = { ...account, maxFeePerGas: 0n, brakeReleasedAtMs: 0 };
    await expect(check.assertLeavesHalf({ ...large, neededWei: 50n })).resolves.toBeUndefined();
    await expect(check.assertLeavesHalf({ ...large, neededWei: 51n })).rejects.toBeInstanceOf(SpendingBrakeError);
    const unbraked = { ...large, neededWei: 51n, brakeReleasedAtMs: undefined };
    await expect(check.assertLeavesHalf(unbraked)).resolves.toBeUndefined();
  });

  it.each<[string, bigint | undefined, Partial<Parameters<typeof world>[0]>]>([
    ['what the chain has more than counts', 30n, { onChain: { balanceWei: 40n, requestedWei: 0n } }],
    ['not what is asked back', 25n, { onChain: { balanceWei: 40n, requestedWei: 5n } }],
    ['nothing when the chain has less', 0n, { onChain: { balanceWei: 9n, requestedWei: 0n } }],
    ['not what nobody knows', undefined, { onChain: unknown('chain') }],
    ['not what the books do not say', undefined, { availableWei: unknown('database') }],
  ])('tells of a wallet %s', async (_title, expected, state) => {
    const onChain = { balanceWei: 40n, requestedWei: 0n };
    const { check, looks } = world({ availableWei: 10n, depositWei: 1_000n, onChain, ...state });
    expect(await Promise.all([check.uncountedWei(account), check.uncountedWei(account)])).toEqual([expected, expected]);
    expect(looks).toEqual([{ contract: account.paymaster, wallet: account.wallet }]);
  });

  it('refuses while the wallet’s balance is not known', async () => {
    const { check } = world({ availableWei: unknown('database'), depositWei: 1_000n });
    await expect(check.assertCovers(ask(1n))).rejects.toThrow(DependencyUnavailableError);
  });

  it.each(['database', 'ledger'])(
    'lets quotes pass without the %s, except for what is certainly not covered',
    async (dependency) => {
      const { check } = world({ availableWei: unknown(dependency), depositWei: 49n });
      await expect(check.assertCoversIfKnown(ask(49n))).resolves.toBeUndefined();
      await expect(check.assertCoversIfKnown(ask(50n))).rejects.toThrow(FundingWalletError);
    },
  );

  it.each([
    ['the wallet is known not to pay', { availableWei: 1n, depositWei: 1_000n }, FundingWalletError],
    ['the chain is down', { availableWei: 1_000n, depositWei: unknown('chain') }, DependencyUnavailableError],
  ])('quotes nothing when %s', async (_title, state, kind) => {
    await expect(world(state).check.assertCoversIfKnown(ask(50n))).rejects.toThrow(kind);
  });
});
