import { ENTRY_POINT_VERSIONS, type Address } from '@paymaster/domain';
import { refusalOf, worthOf, type AttackTarget, type GrantedOperation } from './testing/attack-target';
import { CAP_WEI, startAttackWorld, type AttackWorld } from './testing/attack-world';
import { QUIRKS, type Quirk } from './testing/quirks';

/** The token moves nothing to the paymaster, or less than it was asked to. */
const UNPAID: readonly Quirk[] = [
  'ReturnsFalse',
  'Paused',
  'Blocks',
  'RevertsShort',
  'RevertsEmpty',
  'BurnsEverything',
];

let world: AttackWorld;
beforeAll(async () => (world = await startAttackWorld()));
afterAll(() => world?.stop());

describe.each(ENTRY_POINT_VERSIONS)('tokens that turn bad, EntryPoint v%s', (version) => {
  let target: AttackTarget;
  let sender: Address;

  beforeEach(async () => {
    target = await world.newTarget(version);
    sender = await target.newSender();
    await world.chain.call(target.token('setBlocked', [sender]));
    await world.chain.call(target.trap('arm', [false]));
  });

  const turn = (quirk: Quirk): Promise<unknown> => world.chain.call(target.token('setQuirk', [QUIRKS[quirk]]));
  const signFromAllowance = async (quirkInside: Quirk = 'None'): Promise<GrantedOperation> => {
    await world.chain.asAccount(sender, target.approvePaymaster());
    const [token] = target.sweepTo();
    return target.sign(await target.draft(sender, [target.trap('setQuirkWhenArmed', [token, QUIRKS[quirkInside]])]));
  };
  const signBatchApproval = async (): Promise<GrantedOperation> =>
    target.sign(await target.draft(sender, [target.approvePaymaster()]));
  const refusal = async (signing: Promise<unknown>): Promise<unknown> => (await refusalOf(signing)).reason;

  describe('before anything is signed', () => {
    it.each<Quirk>([...UNPAID, 'Lies', 'FeeOnTransfer', 'MovesAndReturnsFalse', 'Expensive'])(
      'signs nothing while the token is %s, by allowance or by approval in the batch',
      async (quirk) => {
        await turn(quirk);
        expect(await refusal(signFromAllowance())).toBe('TOKEN_PAYMENT_FAILS');
        await world.chain.asAccount(sender, target.approvePaymaster(0n));
        expect(await refusal(signBatchApproval())).toBe('TOKEN_PAYMENT_FAILS');
        expect((await target.exposure()).holds).toBe(0);
      },
    );

    it('takes a token that returns nothing, as USDT does', async () => {
      await turn('NoReturn');
      const granted = await signFromAllowance();
      const outcome = await target.during(() => target.land([granted]));
      expect(outcome.tokensReceived).toBeGreaterThanOrEqual(worthOf(outcome.walletSpentWei, granted.fields));
    });
  });

  describe('charging from an allowance', () => {
    it.each<Quirk>([...UNPAID, 'Lies', 'FeeOnTransfer', 'RevertBomb'])(
      'is paid in full by a token that turns %s inside the operation',
      async (quirk) => {
        const granted = await signFromAllowance(quirk);
        await world.chain.call(target.trap('arm', [true]));
        const outcome = await target.during(async () => {
          const [landed] = await target.land([granted]);
          expect(landed).toMatchObject({ success: true, due: undefined });
        });
        expect(outcome.tokensReceived).toBeGreaterThanOrEqual(worthOf(outcome.walletSpentWei, granted.fields));
      },
    );

    it.each<Quirk>([...UNPAID, 'Lies', 'FeeOnTransfer', 'RevertBomb'])(
      'costs nobody anything when the token turns %s before the operation lands',
      async (quirk) => {
        const granted = await signFromAllowance();
        await turn(quirk);
        const outcome = await target.during(() => expect(target.land([granted])).rejects.toThrow());
        expect(outcome).toEqual({ etherSpentWei: 0n, walletSpentWei: 0n, tokensReceived: 0n });
      },
    );
  });

  describe('charging after an approval in the batch', () => {
    it.each<Quirk>([...UNPAID, 'RevertBomb', 'ReturnBomb'])(
      'counts as due what a token does not pay that turns %s before the operation lands, and the bundle survives',
      async (quirk) => {
        const [bad, good] = [await signBatchApproval(), await signOfAnother()];
        await turn(quirk);
        const outcome = await target.during(async () => {
          const landed = await target.land([bad, good]);
          expect(landed).toHaveLength(2);
        });
        expect(outcome.walletSpentWei).toBeLessThanOrEqual(CAP_WEI);
        expect(outcome.walletSpentWei).toBeGreaterThan(0n);
      },
    );

    it.each<Quirk>(['Lies', 'FeeOnTransfer'])(
      'loses no more than is live when the token turns %s, because nothing is signed from then on',
      async (quirk) => {
        const granted = await signBatchApproval();
        const { liveWei } = await target.exposure();
        await turn(quirk);
        const outcome = await target.during(() => target.land([granted]));
        expect(outcome.tokensReceived).toBeLessThan(worthOf(outcome.walletSpentWei, granted.fields));
        expect(outcome.walletSpentWei).toBeLessThanOrEqual(liveWei);
        expect(liveWei).toBeLessThanOrEqual(CAP_WEI);
        const fresh = await target.newSender();
        const next = await target.draft(fresh, [target.approvePaymaster()]);
        expect(await refusal(target.sign(next))).toBe('TOKEN_PAYMENT_FAILS');
      },
    );
  });

  /** An honest operation that shares the bundle. */
  const signOfAnother = async (): Promise<GrantedOperation> =>
    target.sign(await target.draft(await target.newSender(), [target.approvePaymaster()]));
});
