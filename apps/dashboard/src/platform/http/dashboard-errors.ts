import { DomainError } from '@paymaster/domain';

/** The base of every refusal of this API; the message is the exact sentence the caller reads. */
export abstract class DashboardError extends DomainError {}

/** A required header is missing or empty. The sentence depends on the operation (interface, "Errors"). */
export class MissingHeaderError extends DashboardError {
  readonly reason = 'MISSING_HEADER';
}

/** The authToken is unknown, revoked or expired. */
export class InvalidAuthTokenError extends DashboardError {
  readonly reason = 'INVALID_AUTH_TOKEN';
  constructor() {
    super('Invalid auth token');
  }
}

/** There is no session: the cookie is missing, unknown, or its session has ended. */
export class NotSignedInError extends DashboardError {
  readonly reason = 'NOT_SIGNED_IN';
  constructor() {
    super('You are not signed in, or your session has ended');
  }
}

/** What was shown to sign in with does not prove a person; the message says what to do. */
export class SignInRefusedError extends DashboardError {
  readonly reason = 'SIGN_IN_REFUSED';
}

/** People sign in to the page at an address which the operator has not set. */
export class SignInNotSetUpError extends DashboardError {
  readonly reason = 'SIGN_IN_NOT_SET_UP';
  constructor() {
    super('People cannot sign in on this installation: PUBLIC_URL is missing');
  }
}

/** The operator lets people in by invitation only. */
export class SignUpByInvitationError extends DashboardError {
  readonly reason = 'SIGN_UP_BY_INVITATION';
  constructor() {
    super('This installation takes new people and accounts by invitation only');
  }
}

/** A browser sends a change from another page than ours, or without saying from which. */
export class WrongOriginError extends DashboardError {
  readonly reason = 'WRONG_ORIGIN';
  constructor() {
    super('The header Origin must be the address of the dashboard’s own page');
  }
}

/** The role of the person, or the scope of the authToken, does not reach that far; the message says what is needed. */
export class NotAllowedError extends DashboardError {
  readonly reason = 'NOT_ALLOWED';
}

/** The person is not a member of the account, or there is none, which must look the same. */
export class AccountNotFoundError extends DashboardError {
  readonly reason = 'ACCOUNT_NOT_FOUND';
  constructor() {
    super('Account not found');
  }
}

export class AccountNameExistsError extends DashboardError {
  readonly reason = 'ACCOUNT_NAME_EXISTS';
  constructor() {
    super('Account name already exists');
  }
}

/** The person has no session with that id, or it is another person's, which must look the same. */
export class SessionNotFoundError extends DashboardError {
  readonly reason = 'SESSION_NOT_FOUND';
  constructor() {
    super('Session not found');
  }
}

/** The account has no member with that id. */
export class MemberNotFoundError extends DashboardError {
  readonly reason = 'MEMBER_NOT_FOUND';
  constructor() {
    super('Member not found');
  }
}

/** The account would have no owner left. */
export class LastOwnerError extends DashboardError {
  readonly reason = 'LAST_OWNER';
  constructor() {
    super('An account keeps at least one owner: make another member an owner first');
  }
}

/** The account has no open invitation with that id, or no account has one with that code. */
export class InvitationNotFoundError extends DashboardError {
  readonly reason = 'INVITATION_NOT_FOUND';
  constructor() {
    super('Invitation not found: it is unknown, accepted, withdrawn or too old');
  }
}

/** The person who accepts an invitation is in the account already. */
export class AlreadyMemberError extends DashboardError {
  readonly reason = 'ALREADY_MEMBER';
  constructor() {
    super('You are a member of this account already');
  }
}

/** The account has no auth token with that id that works. */
export class AuthTokenNotFoundError extends DashboardError {
  readonly reason = 'AUTH_TOKEN_NOT_FOUND';
  constructor() {
    super('Auth token not found');
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

/** What the request changes was changed after the version that expectedVersion names. */
export class VersionConflictError extends DashboardError {
  readonly reason = 'VERSION_CONFLICT';
  constructor(what: 'paymaster' | 'policy', currentVersion: number) {
    super(
      what === 'paymaster'
        ? `The paymaster has changed meanwhile: it is at version ${currentVersion}`
        : `expectedVersion is not that of the policy, which has changed meanwhile: it is at version ${currentVersion}`,
    );
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
 * The account or the person sends more requests than allowed; or the client's address does, while its authToken or
 * session is not known to be good.
 */
export class TooManyRequestsError extends DashboardError {
  readonly reason = 'RATE_LIMITED';
  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests');
  }
}
