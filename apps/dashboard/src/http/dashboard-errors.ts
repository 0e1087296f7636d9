import { DomainError } from '@paymaster/domain';

/** The base of every refusal of this API; the message is the exact sentence the caller reads. */
export abstract class DashboardError extends DomainError {}

/** A required header is missing or empty. The sentence depends on the operation (interface, "Errors"). */
export class MissingHeaderError extends DashboardError {
  readonly reason = 'MISSING_HEADER';
}

/** The authToken is unknown or revoked. */
export class InvalidAuthTokenError extends DashboardError {
  readonly reason = 'INVALID_AUTH_TOKEN';
  constructor() {
    super('Invalid auth token');
  }
}

/** The apiKey or paymaster is unknown, or of another account, which must look the same. */
export class UserNotFoundError extends DashboardError {
  readonly reason = 'USER_NOT_FOUND';
  constructor() {
    super('User not found');
  }
}

/** The address is not registered under this apiKey, or there is no such apiKey. */
export class SmartContractNotFoundError extends DashboardError {
  readonly reason = 'SMART_CONTRACT_NOT_FOUND';
  constructor() {
    super('Smart contract not found');
  }
}

/** Something in the body is wrong; the message names the field. */
export class InvalidBodyError extends DashboardError {
  readonly reason: string = 'INVALID_BODY';
}

export class PaymasterNameExistsError extends DashboardError {
  readonly reason = 'PAYMASTER_NAME_EXISTS';
  constructor() {
    super('paymaster_name_exists');
  }
}

export class ChainNotSupportedError extends DashboardError {
  readonly reason = 'CHAIN_NOT_SUPPORTED';
  constructor() {
    super('Chain ID not supported');
  }
}

export class SmartContractAddressExistsError extends DashboardError {
  readonly reason = 'SMART_CONTRACT_ADDRESS_EXISTS';
  constructor() {
    super('Smart contract address already exists');
  }
}

export class SmartContractNameExistsError extends DashboardError {
  readonly reason = 'SMART_CONTRACT_NAME_EXISTS';
  constructor() {
    super('Smart contract name already exists');
  }
}

/** The paymaster has added the address before. */
export class TokenExistsError extends DashboardError {
  readonly reason = 'TOKEN_EXISTS';
  constructor() {
    super('Token already exists');
  }
}

/** The paymaster has added no token with that address. */
export class TokenNotFoundError extends DashboardError {
  readonly reason = 'TOKEN_NOT_FOUND';
  constructor() {
    super('Token not found');
  }
}

/** The contract at the address is not a token in which fees can safely be paid; the message says why. */
export class TokenUnfitError extends DashboardError {
  readonly reason = 'TOKEN_UNFIT';
}

/** The operator has set up no prices for the chain. */
export class TokensNotTakenError extends DashboardError {
  readonly reason = 'TOKENS_NOT_TAKEN';
  constructor() {
    super('Tokens cannot be paid in on this chain');
  }
}

/** No node of the chain can simulate a transfer, so no token can be checked. */
export class TokensNotVerifiableError extends DashboardError {
  readonly reason = 'TOKENS_NOT_VERIFIABLE';
  constructor(options?: ErrorOptions) {
    super('Tokens cannot be verified on this chain: its nodes do not take state overrides', {}, options);
  }
}

/** The request needs a read of the chain, and the chain does not answer; nothing was changed. */
export class ChainUnavailableError extends DashboardError {
  readonly reason = 'CHAIN_UNAVAILABLE';
  readonly retryAfterSeconds = 2;
  constructor(options?: ErrorOptions) {
    super('The chain cannot be read at the moment', {}, options);
  }
}

/** The request needs what only a gateway knows, and no gateway answers; nothing was changed. */
export class GatewayUnavailableError extends DashboardError {
  readonly reason = 'GATEWAY_UNAVAILABLE';
  readonly retryAfterSeconds = 2;
  constructor(options?: ErrorOptions) {
    super('No gateway answers at the moment', {}, options);
  }
}

/** The paymaster has no policy with that id, or it is another paymaster's, which must look the same. */
export class PolicyNotFoundError extends DashboardError {
  readonly reason = 'POLICY_NOT_FOUND';
  constructor() {
    super('Paymaster Policy not found');
  }
}

/** The paymaster has no operation with that id, or it is another paymaster's, which must look the same. */
export class OperationNotFoundError extends DashboardError {
  readonly reason = 'OPERATION_NOT_FOUND';
  constructor() {
    super('Operation not found');
  }
}

/** The paymaster has no webhook with that id, or it is another paymaster's, which must look the same. */
export class WebhookNotFoundError extends DashboardError {
  readonly reason = 'WEBHOOK_NOT_FOUND';
  constructor() {
    super('Webhook not found');
  }
}

/** Webhooks are signed with secrets that come from a key which the operator has not set. */
export class WebhooksNotSetUpError extends DashboardError {
  readonly reason = 'WEBHOOKS_NOT_SET_UP';
  constructor() {
    super('Webhooks are not set up on this installation: WEBHOOK_SIGNING_KEY is missing');
  }
}

/** The paymaster was changed after the version that the request names. */
export class VersionConflictError extends DashboardError {
  readonly reason = 'VERSION_CONFLICT';
  constructor(readonly currentVersion: number) {
    super(`The paymaster has changed meanwhile: it is at version ${currentVersion}`);
  }
}

/** The apiKey still works, but another one has replaced it. */
export class FormerApiKeyError extends DashboardError {
  readonly reason = 'FORMER_API_KEY';
  constructor() {
    super('The API key was replaced before: send the current one, which the list of paymasters shows');
  }
}

/** The paymaster has no key with that id, or it is another paymaster's, which must look the same. */
export class KeyNotFoundError extends DashboardError {
  readonly reason = 'KEY_NOT_FOUND';
  constructor() {
    super('Key not found');
  }
}

export class KeyNameExistsError extends DashboardError {
  readonly reason = 'KEY_NAME_EXISTS';
  constructor() {
    super('Key name already exists');
  }
}

/** Registering one more would pass the operator's limit. */
export class LimitReachedError extends DashboardError {
  readonly reason = 'LIMIT_REACHED';
}

/** The signature is not one of the latest message by the address in the body. */
export class InvalidSignatureError extends DashboardError {
  readonly reason = 'INVALID_SIGNATURE';
  constructor() {
    super('Invalid signature');
  }
}

/**
 * The account sends more requests than allowed; or the client's address does, while its authToken is not known to be
 * good.
 */
export class TooManyRequestsError extends DashboardError {
  readonly reason = 'RATE_LIMITED';
  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests');
  }
}
