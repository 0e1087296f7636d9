/**
 * The base of every expected failure. One subclass per condition; the app's error table turns the class
 * into a wire code, so nothing here knows a protocol.
 */
export abstract class DomainError extends Error {
  /** A stable UPPER_SNAKE_CASE word, explained in docs/errors; the dashboard's in docs/api/dashboard-errors.md. */
  abstract readonly reason: string;

  /** Values that explain the failure to the caller. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, details: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.details = details;
  }
}

/** Something the caller sent is wrong; `field` is its path, as in `params[0].nonce`. */
export class InvalidParamsError extends DomainError {
  readonly reason: string;

  constructor(
    readonly field: string,
    message: string,
    reason = 'INVALID_PARAMS',
  ) {
    super(message, { field });
    this.reason = reason;
  }
}

/** One line of a verdict: which rule looked at what, and what came of it. */
export interface TraceLine {
  readonly rule: string;
  readonly input: string;
  readonly outcome: 'pass' | 'refuse' | 'skip';
}

/** What had been found out about an operation when a stage of its decision refused it. */
export interface FoundBefore {
  /** The rules that it had passed. */
  readonly trace: readonly TraceLine[];
  /** The most that it could have cost, where that was known; wei. */
  readonly prechargeWei?: bigint;
}

/** The paymaster does not pay for an operation. */
export abstract class RefusalError extends DomainError {
  /** Undefined until {@link refusedAfter} has said it. */
  found: FoundBefore | undefined;

  /** Every rule that ran. */
  abstract readonly trace: readonly TraceLine[];

  /** The most that the operation could have cost; null where it was refused before that was known. */
  get prechargeWei(): bigint | null {
    return this.found?.prechargeWei ?? null;
  }
}

/** The same error. A refusal keeps what the stages before had found; a later call changes nothing. */
export function refusedAfter<E>(found: FoundBefore | undefined, error: E): E {
  if (error instanceof RefusalError) error.found ??= found;
  return error;
}

/** The policy said no. `reason` names the rule, `trace` shows every rule that ran. */
export class SponsorshipRefusedError extends RefusalError {
  constructor(
    readonly reason: string,
    message: string,
    readonly trace: readonly TraceLine[] = [],
    details: Record<string, unknown> = {},
    /** Every client sees the details, because it can do nothing without them. */
    readonly isPublic = false,
  ) {
    super(message, details);
  }
}

/** Nobody pays: no funding wallet, or its gas deposit does not cover the precharge. */
export class FundingWalletError extends RefusalError {
  constructor(
    readonly reason: 'FUNDING_WALLET_MISSING' | 'FUNDING_WALLET_BALANCE_TOO_LOW',
    message: string,
    details: Record<string, unknown> = {},
    /** Every client sees these: where to deposit is no secret. */
    readonly publicDetails: Readonly<Record<string, unknown>> = {},
  ) {
    super(message, details);
  }

  get trace(): readonly TraceLine[] {
    return this.found?.trace ?? [];
  }
}

/** The bundler or the chain says the operation's validation or execution fails. */
export class SimulationFailedError extends DomainError {
  constructor(
    readonly reason: 'VALIDATION_SIMULATION_FAILED' | 'EXECUTION_SIMULATION_FAILED',
    message: string,
    details: Record<string, unknown> = {},
    options?: ErrorOptions,
  ) {
    super(message, details, options);
  }
}

/**
 * A bundler did not take an operation, or could not estimate it; or none was sent it, because its validation fails. The
 * message is kept: people search for its AA code.
 */
export class BundlerRefusedError extends DomainError {
  readonly reason = 'BUNDLER_REFUSED';

  constructor(
    /** JSON-RPC error code for the client, of ERC-7769. */
    readonly code: number,
    message: string,
    details: Record<string, unknown> = {},
    options?: ErrorOptions,
  ) {
    super(message, details, options);
  }
}

/** The key is unknown, revoked, or of another chain. */
export class InvalidApiKeyError extends DomainError {
  readonly reason: string = 'INVALID_API_KEY';
}

/** The key was good until a time that its owner chose. */
export class ApiKeyExpiredError extends InvalidApiKeyError {
  override readonly reason = 'API_KEY_EXPIRED';
}

/** Something this process depends on is down or stale: nothing was signed, and a retry is welcome. */
export class DependencyUnavailableError extends DomainError {
  readonly reason: string = 'DEPENDENCY_UNAVAILABLE';

  constructor(
    /** Which one: `dashboard`, `chain`, `bundler`, `signer`, `database`. */
    readonly dependency: string,
    message: string,
    options?: ErrorOptions & { reason?: string; retryAfterSeconds?: number },
  ) {
    super(message, { dependency }, options);
    if (options?.reason) this.reason = options.reason;
    this.retryAfterSeconds = options?.retryAfterSeconds ?? 2;
  }

  readonly retryAfterSeconds: number;
}

/** The request's time is up: it is answered already, or is about to be. Nothing was signed for it. */
export class RequestTimedOutError extends DependencyUnavailableError {
  constructor() {
    super('gateway', 'The request took too long; nothing was signed for you.', { reason: 'REQUEST_TIMED_OUT' });
  }
}
