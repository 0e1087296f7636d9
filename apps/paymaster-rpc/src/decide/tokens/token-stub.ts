import {
  encodeStubTokenData,
  encodeTokenData,
  STUB_SIGNATURE,
  stubSponsorFields,
  type StubTokenFields,
  type TokenPermit,
} from '@paymaster/chain';
import { min, PREMIUM_DENOMINATOR, type Hex } from '@paymaster/domain';
import type { TokenRate } from '@paymaster/pricing';
import { sponsorData, type SponsorData } from '../terms/sponsor-data';
import type { TokenTerms } from './token-terms';

/** Values that the final data will have and a stub cannot know for certain. */
export interface StubAssumptions {
  readonly rate: TokenRate;
  /** The client's permit. It makes the final data longer, so the stub has to be longer too. */
  readonly permit?: TokenPermit | undefined;
  /** The most that an estimate may pull, base units; without a permit, from an existing allowance. */
  readonly pullable?: bigint | undefined;
}

/**
 * The stub of a payment: it has the final data's length and is never valid. If the client sent a permit, the way is
 * `permit` and the stub contains that permit, because with an invented permit the estimate would fail. If an allowance
 * suffices, the way is `allowance`. Otherwise the way is `batchApproval`: its validation touches no token, so a bundler
 * can estimate it before there is an allowance. No estimate pulls more tokens than the account has.
 */
export function tokenStub(terms: TokenTerms, { rate, permit, pullable }: StubAssumptions): SponsorData {
  const { fundingWallet, feeMarkupMillionths, feeReceiver, constants, token } = terms;
  const fields = {
    ...{ fundingWallet, feeMarkupMillionths, feeReceiver, token: token.address },
    unaccountedGas: constants.unaccountedGas,
    gasPercent: constants.gasPercent,
    exchangeRate: rate.exchangeRate,
    premiumMillionths: PREMIUM_DENOMINATOR + BigInt(token.premiumMillionths),
  };
  return sponsorData(terms, stubData(fields, { permit, pullable }));
}

function stubData(fields: StubTokenFields, { permit, pullable }: Omit<StubAssumptions, 'rate'>): Hex {
  if (!permit && pullable === undefined) return encodeStubTokenData(fields);
  const charged = permit ? ({ way: 'permit', permit } as const) : ({ way: 'allowance' } as const);
  const limits = [permit?.valueBaseUnits, pullable].filter((limit) => limit !== undefined);
  const maxTokenChargeBaseUnits = allOnesUpTo(limits.reduce(min));
  return encodeTokenData(
    { ...fields, ...stubSponsorFields(fields), ...charged, maxTokenChargeBaseUnits },
    STUB_SIGNATURE,
  );
}

const MAX_BYTES = 24;

/** The largest number that consists of `ff` bytes only and is not above the limit; at least one byte. */
function allOnesUpTo(limit: bigint): bigint {
  let ones = 0xffn;
  for (let bytes = 2; bytes <= MAX_BYTES; bytes++) {
    const next = (ones << 8n) | 0xffn;
    if (next > limit) break;
    ones = next;
  }
  return ones;
}
