import { DEV_KEYS } from '@paymaster/devnet';
import { ENTRY_POINT_VERSIONS, normalizeAddress, type Address } from '@paymaster/domain';
import { refusalOf, RefusedError, worthOf, type AttackTarget, type GrantedOperation } from './testing/attack-target';
import { CAP_WEI, SENDER_CAP_WEI, startAttackWorld, type AttackWorld } from './testing/attack-world';
import type { ContractCall } from '../../src/testing/token-chain';

/** Far more operations than the caps allow; if the attack lands so many, the caps have failed. */
const MANY = 15;

let world: AttackWorld;
beforeAll(async () => (world = await startAttackWorld()));
afterAll(() => world?.stop());

/**
 * In the way `batchApproval` an operation can spend the wallet's ether and not pay. These tests show that the loss of a
 * whole attack stays within the cap of the ledger, and that the next request is refused.
 */
describe.each(ENTRY_POINT_VERSIONS)('charging after an approval in the batch, EntryPoint v%s', (version) => {
  let target: AttackTarget;

  beforeEach(async () => {
    target = await world.newTarget(version);
    await world.chain.call(target.trap('arm', [false]));
  });

  /** The reason why the sender gets no signature. */
  const refusal = async (sender: Address, calls: readonly ContractCall[] = []): Promise<unknown> =>
    (await refusalOf(sign(sender, calls))).reason;
  const sign = async (sender: Address, calls: readonly ContractCall[], nonceKey = 0n): Promise<GrantedOperation> =>
    target.sign(await target.draft(sender, [target.approvePaymaster(), ...calls], nonceKey));
  const arm = (): Promise<unknown> => world.chain.call(target.trap('arm', [true]));

  it('pays in full when the account is honest, and gives the room back', async () => {
    const sender = await target.newSender();
    const granted = await sign(sender, []);
    expect(granted.fields.way).toBe('batchApproval');
    expect((await target.exposure()).holds).toBe(1);
    const outcome = await target.during(async () => {
      const [landed] = await target.land([granted]);
      expect(landed).toMatchObject({ success: true, due: undefined });
    });
    expect(outcome.tokensReceived).toBeGreaterThanOrEqual(worthOf(outcome.walletSpentWei, granted.fields));
    await target.settle(0);
    expect(await target.exposure()).toEqual({ liveWei: 0n, dueWei: 0n, holds: 0 });
  });

  it.each<[string, string, (target: AttackTarget) => ContractCall]>([
    ['revokes the allowance', 'TOKEN_ALLOWANCE_TOO_LOW', (one) => one.approvePaymaster(0n)],
    ['sends its tokens away', 'TOKEN_BALANCE_TOO_LOW', (one) => one.trap('sweep', one.sweepTo())],
  ])('signs nothing for an operation that %s', async (_title, reason, call) => {
    expect(await refusal(await target.newSender(), [call(target)])).toBe(reason);
    expect((await target.exposure()).holds).toBe(0);
  });

  it.each<[string, (target: AttackTarget) => ContractCall, boolean]>([
    ['sees that it is real by the gas price', (one) => one.trap('sweepWhenReal', one.sweepTo()), false],
    ['reads a flag that another transaction flips', (one) => one.trap('sweepWhenArmed', one.sweepTo()), true],
  ])('loses one precharge, once, to an account that %s', async (_title, call, flips) => {
    const sender = await target.newSender();
    const granted = await sign(sender, [call(target)]);
    if (flips) await arm();
    const outcome = await target.during(async () => {
      const [landed] = await target.land([granted]);
      expect(landed).toMatchObject({ success: false, paid: undefined });
    });
    await target.settle(0);

    const { dueWei } = await target.exposure();
    expect(outcome.tokensReceived).toBe(0n);
    expect(outcome.walletSpentWei).toBeGreaterThan(0n);
    expect(outcome.walletSpentWei).toBeLessThanOrEqual(dueWei);
    expect(dueWei).toBeLessThanOrEqual(SENDER_CAP_WEI);
    expect(await refusal(sender)).toBe('SENDER_BLOCKED_IN_TOKEN_MODE');
  });

  it('loses one precharge to an account that another operation of the bundle sweeps', async () => {
    const [victim, thief] = [await target.newSender(), await target.newSender()];
    const [token, outsider] = target.sweepTo();
    const swept = await sign(victim, []);
    const sweeps = await sign(thief, [target.trap('sweepFrom', [token, victim, outsider])]);
    const outcome = await target.during(async () => {
      const [first, second] = await target.land([sweeps, swept]);
      expect(first).toMatchObject({ success: true, due: undefined });
      expect(second).toMatchObject({ success: false, paid: undefined });
    });
    await target.settle(0);
    expect(outcome.walletSpentWei).toBeLessThanOrEqual(CAP_WEI);
    await world.chain.call(target.token('mint', [victim, 10n ** 21n]));
    expect(await refusal(victim)).toBe('SENDER_BLOCKED_IN_TOKEN_MODE');
  });

  it('never loses more than the cap to fresh accounts that sign and take, one after the other', async () => {
    let landed = 0;
    let reason: unknown;
    const outcome = await target.during(async () => {
      while (!reason && landed < MANY) {
        const sender = await target.newSender();
        const call = target.trap('sweepWhenReal', target.sweepTo());
        const granted = await sign(sender, [call]).catch((error: RefusedError) => void (reason = error.reason));
        if (!granted) break;
        await target.land([granted]);
        landed += 1;
      }
    });
    expect(landed).toBeGreaterThan(2);
    expect(reason).toBe('TOKEN_EXPOSURE_CAP_REACHED');
    expect(outcome.tokensReceived).toBe(0n);
    expect(outcome.walletSpentWei).toBeLessThanOrEqual(CAP_WEI);
    await target.settle(0);
    expect(await refusal(await target.newSender())).toBe('TOKEN_EXPOSURE_CAP_REACHED');
  });

  it('never loses more than the cap to a hoard of signatures that is landed in one bundle', async () => {
    const hoard: GrantedOperation[] = [];
    for (let refused = false; !refused && hoard.length < MANY;) {
      const sender = await target.newSender();
      const call = target.trap('sweepWhenArmed', target.sweepTo());
      await sign(sender, [call]).then(
        (granted) => hoard.push(granted),
        (error: RefusedError) => {
          expect(error.reason).toBe('TOKEN_EXPOSURE_CAP_REACHED');
          refused = true;
        },
      );
    }
    expect(hoard.length).toBeGreaterThan(2);
    expect((await target.exposure()).liveWei).toBeLessThanOrEqual(CAP_WEI);
    await arm();
    const outcome = await target.during(() => target.land(hoard));
    expect(outcome.tokensReceived).toBe(0n);
    expect(outcome.walletSpentWei).toBeGreaterThan(0n);
    expect(outcome.walletSpentWei).toBeLessThanOrEqual(CAP_WEI);
    await target.settle(0);
    expect((await target.exposure()).dueWei).toBeGreaterThanOrEqual(outcome.walletSpentWei);
  });

  it('gives one sender no more than its places, over as many nonces as it likes', async () => {
    const sender = await target.newSender();
    const signed: GrantedOperation[] = [];
    const reason = await (async () => {
      for (let key = 0n; key < MANY; key++) {
        try {
          signed.push(await sign(sender, [], key));
        } catch (error) {
          return (error as RefusedError).reason;
        }
      }
      return 'none';
    })();
    expect(reason).toBe('TOO_MANY_LIVE_SIGNATURES');
    expect(signed.length).toBeGreaterThan(0);
    expect((await target.exposure()).liveWei).toBeLessThanOrEqual(CAP_WEI);
    await expect(sign(await target.newSender(), [])).resolves.toBeDefined();
  });

  it('lets an account whose calls revert use up its own cap, and no other account’s', async () => {
    const sender = await target.newSender();
    let reason: unknown;
    const outcome = await target.during(async () => {
      for (let landed = 0; !reason && landed < MANY; landed++) {
        await world.chain.call(target.trap('arm', [false]));
        const granted = await sign(sender, [target.trap('revertWhenArmed')]).catch(
          (error: RefusedError) => void (reason = error.reason),
        );
        if (!granted) break;
        await arm();
        const [operation] = await target.land([granted]);
        expect(operation).toMatchObject({ success: false, due: { callsSucceeded: false } });
        await target.settle(0);
      }
    });
    // The sender is not blocked, because it took no tokens away.
    expect(reason).toBe('TOKEN_EXPOSURE_CAP_REACHED');
    expect(outcome.walletSpentWei).toBeGreaterThan(0n);
    expect(outcome.walletSpentWei).toBeLessThanOrEqual(SENDER_CAP_WEI);
    await expect(sign(await target.newSender(), [])).resolves.toBeDefined();
  });

  it('is paid by an operation that uses all its gas', async () => {
    const granted = await sign(await target.newSender(), [target.trap('burnWhenArmed', [5_000n])]);
    await arm();
    const outcome = await target.during(() => target.land([granted]));
    expect(outcome.tokensReceived).toBeGreaterThanOrEqual(worthOf(outcome.walletSpentWei, granted.fields));
  });

  it('holds a nonce only once, however often it is requested', async () => {
    const sender = await target.newSender();
    const first = await sign(sender, []);
    const { liveWei } = await target.exposure();
    for (let again = 0; again < 5; again++) await sign(sender, []);
    expect(await target.exposure()).toEqual({ liveWei, dueWei: 0n, holds: 1 });
    expect(first.fields.way).toBe('batchApproval');
  });

  it('lets a blocked account pay from an allowance, which it cannot take away', async () => {
    const sender = await target.newSender();
    await target.land([await sign(sender, [target.trap('sweepWhenReal', target.sweepTo())])]);
    await target.settle(0);
    await world.chain.call(target.token('mint', [sender, 10n ** 21n]));
    await world.chain.asAccount(sender, target.approvePaymaster());
    const granted = await target.sign(await target.draft(sender, []));
    expect(granted.fields.way).toBe('allowance');
  });
});

it('does not release the room of unpaid operations when their signatures would have expired', async () => {
  const target = await world.newTarget('0.7');
  const sender = await target.newSender();
  const calls = [target.approvePaymaster(), target.trap('sweepWhenReal', target.sweepTo())];
  const landing = await target.sign(await target.draft(sender, calls));
  const neverLanded = await target.sign(await target.draft(await target.newSender(), calls));
  await target.land([landing]);
  await target.settle(1);
  const { dueWei } = await target.exposure();
  await world.passSeconds(340);
  // A hold does not end by time alone: a block after its end has to be final.
  expect((await target.exposure()).holds).toBe(1);
  await target.settle(0);
  expect(await target.exposure()).toEqual({ liveWei: 0n, dueWei, holds: 0 });
  await expect(target.land([neverLanded])).rejects.toThrow();
});

describe('a wallet of a paymaster that set nothing', () => {
  let small: AttackWorld;
  beforeAll(async () => {
    // The defaults of a chain.
    const bounds = { tokenExposureCapWei: `${5n * 10n ** 16n}`, tokenSenderExposureCapWei: `${10n ** 16n}` };
    small = await startAttackWorld({ bounds });
  });
  afterAll(() => small?.stop());

  it('loses at most 2 % to seven accounts that approve, pass the simulation and then fail', async () => {
    const target = await small.newTarget('0.7');
    const spendableWei = 4n * 10n ** 17n;
    const wallet = normalizeAddress(DEV_KEYS.fundingWallet.address);
    await small.ledger.setWallet({ contract: small.paymasters['0.7'], wallet, spendableWei });
    const signed: GrantedOperation[] = [];
    const refused: unknown[] = [];
    for (let account = 0; account < 7; account++) {
      const calls = [target.approvePaymaster(), target.trap('revertWhenArmed')];
      const drafted = await target.draft(await target.newSender(), calls);
      await target.sign(drafted).then(
        (granted) => signed.push(granted),
        ({ reason }: RefusedError) => refused.push(reason),
      );
    }
    expect(signed.length).toBeGreaterThan(0);
    expect(new Set(refused)).toEqual(new Set(['TOKEN_EXPOSURE_CAP_REACHED']));
    await small.chain.call(target.trap('arm', [true]));
    const outcome = await target.during(() => target.land(signed));
    expect(outcome.tokensReceived).toBe(0n);
    expect(outcome.walletSpentWei).toBeGreaterThan(0n);
    // An attacker who bundles for himself gets what the EntryPoint took, and pays for the transaction.
    expect(outcome.etherSpentWei).toBeLessThanOrEqual(outcome.walletSpentWei);
    expect(outcome.walletSpentWei).toBeLessThanOrEqual(spendableWei / 50n);
  });
});
