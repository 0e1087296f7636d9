import { DependencyUnavailableError, FundingWalletError, type Address, type Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { id } from 'ethers';
import { CallRevertedError } from '../providers/eth-call';
import { fakeClock } from '../testing';
import { FundingGuard } from './funding-guard';
import { FundingWalletBalances } from './funding-wallet-balances';
import { LiveSignatures } from './live-signatures';

const NOW = 1_800_000_000;
const BALANCE_OF = id('balanceOf(address)').slice(0, 10);
const WITHDRAWAL_OF = id('withdrawalOf(address)').slice(0, 10);
const word = (value: bigint) => value.toString(16).padStart(64, '0');

/** A chain with one paymaster, one wallet and one EntryPoint, whose numbers the test sets. */
function world() {
  const time = fakeClock();
  const account = { paymaster: randomAddress(), wallet: randomAddress(), entryPoint: randomAddress() };
  const state = { balanceWei: 100n, requestedWei: 0n, depositWei: 1_000n, down: false, reverts: false };
  const calls: string[] = [];
  const provider = {
    ethCall: async <T>({ to, data }: { to: Address; data: Hex }, parse: (value: unknown) => T): Promise<T> => {
      calls.push(`${to}:${data}`);
      if (state.reverts) throw new CallRevertedError('execution reverted', '0x');
      if (state.down) throw new DependencyUnavailableError('chain', 'down');
      const argument = `0x${data.slice(-40)}`;
      if (to === account.entryPoint && argument === account.paymaster) return parse(`0x${word(state.depositWei)}`);
      if (to !== account.paymaster || argument !== account.wallet) return parse('0x');
      if (data.startsWith(BALANCE_OF)) return parse(`0x${word(state.balanceWei)}`);
      if (data.startsWith(WITHDRAWAL_OF)) return parse(`0x${word(state.requestedWei)}${word(BigInt(NOW))}`);
      return parse('0x');
    },
  };
  const balances = new FundingWalletBalances(provider, { maxAgeMs: 3_000, clock: time.clock });
  const guard = new FundingGuard({ nowSeconds: () => NOW }, balances, new LiveSignatures());
  const hold = (nonce: bigint, prechargeWei: bigint) => ({
    ...account,
    sender: account.wallet,
    nonce,
    prechargeWei,
    validUntilSeconds: NOW + 300,
  });
  return { account, state, calls, time, balances, guard, hold };
}

describe('FundingWalletBalances', () => {
  it('does not count what the wallet asked to withdraw', async () => {
    const { balances, account, state } = world();
    state.requestedWei = 30n;
    await expect(balances.spendableWei(account)).resolves.toBe(70n);
  });

  it('is zero, not negative, when more was requested than is left', async () => {
    const { balances, account, state } = world();
    state.requestedWei = 2n ** 256n - 1n;
    await expect(balances.spendableWei(account)).resolves.toBe(0n);
  });

  it('shares one read among concurrent askers', async () => {
    const { balances, account, calls } = world();
    await Promise.all(Array.from({ length: 20 }, () => balances.spendableWei(account)));
    expect(calls).toHaveLength(2);
  });

  it('reads again when a balance is older than its bound', async () => {
    const { balances, account, state, time } = world();
    await balances.spendableWei(account);
    state.balanceWei = 5n;
    time.advanceSeconds(2.9);
    await expect(balances.spendableWei(account)).resolves.toBe(100n);
    time.advanceSeconds(0.1);
    await expect(balances.spendableWei(account)).resolves.toBe(5n);
  });

  it('does not remember a failed read', async () => {
    const { balances, account, state } = world();
    state.down = true;
    await expect(balances.spendableWei(account)).rejects.toThrow(DependencyUnavailableError);
    state.down = false;
    await expect(balances.spendableWei(account)).resolves.toBe(100n);
  });

  it('says that the chain is unavailable when the contract refuses the read', async () => {
    const { balances, account, state } = world();
    state.reverts = true;
    const unavailable = expect.objectContaining({ reason: 'DEPENDENCY_UNAVAILABLE', dependency: 'chain' });
    await expect(balances.spendableWei(account)).rejects.toThrow(unavailable);
    await expect(balances.entryPointDepositWei(account)).rejects.toThrow(unavailable);
  });

  it('fails, and does not say zero, when there is no contract at the address', async () => {
    const { balances, account } = world();
    await expect(balances.spendableWei({ ...account, paymaster: randomAddress() })).rejects.toThrow('malformed');
  });
});

describe('FundingGuard', () => {
  it('holds what it grants: the sum of concurrent requests never passes the balance', async () => {
    const { guard, hold, account } = world();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => guard.reserve(hold(BigInt(i), 30n))),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3);
    await expect(guard.availableWei(account)).resolves.toBe(10n);
  });

  it('refuses before the estimation what the wallet cannot pay any more', async () => {
    const { guard, hold, account } = world();
    await guard.reserve(hold(1n, 100n));
    await expect(guard.assertCovers({ ...account, neededWei: 1n })).rejects.toThrow(FundingWalletError);
  });

  it.each(['assertCovers', 'reserve'] as const)("%s refuses what the EntryPoint deposit can't pay", async (method) => {
    const { guard, hold, account, state } = world();
    state.depositWei = 49n;
    const asked = {
      assertCovers: () => guard.assertCovers({ ...account, neededWei: 50n }),
      reserve: () => guard.reserve(hold(1n, 50n)),
    };
    await expect(asked[method]()).rejects.toThrow(
      expect.objectContaining({ reason: 'FUNDING_WALLET_BALANCE_TOO_LOW' }),
    );
  });

  it('signs nothing when the chain cannot be read', async () => {
    const { guard, hold, state } = world();
    state.down = true;
    await expect(guard.reserve(hold(1n, 1n))).rejects.toThrow(DependencyUnavailableError);
  });
});
