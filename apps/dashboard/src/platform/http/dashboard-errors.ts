import { DomainError } from '@paymaster/domain';

/** The base of every refusal of this API; the message is the exact sentence the caller reads. */
export abstract class DashboardError extends DomainError {}

/** The base of a refusal that always has the same sentence. */
const Refusal = (reason: string, sentence: string) =>
  class extends DashboardError {
    readonly reason = reason;
    constructor(options?: ErrorOptions) {
      super(sentence, {}, options);
    }
  };

/** A required header is missing or empty. The sentence depends on the operation (interface, "Errors"). */
export class MissingHeaderError extends DashboardError {
  readonly reason = 'MISSING_HEADER';
}

/** The authToken is unknown, revoked or expired. */
export class InvalidAuthTokenError extends Refusal('INVALID_AUTH_TOKEN', 'Invalid auth token') {}

/** There is no session: the cookie is missing, unknown, or its session has ended. */
export class NotSignedInError extends Refusal('NOT_SIGNED_IN', 'You are not signed in, or your session has ended') {}

/** The person has a second factor, and the session has not shown its code. */
export class SecondFactorRequiredError extends Refusal(
  'SECOND_FACTOR_REQUIRED',
  'You are not signed in yet: give a code of your second factor',
) {}

/** Too many wrong codes of a second factor, over all sessions of the person. */
export class TooManyCodesError extends DashboardError {
  readonly reason = 'TOO_MANY_CODES';
  constructor(readonly retryAfterSeconds: number) {
    super(`Too many wrong codes: try again in ${inWords(retryAfterSeconds)}`);
  }
}

/** What was shown to sign in with does not prove a person; the message says what to do. */
export class SignInRefusedError extends DashboardError {
  readonly reason = 'SIGN_IN_REFUSED';
}

/** People sign in to the page at an address which the operator has not set. */
export class SignInNotSetUpError extends Refusal(
  'SIGN_IN_NOT_SET_UP',
  'People cannot sign in on this installation: PUBLIC_URL is missing',
) {}

/** The operator lets people in by invitation only. */
export class SignUpByInvitationError extends Refusal(
  'SIGN_UP_BY_INVITATION',
  'This installation takes new people and accounts by invitation only',
) {}

/** A browser sends a change from another page than ours, or without saying from which. */
export class WrongOriginError extends Refusal(
  'WRONG_ORIGIN',
  'The header Origin must be the address of the dashboard’s own page',
) {}

/** The role of the person, or the scope of the authToken, does not reach that far; the message says what is needed. */
export class NotAllowedError extends DashboardError {
  readonly reason = 'NOT_ALLOWED';
}

/** The person is not a member of the account, or there is none, which must look the same. */
export class AccountNotFoundError extends Refusal('ACCOUNT_NOT_FOUND', 'Account not found') {}

export class AccountNameExistsError extends Refusal('ACCOUNT_NAME_EXISTS', 'Account name already exists') {}

/** The person has no session with that id, or it is another person's, which must look the same. */
export class SessionNotFoundError extends Refusal('SESSION_NOT_FOUND', 'Session not found') {}

/** The person has no passkey with that id, or it is another person's, which must look the same. */
export class PasskeyNotFoundError extends Refusal('PASSKEY_NOT_FOUND', 'Passkey not found') {}

/** The device's key is registered already. */
export class PasskeyExistsError extends Refusal('PASSKEY_EXISTS', 'This device has its passkey already') {}

/** The session is too old for a change of how its person signs in, or has shown too little: it may have been stolen. */
export class SignInAgainError extends DashboardError {
  readonly reason = 'SIGN_IN_AGAIN';
  constructor(sentence = 'Sign in again: how you sign in can be changed within 15 minutes of a sign-in only') {
    super(sentence);
  }
}

/** The mail server does not take the mail. */
export class MailNotSentError extends Refusal('MAIL_NOT_SENT', 'The mail could not be sent: try again later') {
  readonly retryAfterSeconds = 60;
}

export class MailAddressTakenError extends Refusal(
  'MAIL_ADDRESS_TAKEN',
  'Another person signs in by this mail address',
) {}

/** The account has made no role with that id. */
export class RoleNotFoundError extends Refusal('ROLE_NOT_FOUND', 'Role not found') {}

export class RoleNameExistsError extends Refusal('ROLE_NAME_EXISTS', 'The account has a role of that name already') {}

/** Members would be left without a role. */
export class RoleInUseError extends Refusal(
  'ROLE_IN_USE',
  'Members have this role, or an open invitation offers it: give them another one first',
) {}

/** The account has no member with that id. */
export class MemberNotFoundError extends Refusal('MEMBER_NOT_FOUND', 'Member not found') {}

/** The account would have no owner left. */
export class LastOwnerError extends Refusal(
  'LAST_OWNER',
  'An account keeps at least one owner: make another member an owner first',
) {}

/** The account has no open invitation with that id, or no account has one with that code. */
export class InvitationNotFoundError extends Refusal(
  'INVITATION_NOT_FOUND',
  'Invitation not found: it is unknown, accepted, withdrawn or too old',
) {}

/** The person who accepts an invitation is in the account already. */
export class AlreadyMemberError extends Refusal('ALREADY_MEMBER', 'You are a member of this account already') {}

/** The account has no auth token with that id that works. */
export class AuthTokenNotFoundError extends Refusal('AUTH_TOKEN_NOT_FOUND', 'Auth token not found') {}

/** The apiKey or paymaster is unknown, or of another account, which must look the same. */
export class UserNotFoundError extends Refusal('USER_NOT_FOUND', 'User not found') {}

/** The address is not registered under this apiKey, or there is no such apiKey. */
export class SmartContractNotFoundError extends Refusal('SMART_CONTRACT_NOT_FOUND', 'Smart contract not found') {}

/** Something in the body is wrong; the message names the field. */
export class InvalidBodyError extends DashboardError {
  readonly reason: string = 'INVALID_BODY';
}

export class PaymasterNameExistsError extends Refusal('PAYMASTER_NAME_EXISTS', 'paymaster_name_exists') {}

export class ChainNotSupportedError extends Refusal('CHAIN_NOT_SUPPORTED', 'Chain ID not supported') {}

export class SmartContractAddressExistsError extends Refusal(
  'SMART_CONTRACT_ADDRESS_EXISTS',
  'Smart contract address already exists',
) {}

export class SmartContractNameExistsError extends Refusal(
  'SMART_CONTRACT_NAME_EXISTS',
  'Smart contract name already exists',
) {}

/** The paymaster has added the address before. */
export class TokenExistsError extends Refusal('TOKEN_EXISTS', 'Token already exists') {}

/** The paymaster has added no token with that address. */
export class TokenNotFoundError extends Refusal('TOKEN_NOT_FOUND', 'Token not found') {}

/** The contract at the address is not a token in which fees can safely be paid; the message says why. */
export class TokenUnfitError extends DashboardError {
  readonly reason = 'TOKEN_UNFIT';
}

/** The operator has set up no prices for the chain. */
export class TokensNotTakenError extends Refusal('TOKENS_NOT_TAKEN', 'Tokens cannot be paid in on this chain') {}

/** No node of the chain can simulate a transfer, so no token can be checked. */
export class TokensNotVerifiableError extends Refusal(
  'TOKENS_NOT_VERIFIABLE',
  'Tokens cannot be verified on this chain: its nodes do not take state overrides',
) {}

/** The request needs a read of the chain, and the chain does not answer; nothing was changed. */
export class ChainUnavailableError extends Refusal('CHAIN_UNAVAILABLE', 'The chain cannot be read at the moment') {
  readonly retryAfterSeconds = 2;
}

/** The request needs what only a gateway knows, and no gateway answers; nothing was changed. */
export class GatewayUnavailableError extends Refusal('GATEWAY_UNAVAILABLE', 'No gateway answers at the moment') {
  readonly retryAfterSeconds = 2;
}

/** The paymaster has no policy with that id, or it is another paymaster's, which must look the same. */
export class PolicyNotFoundError extends Refusal('POLICY_NOT_FOUND', 'Paymaster Policy not found') {}

/** The paymaster has no operation with that id, or it is another paymaster's, which must look the same. */
export class OperationNotFoundError extends Refusal('OPERATION_NOT_FOUND', 'Operation not found') {}

/** The paymaster's request log has no entry with that id, or no more, or it is another paymaster's. */
export class RequestNotFoundError extends Refusal('REQUEST_NOT_FOUND', 'Request not found') {}

/** The paymaster has no webhook with that id, or it is another paymaster's, which must look the same. */
export class WebhookNotFoundError extends Refusal('WEBHOOK_NOT_FOUND', 'Webhook not found') {}

/** Webhooks are signed with secrets that come from a key which the operator has not set. */
export class WebhooksNotSetUpError extends Refusal(
  'WEBHOOKS_NOT_SET_UP',
  'Webhooks are not set up on this installation: WEBHOOK_SIGNING_KEY is missing',
) {}

/** The paymaster has no alert with that id, or it is another paymaster's, which must look the same. */
export class AlertNotFoundError extends Refusal('ALERT_NOT_FOUND', 'Alert not found') {}

/** Mail is sent through a mail server which the operator has not set. */
export class MailNotSetUpError extends Refusal(
  'MAIL_NOT_SET_UP',
  'Mail is not set up on this installation: SMTP_URL is missing',
) {}

/** What the request changes was changed after the version that expectedVersion names. */
export class VersionConflictError extends DashboardError {
  readonly reason = 'VERSION_CONFLICT';
  constructor(what: 'paymaster' | 'policy' | 'alert', currentVersion: number) {
    super(
      what === 'paymaster'
        ? `The paymaster has changed meanwhile: it is at version ${currentVersion}`
        : `expectedVersion is not that of the ${what}, which has changed meanwhile: it is at version ${currentVersion}`,
    );
  }
}

/** What the request changes is not as `expected` says: somebody changed it after the sender had read it. */
export class ChangedMeanwhileError extends DashboardError {
  readonly reason = 'CHANGED_MEANWHILE';
  constructor(field: string) {
    super(`expected is not what is stored: somebody has changed ${field} meanwhile`);
  }
}

/** The apiKey still works, but another one has replaced it. */
export class FormerApiKeyError extends Refusal(
  'FORMER_API_KEY',
  'The API key was replaced before: send the current one, which the list of paymasters shows',
) {}

/** The paymaster has no key with that id, or it is another paymaster's, which must look the same. */
export class KeyNotFoundError extends Refusal('KEY_NOT_FOUND', 'Key not found') {}

export class KeyNameExistsError extends Refusal('KEY_NAME_EXISTS', 'Key name already exists') {}

/** Registering one more would pass the operator's limit. */
export class LimitReachedError extends DashboardError {
  readonly reason = 'LIMIT_REACHED';
}

/** The signature is not one of the latest message by the address in the body. */
export class InvalidSignatureError extends Refusal('INVALID_SIGNATURE', 'Invalid signature') {}

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

function inWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes > 90) return `${Math.ceil(minutes / 60)} hours`;
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
