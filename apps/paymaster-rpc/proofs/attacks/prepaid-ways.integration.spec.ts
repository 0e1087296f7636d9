import { ENTRY_POINT_VERSIONS, type Address } from '@paymaster/domain';
import { UNLIMITED, worthOf, type AttackTarget } from './testing/attack-target';
import { startAttackWorld, type AttackWorld } from './testing/attack-world';
import type { ContractCall } from '../../src/testing/token-chain';

let world: AttackWorld;
beforeAll(async () => (world = await startAttackWorld()));
afterAll(() => world?.stop());

/** Ways in which the maximum is taken before the operation's calls run: none of them may leave the paymaster short. */
describe.each(ENTRY_POINT_VERSIONS)('charging from an allowance, EntryPoint v%s', (version) => {
  let target: AttackTarget;
  let sender: Address;

  beforeEach(async () => {
    target = await world.newTarget(version);
    sender = await target.newSender();
    await world.chain.asAccount(sender, target.approvePaymaster());
  });

  const expectPaidInFull = async (calls: readonly ContractCall[]) => {
    let run: Awaited<ReturnType<AttackTarget['run']>> | undefined;
    const outcome = await target.during(async () => (run = await target.run(sender, calls)));
    if (!run) throw new Error('nothing ran');
    expect(run.granted.fields.way).toBe('allowance');
    expect(outcome.etherSpentWei).toBeGreaterThan(0n);
    expect(outcome.walletSpentWei).toBeGreaterThanOrEqual(outcome.etherSpentWei);
    expect(outcome.tokensReceived).toBeGreaterThanOrEqual(worthOf(outcome.walletSpentWei, run.granted.fields));
    expect(run.landed.due).toBeUndefined();
    return run.landed;
  };

  it('is paid when the operation revokes the allowance', async () => {
    const { success } = await expectPaidInFull([target.approvePaymaster(0n)]);
    expect(success).toBe(true);
  });

  it('is paid when the operation sends all its tokens away', async () => {
    const { success } = await expectPaidInFull([target.trap('sweep', target.sweepTo())]);
    expect(success).toBe(true);
  });

  it('is paid when the account behaves in simulation only', async () => {
    const { success } = await expectPaidInFull([target.trap('sweepWhenReal', target.sweepTo())]);
    expect(success).toBe(true);
  });

  it("is paid when the operation's calls revert on chain and not in simulation", async () => {
    const granted = await target.sign(await target.draft(sender, [target.trap('revertWhenArmed')]));
    await world.chain.call(target.trap('arm', [true]));
    const outcome = await target.during(async () => {
      const [landed] = await target.land([granted]);
      expect(landed).toMatchObject({ success: false, due: undefined });
    });
    await world.chain.call(target.trap('arm', [false]));
    expect(outcome.tokensReceived).toBeGreaterThanOrEqual(worthOf(outcome.walletSpentWei, granted.fields));
  });

  it('is paid by both when an operation of the same bundle sweeps the account of another', async () => {
    const thief = await target.newSender();
    await world.chain.asAccount(thief, target.approvePaymaster());
    const [token, outsider] = target.sweepTo();
    const steals = target.trap('sweepFrom', [token, sender, outsider]);
    const granted = [
      await target.sign(await target.draft(thief, [steals])),
      await target.sign(await target.draft(sender, [])),
    ];
    const outcome = await target.during(() => target.land(granted));
    const [first] = granted;
    if (!first) throw new Error('nothing was signed');
    expect(outcome.tokensReceived).toBeGreaterThanOrEqual(worthOf(outcome.walletSpentWei, first.fields));
  });

  it('never takes more than the sender agreed to, nor leaves the receiver more than was charged', async () => {
    const { granted, landed } = await target.run(sender, []);
    expect(landed.paid?.charged).toBeLessThanOrEqual(granted.fields.maxTokenChargeBaseUnits);
    expect((landed.paid?.charged ?? 0n) + (landed.paid?.refunded ?? 0n)).toBeLessThanOrEqual(
      granted.fields.maxTokenChargeBaseUnits,
    );
  });

  it('cannot land once the allowance is gone, and costs no other party anything', async () => {
    const granted = await target.sign(await target.draft(sender, []));
    await world.chain.asAccount(sender, target.approvePaymaster(0n));
    const outcome = await target.during(() => expect(target.land([granted])).rejects.toThrow());
    expect(outcome).toEqual({ etherSpentWei: 0n, walletSpentWei: 0n, tokensReceived: 0n });
  });

  it('signs with an unlimited allowance, and holds no exposure', async () => {
    await world.chain.asAccount(sender, target.approvePaymaster(UNLIMITED));
    await target.sign(await target.draft(sender, []));
    expect(await target.exposure()).toEqual({ liveWei: 0n, dueWei: 0n, holds: 0 });
  });
});
