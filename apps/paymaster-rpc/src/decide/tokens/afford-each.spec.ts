import { FundingWalletError, SponsorshipRefusedError } from '@paymaster/domain';
import { tokenListingBuilder } from '@paymaster/domain/testing';
import { affordEach, type RatedToken } from './afford-each';

const rate = { exchangeRate: 1n, tokenUsdE36: 1n, nativeUsdE36: 1n };
/** Each token has its cost in the field `transferGas`. */
const costing = (costWei: number): RatedToken => ({
  token: {
    listing: tokenListingBuilder().with('transferGas', costWei).build(),
    ways: ['allowance'],
    lacksBatchApproval: false,
    gasKind: `${costWei}`,
  },
  rate,
});
const costOf = ({ token }: RatedToken): bigint => BigInt(token.listing.transferGas);
const tooDear = new SponsorshipRefusedError('OPERATION_COST_CAP_EXCEEDED', 'too dear');

function upTo(capWei: bigint, error: Error = tooDear) {
  const asked: bigint[] = [];
  const assertAffordable = async (costWei: bigint): Promise<void> => {
    asked.push(costWei);
    if (costWei > capWei) throw error;
  };
  return { costOf, assertAffordable, asked };
}

describe('affordEach', () => {
  it('leaves out the tokens that cost too much, in order, and says why', async () => {
    const [a, b, c] = [costing(3), costing(9), costing(3)] as const;
    const { affordable, unavailable } = await affordEach([a, b, c], upTo(5n));
    expect(affordable).toEqual([a, c]);
    expect(unavailable).toEqual([{ token: b.token.listing.address, reason: 'OPERATION_COST_CAP_EXCEEDED' }]);
  });

  it('asks once for each cost, and not above one that was refused', async () => {
    const rules = upTo(5n);
    await affordEach([9, 3, 12, 3, 4].map(costing), rules);
    expect(rules.asked).toEqual([3n, 4n, 9n]);
  });

  it.each([tooDear, new FundingWalletError('FUNDING_WALLET_BALANCE_TOO_LOW', 'too poor')])(
    'fails with the refusal of the cheapest token when none is left: $reason',
    async (error) => {
      await expect(affordEach([costing(9), costing(7)], upTo(5n, error))).rejects.toBe(error);
    },
  );

  it('does not hide a fault', async () => {
    await expect(affordEach([costing(3), costing(9)], upTo(5n, new TypeError('ours')))).rejects.toThrow(TypeError);
  });

  it('keeps all when all are affordable', async () => {
    const tokens = [costing(5), costing(1)];
    await expect(affordEach(tokens, upTo(5n))).resolves.toEqual({ affordable: tokens, unavailable: [] });
  });
});
