import { DomainError } from '@paymaster/domain';

/** The body is not JSON in UTF-8. */
export class ParseError extends DomainError {
  readonly reason = 'PARSE_ERROR';
}

/** The body is JSON but not a JSON-RPC request, or the gateway does not accept the HTTP request around it. */
export class InvalidRequestError extends DomainError {
  readonly reason: string;

  constructor(message: string, reason = 'INVALID_REQUEST', details: Record<string, unknown> = {}) {
    super(message, details);
    this.reason = reason;
  }
}

/** There is no such method. */
export class MethodNotFoundError extends DomainError {
  readonly reason = 'METHOD_NOT_FOUND';

  constructor(method: string) {
    super(`There is no method ${JSON.stringify(method.slice(0, 64))}; rpc.discover lists the methods.`);
  }
}

/** The operator has no bundler to which operations of this chain could be sent. */
export class NoBundlerError extends DomainError {
  readonly reason = 'NO_BUNDLER';

  constructor(chainId: number) {
    super(
      `This gateway sends no operations of chain ${chainId}: its operator has named no bundler. Send them to yours.`,
    );
  }
}

/**
 * The node's own answer to a read of the chain that it could not do. It is told as it came, without a reason of ours:
 * clients read in `data` what a call reverts with.
 */
export class ChainReadFailedError extends DomainError {
  readonly reason = 'CHAIN_READ_FAILED';

  constructor(
    readonly code: number,
    message: string,
    /** Revert data, where the node tells them. */
    readonly data: unknown,
  ) {
    super(message);
  }
}

/** The key sent more requests than this process takes; the client should wait and send again. */
export class RateLimitedError extends DomainError {
  readonly reason = 'RATE_LIMITED';

  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message, { retryAfterSeconds });
  }
}
