import { normalizeAddress } from '@paymaster/domain';
import { parsePermit, type RawPermit } from './parse-permit';
import type { CommonMode, TokenMode } from './requested-mode';

/** `tokenInfo` as its schema lets it through. */
export interface RawTokenInfo {
  readonly preferredToken?: string | null;
  readonly feeTokenAddress?: string | null;
  readonly tokenList?: ReadonlyArray<string | null> | null;
  readonly permit?: RawPermit | null;
}

/** Where a mode object says what; for errors. */
export interface TokenFieldNames {
  /** That token mode is meant. */
  readonly mode: string;
  /** The one token to pay in. */
  readonly token: string;
  readonly permit: string;
}

/**
 * Which tokens a client speaks of. Entries of the list that are null are left out: SDKs send what they have.
 *
 * @throws {InvalidParamsError} naming the field of the permit
 */
export function parseTokenMode(common: CommonMode, tokenInfo: RawTokenInfo, fields: TokenFieldNames): TokenMode {
  const { feeTokenAddress, preferredToken, tokenList, permit } = tokenInfo;
  return {
    mode: 'ERC20',
    ...common,
    tokens: {
      feeToken: feeTokenAddress ? normalizeAddress(feeTokenAddress) : undefined,
      preferred: preferredToken ? normalizeAddress(preferredToken) : undefined,
      list: [...new Set((tokenList ?? []).flatMap((token) => (token ? [normalizeAddress(token)] : [])))],
      field: fields.token,
    },
    permit: permit ? parsePermit(permit, fields.permit) : undefined,
    field: fields.mode,
  };
}
