import { HttpStatus } from '@nestjs/common';
import * as errors from './dashboard-errors';

/** What a refusal looks like over HTTP. */
export interface ErrorRow {
  readonly httpStatus: HttpStatus;
  /** The `statusCode` in the body; the interface document lets it differ in one case. */
  readonly bodyStatusCode: HttpStatus;
}

const same = (status: HttpStatus): ErrorRow => ({ httpStatus: status, bodyStatusCode: status });

/** The only table from error classes to status codes. The sentence of an answer is the error's own message. */
export const ERROR_TABLE: ReadonlyArray<readonly [new (...args: never[]) => errors.DashboardError, ErrorRow]> = [
  [errors.MissingHeaderError, same(HttpStatus.UNAUTHORIZED)],
  [errors.InvalidAuthTokenError, same(HttpStatus.UNAUTHORIZED)],
  [errors.NotSignedInError, same(HttpStatus.UNAUTHORIZED)],
  [errors.SecondFactorRequiredError, same(HttpStatus.UNAUTHORIZED)],
  [errors.SignInRefusedError, same(HttpStatus.UNAUTHORIZED)],
  [errors.SignInNotSetUpError, same(HttpStatus.UNAUTHORIZED)],
  [errors.SignUpByInvitationError, same(HttpStatus.FORBIDDEN)],
  [errors.WrongOriginError, same(HttpStatus.FORBIDDEN)],
  [errors.NotAllowedError, same(HttpStatus.FORBIDDEN)],
  [errors.AccountNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.AccountNameExistsError, same(HttpStatus.BAD_REQUEST)],
  [errors.SessionNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.PasskeyNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.PasskeyExistsError, same(HttpStatus.BAD_REQUEST)],
  [errors.SignInAgainError, same(HttpStatus.FORBIDDEN)],
  [errors.MailNotSentError, same(HttpStatus.SERVICE_UNAVAILABLE)],
  [errors.MailAddressTakenError, same(HttpStatus.BAD_REQUEST)],
  [errors.RoleNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.RoleNameExistsError, same(HttpStatus.BAD_REQUEST)],
  [errors.RoleInUseError, same(HttpStatus.BAD_REQUEST)],
  [errors.MemberNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.LastOwnerError, same(HttpStatus.BAD_REQUEST)],
  [errors.InvitationNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.AlreadyMemberError, same(HttpStatus.CONFLICT)],
  [errors.AuthTokenNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.UserNotFoundError, same(HttpStatus.NOT_FOUND)],
  // As documented: HTTP says 404, the body says 400.
  [errors.SmartContractNotFoundError, { httpStatus: HttpStatus.NOT_FOUND, bodyStatusCode: HttpStatus.BAD_REQUEST }],
  [errors.InvalidBodyError, same(HttpStatus.BAD_REQUEST)],
  [errors.PaymasterNameExistsError, same(HttpStatus.BAD_REQUEST)],
  [errors.ChainNotSupportedError, same(HttpStatus.BAD_REQUEST)],
  [errors.SmartContractAddressExistsError, same(HttpStatus.BAD_REQUEST)],
  [errors.SmartContractNameExistsError, same(HttpStatus.BAD_REQUEST)],
  [errors.TokenExistsError, same(HttpStatus.BAD_REQUEST)],
  [errors.TokenNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.TokenUnfitError, same(HttpStatus.BAD_REQUEST)],
  [errors.TokensNotTakenError, same(HttpStatus.BAD_REQUEST)],
  [errors.TokensNotVerifiableError, same(HttpStatus.BAD_REQUEST)],
  [errors.ChainUnavailableError, same(HttpStatus.SERVICE_UNAVAILABLE)],
  [errors.GatewayUnavailableError, same(HttpStatus.SERVICE_UNAVAILABLE)],
  [errors.PolicyNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.OperationNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.RequestNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.WebhookNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.WebhooksNotSetUpError, same(HttpStatus.BAD_REQUEST)],
  [errors.AlertNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.MailNotSetUpError, same(HttpStatus.BAD_REQUEST)],
  [errors.VersionConflictError, same(HttpStatus.CONFLICT)],
  [errors.ChangedMeanwhileError, same(HttpStatus.CONFLICT)],
  [errors.FormerApiKeyError, same(HttpStatus.CONFLICT)],
  [errors.KeyNotFoundError, same(HttpStatus.NOT_FOUND)],
  [errors.KeyNameExistsError, same(HttpStatus.BAD_REQUEST)],
  [errors.LimitReachedError, same(HttpStatus.BAD_REQUEST)],
  [errors.InvalidSignatureError, same(HttpStatus.BAD_REQUEST)],
  [errors.TooManyCodesError, same(HttpStatus.TOO_MANY_REQUESTS)],
  [errors.TooManyRequestsError, same(HttpStatus.TOO_MANY_REQUESTS)],
];

/** The row of an error; undefined when the error is not one of our classes. */
export function errorRowOf(error: unknown): ErrorRow | undefined {
  return ERROR_TABLE.find(([errorClass]) => error instanceof errorClass)?.[1];
}
