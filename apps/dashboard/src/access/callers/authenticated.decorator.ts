import { applyDecorators, SetMetadata, UseGuards, type CustomDecorator } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { AUTHENTICATION_RULES, CallerGuard, type AuthenticationRules } from './caller.guard';
import {
  AccountNotFoundError,
  InvalidAuthTokenError,
  MissingHeaderError,
  NotAllowedError,
  NotSignedInError,
  SecondFactorRequiredError,
  UserNotFoundError,
} from '../../platform/http/dashboard-errors';
import { CALLER, type CallerDescription } from '../../platform/http/openapi.decorators';

const BOTH_REQUIRED = 'Auth token and API key is required in the headers';

const DEFAULT_RULES: AuthenticationRules = {
  needsApiKey: true,
  byToken: true,
  missingHeader: BOTH_REQUIRED,
  unknownAuthToken: InvalidAuthTokenError,
  unknownApiKey: UserNotFoundError,
};

/**
 * Checks, in this order: rate, missing header, unknown authToken or session, what the caller may do, unknown apiKey. The
 * body comes after all of them.
 */
export function Authenticated(rules: Partial<AuthenticationRules> = {}): ReturnType<typeof applyDecorators> {
  const complete = { ...DEFAULT_RULES, ...rules };
  return applyDecorators(setRules(complete), UseGuards(CallerGuard), ApiExtension(CALLER, describe(complete)));
}

function setRules(rules: AuthenticationRules): CustomDecorator<symbol> {
  return SetMetadata(AUTHENTICATION_RULES, rules);
}

function describe({ needsApiKey, byToken, ...errors }: AuthenticationRules): CallerDescription {
  const wrongHeader = new Set([
    ...(byToken ? [errors.unknownAuthToken] : []),
    ...(needsApiKey ? [errors.unknownApiKey] : []),
  ]);
  const ofPaymaster = { ...(needsApiKey && { paymasterId: [] }) };
  return {
    security: [
      ...(byToken ? [{ authToken: [], ...(needsApiKey && { apiKey: [] }) }] : []),
      ...(byToken && needsApiKey ? [{ authToken: [], ...ofPaymaster }] : []),
      { session: [], accountId: [], ...ofPaymaster },
    ],
    refusals: [
      new MissingHeaderError(errors.missingHeader),
      ...[...wrongHeader].map((error) => new error()),
      new NotSignedInError(),
      new SecondFactorRequiredError(),
      new NotAllowedError('Your role in this account, viewer, does not allow this'),
      new AccountNotFoundError(),
    ],
  };
}
