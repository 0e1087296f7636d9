import { InvalidParamsError } from '@paymaster/domain';
import type { Caller } from '../../callers/caller';
import type { ServedTokens } from '../../chains/served-tokens';
import { tokenRegistry, type TokenRegistry } from '../../chains/token-registry';

/** The tokens and prices that a request in token mode needs. */
export interface EnabledTokenMode {
  /** The tokens of the paymaster. */
  readonly registry: TokenRegistry;
  /** Prices, readers and memory of the chain. */
  readonly tokens: ServedTokens;
}

/** Token mode of the caller's paymaster; undefined where its owner switched it off, or the chain has no prices. */
export function tokenModeOf({ paymaster, chain }: Caller): EnabledTokenMode | undefined {
  const { tokenMode, tokenChargingWays } = paymaster.snapshot.settings;
  const { tokens } = chain;
  if (tokenMode === 'off' || tokenChargingWays.length === 0 || !tokens) return undefined;
  const registry = tokenRegistry(paymaster, chain.config);
  tokens.prices.watch(paymaster.snapshot.paymasterId, registry.own);
  return { registry, tokens };
}

/**
 * @param field that asks for token mode in the request
 * @throws {InvalidParamsError} TOKEN_MODE_NOT_ENABLED
 */
export function enabledTokenMode(caller: Caller, field: string): EnabledTokenMode {
  const mode = tokenModeOf(caller);
  if (mode) return mode;
  throw new InvalidParamsError(field, 'ERC20 mode is not enabled for this paymaster.', 'TOKEN_MODE_NOT_ENABLED');
}
