import { FUNDING_REASONS, GATEWAY_REASONS, TOKEN_REASONS } from '@paymaster/domain';
import { POLICY_REASONS } from '@paymaster/policy';
import { ERROR_TABLE, rowOf, type ErrorRow } from './error-table';
import { InvalidRequestError } from './rpc-errors';

/** A reason as clients meet it: its code, and the sentence its page in docs/errors opens with. */
export interface ReasonRow {
  readonly row: ErrorRow;
  readonly summary: string;
}

const rows = (row: ErrorRow, summaries: Readonly<Record<string, string>>): Record<string, ReasonRow> =>
  Object.fromEntries(Object.entries(summaries).map(([reason, summary]) => [reason, { row, summary }]));

/** Each of these frames has an HTTP status of its own. */
const requestRows = (summaries: Readonly<Record<string, string>>): Record<string, ReasonRow> =>
  Object.fromEntries(
    Object.entries(summaries).map(([reason, summary]) => [
      reason,
      { row: rowOf(new InvalidRequestError('', reason)), summary },
    ]),
  );

/** Every `data.reason` the gateway can answer with. Reasons are stable: clients may branch on them. */
export const REASONS: Readonly<Record<string, ReasonRow>> = {
  ...rows(ERROR_TABLE.parse, { PARSE_ERROR: 'The body is not JSON in UTF-8.' }),
  ...requestRows({
    INVALID_REQUEST: 'The body is JSON but not a JSON-RPC request, or a batch of a wrong size.',
    PAYLOAD_TOO_LARGE: 'The body is larger than 256 KiB.',
    UNSUPPORTED_MEDIA_TYPE: 'The body is not sent as plain application/json in UTF-8.',
    HTTP_METHOD_NOT_ALLOWED: 'Requests are POSTed.',
    UNKNOWN_ADDRESS: 'The path is none of the gateway.',
  }),
  ...rows(ERROR_TABLE.method, {
    METHOD_NOT_FOUND: 'There is no such method.',
    NO_BUNDLER: 'The operator has named no bundler for the chain, so the gateway sends no operations.',
  }),
  ...rows(ERROR_TABLE.validation, {
    BUNDLER_REFUSED: 'A bundler does not take the operation, or the gateway sends it to none; the message says why.',
  }),
  ...rows(ERROR_TABLE.params, {
    INVALID_PARAMS: 'A parameter is wrong; `data.field` names it.',
    CHAIN_MISMATCH: 'The request names another chain than that of the API key.',
    TOKEN_MODE_NOT_ENABLED: 'ERC20 mode is not enabled for this paymaster.',
    TOKEN_NOT_SUPPORTED: 'The fee token is not one of those that this paymaster takes.',
  }),
  ...rows(ERROR_TABLE.apiKey, {
    INVALID_API_KEY: 'The API key is missing, unknown or of another chain.',
    API_KEY_EXPIRED: 'The API key was good until a time that its owner chose.',
    SESSION_TOKEN_REQUIRED: 'The API key needs a session token of the app.',
    SESSION_TOKEN_INVALID: 'The session token is not one that the app signed for this paymaster and this account.',
    SESSION_TOKEN_EXPIRED: 'The session token has expired.',
  }),
  ...rows(ERROR_TABLE.refused, {
    ...POLICY_REASONS,
    ...TOKEN_REASONS,
    ...GATEWAY_REASONS,
  }),
  ...rows(ERROR_TABLE.funding, FUNDING_REASONS),
  ...rows(ERROR_TABLE.validation, { VALIDATION_SIMULATION_FAILED: 'The validation of the operation fails.' }),
  ...rows(ERROR_TABLE.execution, { EXECUTION_SIMULATION_FAILED: 'The execution of the operation fails.' }),
  ...rows(ERROR_TABLE.rateLimit, { RATE_LIMITED: 'The API key sends more requests than allowed.' }),
  ...rows(ERROR_TABLE.unavailable, {
    DEPENDENCY_UNAVAILABLE: 'Something the gateway needs is down; nothing was signed.',
    LEDGER_BEHIND: 'The ledger does not know the chain as it is now; nothing was signed.',
    CHAIN_HALTED: 'The chain has had no new block for too long; nothing was signed.',
    OVERLOADED: 'More is asked than can be answered in time; nothing was signed.',
    REQUEST_TIMED_OUT: 'The request took longer than its deadline; nothing was signed for you.',
    PRICE_UNAVAILABLE: 'No price that can be believed is known of the fee token; nothing was signed.',
  }),
  ...rows(ERROR_TABLE.internal, { INTERNAL_ERROR: 'Our fault; the log has the reason.' }),
};

/**
 * Reasons, grouped by the step that refuses. Each method lists the groups of the steps that it runs
 * (`MethodDocument.refusals`). Every reason is in exactly one group.
 */
export const REASON_GROUPS = {
  /** Any request: the frame, limits, time. */
  request: [
    'PARSE_ERROR',
    'INVALID_REQUEST',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'HTTP_METHOD_NOT_ALLOWED',
    'UNKNOWN_ADDRESS',
    'METHOD_NOT_FOUND',
    'RATE_LIMITED',
    'OVERLOADED',
    'REQUEST_TIMED_OUT',
    'INTERNAL_ERROR',
  ],
  /** Requests with an API key. */
  caller: [
    'INVALID_API_KEY',
    'API_KEY_EXPIRED',
    'SESSION_TOKEN_REQUIRED',
    'SESSION_TOKEN_INVALID',
    'SESSION_TOKEN_EXPIRED',
    'ORIGIN_NOT_ALLOWED',
    'KEY_NETWORK_NOT_ALLOWED',
    'KEY_METHOD_NOT_ALLOWED',
    'KEY_SENDER_NOT_ALLOWED',
    'KEY_LIMIT_REACHED',
    'PAYMASTER_SUSPENDED',
    'INVALID_PARAMS',
    'DEPENDENCY_UNAVAILABLE',
  ],
  /** Requests for which a funding wallet pays. */
  wallet: ['FUNDING_WALLET_MISSING'],
  /** Requests with an operation. */
  operation: [
    'VALIDATION_SIMULATION_FAILED',
    'EXECUTION_SIMULATION_FAILED',
    'CHAIN_HALTED',
    'LEDGER_BEHIND',
    'PRICE_UNAVAILABLE',
  ],
  /** The decision on an operation, and the limits that it is held in. */
  policy: [
    ...Object.keys(POLICY_REASONS),
    'FUNDING_WALLET_BALANCE_TOO_LOW',
    'FUNDING_WALLET_SHARE_REACHED',
    'ASKED_BEYOND_OWN_ANSWER',
    'CLIENT_NETWORK_HOUR_USED',
    'NEW_NETWORKS_HOUR_USED',
    'TOO_MANY_LIVE_SIGNATURES',
    'SPENDING_BRAKE',
  ],
  /** Checks of the owner's webhooks, before a sponsorship is signed. */
  signature: ['WEBHOOK_REFUSED', 'WEBHOOK_FAILED'],
  /** Payment in a token. */
  token: ['TOKEN_MODE_NOT_ENABLED', 'TOKEN_NOT_SUPPORTED', ...Object.keys(TOKEN_REASONS)],
  /** ERC-7677, whose params name the chain. */
  chain: ['CHAIN_MISMATCH'],
  /** Methods of a bundler, which a key can be forbidden to use. */
  bundlerUse: ['KEY_BUNDLER_OFF'],
  /** Operations that are sent to a bundler, and questions to it. */
  bundler: ['NO_BUNDLER', 'BUNDLER_REFUSED', 'BUNDLER_FOR_SPONSORED_ONLY', 'PAYMASTER_DATA_OUTDATED'],
  /** Explanations of decisions. */
  explanation: ['EXPLANATIONS_OFF'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ReasonGroup = keyof typeof REASON_GROUPS;
