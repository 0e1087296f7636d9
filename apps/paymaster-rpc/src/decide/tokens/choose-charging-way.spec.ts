import { SponsorshipRefusedError, type ChargingWay } from '@paymaster/domain';
import { randomAddress, tokenListingBuilder } from '@paymaster/domain/testing';
import { NO_DEADLINE } from '@paymaster/turns';
import { chooseChargingWay } from './choose-charging-way';

const listing = tokenListingBuilder().with('symbol', 'USDx').build();
const sender = randomAddress();
const spender = randomAddress();
const NEEDED = 1_000n;

interface Situation {
  readonly ways: readonly ChargingWay[];
  readonly lacksBatchApproval?: boolean;
  readonly allowance?: bigint;
  readonly balance?: bigint;
  readonly hasPermit?: boolean;
}

function choose({
  ways,
  lacksBatchApproval = false,
  allowance = 0n,
  balance = NEEDED,
  hasPermit = false,
}: Situation): Promise<ChargingWay> {
  const reader = {
    allowance: async (asked: object) => {
      expect(asked).toEqual({ token: listing.address, owner: sender, spender, deadlineMs: NO_DEADLINE });
      return allowance;
    },
    balanceOf: async (asked: object) => {
      expect(asked).toEqual({ token: listing.address, account: sender, deadlineMs: NO_DEADLINE });
      return balance;
    },
  };
  const payment = () => ({ token: listing, amountBaseUnits: NEEDED, spender });
  return chooseChargingWay(reader, {
    token: { listing, ways, lacksBatchApproval, gasKind: '' },
    sender,
    hasPermit,
    payment,
    deadlineMs: NO_DEADLINE,
  });
}

const ALL = ['allowance', 'permit', 'batchApproval'] as const;

describe('chooseChargingWay', () => {
  it.each<[ChargingWay, string, Situation]>([
    ['permit', 'a permit was sent, whatever else there is', { ways: ALL, hasPermit: true, allowance: NEEDED }],
    ['allowance', 'allowance and balance suffice to the unit', { ways: ALL, allowance: NEEDED, balance: NEEDED }],
    ['batchApproval', 'the allowance is a unit short', { ways: ALL, allowance: NEEDED - 1n }],
    ['batchApproval', 'the balance is a unit short', { ways: ALL, allowance: NEEDED, balance: NEEDED - 1n }],
    ['batchApproval', 'an allowance may not be charged', { ways: ['batchApproval'], allowance: NEEDED }],
  ])('is %s when %s', async (way, _title, situation) => {
    await expect(choose(situation)).resolves.toBe(way);
  });

  it.each<[string, string, Situation]>([
    [
      'TOKEN_BALANCE_TOO_LOW',
      'only an allowance may be charged and there is no token',
      { ways: ['allowance'], balance: 0n },
    ],
    [
      'TOKEN_ALLOWANCE_TOO_LOW',
      'only an allowance may be charged and there is none',
      { ways: ['allowance', 'permit'] },
    ],
    ['TOKEN_WAY_NOT_AVAILABLE', 'a permit was sent that is not taken', { ways: ['allowance'], hasPermit: true }],
    ['TOKEN_WAY_NOT_AVAILABLE', 'only a permit is taken and none was sent', { ways: ['permit'] }],
  ])('refuses with %s when %s', async (reason, _title, situation) => {
    await expect(choose(situation)).rejects.toMatchObject({ reason });
  });

  it('says that the approval in the batch has to be turned on, where it is off', async () => {
    const off = /owner has not set allowBatchApprovalWithoutRules/;
    await expect(choose({ ways: ['allowance', 'permit'], lacksBatchApproval: true })).rejects.toThrow(off);
    await expect(choose({ ways: ['permit'], lacksBatchApproval: true })).rejects.toThrow(off);
    await expect(choose({ ways: ['allowance', 'permit'] })).rejects.not.toThrow(off);
  });

  it('says what to approve, and to whom', async () => {
    const refusal = choose({ ways: ['allowance'] });
    await expect(refusal).rejects.toThrow(SponsorshipRefusedError);
    await expect(refusal).rejects.toThrow(`approve(${spender}, ${NEEDED}) on USDx ${listing.address}`);
  });
});
