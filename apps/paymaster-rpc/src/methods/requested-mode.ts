import type { TokenPermit } from '@paymaster/chain';
import type { SmartAccountInfo } from '@paymaster/policy';
import { tokenToPayIn, type NamedTokens } from '../token-mode/named-tokens';
import type { WebhookData } from '../webhooks/decision-question';

/** What a request of either mode says of itself. */
export interface CommonMode {
  readonly calculateGasLimits: boolean;
  /** Seconds; undefined for the default. */
  readonly expirySeconds: number | undefined;
  /** A hint at how the account is to be read. */
  readonly account: SmartAccountInfo | undefined;
}

/** A wish to be sponsored, decided. */
export interface SponsoredMode extends CommonMode {
  /** As requested, to be echoed: SPONSORED, or its alias. */
  readonly mode: 'SPONSORED' | 'SPONSORSHIP';
  /** For the owner's decision webhook. */
  readonly webhookData: WebhookData | undefined;
}

/** A wish to pay in tokens, decided. */
export interface TokenMode extends CommonMode {
  readonly mode: 'ERC20';
  readonly tokens: NamedTokens;
  readonly permit: TokenPermit | undefined;
  /** Where the client asked for token mode, for errors. */
  readonly field: string;
}

/** What the client wants, decided. */
export type RequestedMode = SponsoredMode | TokenMode;

/** The one token to pay in and how it may be pulled, for the calls that need to know. @throws {InvalidParamsError} */
export function tokenAndPermit({ tokens, permit, field }: TokenMode) {
  return { token: tokenToPayIn(tokens), permit, fields: { mode: field, token: tokens.field } };
}
