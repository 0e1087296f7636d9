import type { TokenPermit } from '@paymaster/chain';
import type { SponsorRequest } from '../../decide/verdict/judge-operation.service';
import type { PolicyQuestion } from '../../decide/rules/sponsorship-policy';
import type { NamedTokens } from '../../decide/tokens/named-tokens';

/** An operation that its paymaster is to sponsor. */
export interface SponsoredRequest extends SponsorRequest {
  readonly mode: 'sponsored';
}

/** An operation whose sender is to pay in a token. */
export interface TokenRequest extends PolicyQuestion {
  readonly mode: 'token';
  /** True: estimate the account's limits. False: sign the limits that were sent. */
  readonly calculateGasLimits: boolean;
  /** Undefined for the default. */
  readonly expirySeconds: number | undefined;
  readonly tokens: NamedTokens;
  readonly permit: TokenPermit | undefined;
  /** The most that the sender agrees to pay, where the client says so; base units. */
  readonly maxTokenCharge?: bigint | undefined;
  /**
   * Whether an expired quote of this operation is a reason to refuse: true in dialects whose clients quote before they
   * pay.
   */
  readonly refuseExpiredQuote: boolean;
  /** The field in which the client asked for token mode, for errors. */
  readonly field: string;
}

/** What a client wants for an operation, whichever dialect it speaks. */
export type OperationRequest = SponsoredRequest | TokenRequest;
