import { applyDecorators, SetMetadata, UseGuards, type CustomDecorator } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { AUTHENTICATION_RULES, CallerGuard, type AuthenticationRules } from './caller.guard';
import { InvalidAuthTokenError, UserNotFoundError } from './dashboard-errors';
import { CALLER } from './openapi.decorators';

const BOTH_REQUIRED = 'Auth token and API key is required in the headers';

const DEFAULT_RULES: AuthenticationRules = {
  needsApiKey: true,
  missingHeader: BOTH_REQUIRED,
  unknownAuthToken: InvalidAuthTokenError,
  unknownApiKey: UserNotFoundError,
};

/** Checks, in this order: rate, missing header, unknown authToken, unknown apiKey. The body comes after all of them. */
export function Authenticated(rules: Partial<AuthenticationRules> = {}): ReturnType<typeof applyDecorators> {
  const complete = { ...DEFAULT_RULES, ...rules };
  return applyDecorators(setRules(complete), UseGuards(CallerGuard), ApiExtension(CALLER, complete));
}

function setRules(rules: AuthenticationRules): CustomDecorator<symbol> {
  return SetMetadata(AUTHENTICATION_RULES, rules);
}
