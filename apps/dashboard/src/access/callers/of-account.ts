import type { AuthenticationRules } from './caller.guard';

/** For `@Authenticated`: a route about the account as a whole, or about a paymaster that the path names. */
export const OF_ACCOUNT = {
  needsApiKey: false,
  missingHeader: 'Auth token is required in the headers',
} as const satisfies Partial<AuthenticationRules>;
