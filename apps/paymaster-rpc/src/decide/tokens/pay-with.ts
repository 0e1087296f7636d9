import { SponsorshipRefusedError, type Address } from '@paymaster/domain';
import type { Caller } from '../../callers/caller';
import type { TokenPath } from '../../platform/errors/error-table';
import { tokenModeOf } from './enabled-token-mode';
import { listTokens } from './list-tokens';

/** What a client whose sponsorship is used up can do instead. */
export interface PayWith extends TokenPath {
  readonly mode: 'ERC20';
  /** Tokens that have a price now. */
  readonly tokens: readonly Address[];
}

/**
 * What a client can do after a refusal by a spending limit, if the owner lets users pay then (`onLimitReached: erc20`).
 * There is such a way only after refusals by limits of the owner's policies, because these limits do not hold for
 * operations that are paid in tokens.
 *
 * @param caller undefined if the request failed before its key was known
 * @returns undefined if the client cannot pay: the paymaster takes no token now, or the key may not ask for it
 */
export function payWithOf(
  error: unknown,
  { caller, path }: { caller: Caller | undefined; path: TokenPath | undefined },
): PayWith | undefined {
  if (!(error instanceof SponsorshipRefusedError) || error.reason !== 'SPENDING_LIMIT_REACHED') return undefined;
  if (!caller || !path) return undefined;
  const { settings, key } = caller.paymaster.snapshot;
  if (settings.onLimitReached !== 'erc20' || key?.allowedMethods?.includes(path.method) === false) return undefined;
  const mode = tokenModeOf(caller);
  const tokens = (mode ? listTokens(mode) : []).map(({ token }) => token.address);
  return tokens.length > 0 ? { mode: 'ERC20', ...path, tokens } : undefined;
}
