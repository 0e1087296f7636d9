import { JsonRpcResponseError, JsonRpcTransportError } from '@paymaster/chain';
import {
  DependencyUnavailableError,
  FundingWalletError,
  InvalidParamsError,
  SimulationFailedError,
} from '@paymaster/domain';

/** ERC-7769 error codes of bundlers, as alto 0.0.20 uses them. */
const INVALID_PARAMS = -32602;
const PAYMASTER_DEPOSIT_TOO_LOW = -32508;
const EXECUTION_REVERTED = -32521;
/** -32500 to -32507: validation of the account or the paymaster, rules, stake, reputation, signatures. */
const isValidationCode = (code: number) => code <= -32500 && code >= -32507;

/** ERC-4337's own codes, as in `AA23 reverted`. */
const AA_CODE = /\bAA\d{2}\b/;

/** Revert data, which bundlers put into `data` or behind their sentence: a selector and what the ABI encodes. */
const REVERT_DATA = /\b0x[0-9a-f]{8}(?:[0-9a-f]{64}){0,31}\b/;

/** Our contract's refusal of a wallet with too little money: on v0.6 a text, on later versions a selector. */
const FUNDING_BALANCE_REFUSAL = /PM funding balance low|0x2746b9a5|FundingBalanceTooLow/;

const RATE_LIMIT_RETRY_SECONDS = 5;
const MAX_MESSAGE_LENGTH = 500;

/**
 * Translates a bundler's error into an error of the platform. Only this function knows the error texts of bundlers.
 *
 * The bundler's message is kept (its AA code is what people search for), shortened, as `details.bundlerMessage`.
 */
export function bundlerError(error: unknown): Error {
  if (!(error instanceof JsonRpcResponseError)) return bundlerDown(error);
  const message = error.rpcMessage.slice(0, MAX_MESSAGE_LENGTH);
  const aaCode = AA_CODE.exec(message)?.[0];
  const revertData = REVERT_DATA.exec(`${typeof error.data === 'string' ? error.data : ''} ${error.rpcMessage}`)?.[0];
  const details = { bundlerMessage: message, ...(aaCode && { aaCode }), ...(revertData && { revertData }) };

  if (error.code === PAYMASTER_DEPOSIT_TOO_LOW || aaCode === 'AA31' || FUNDING_BALANCE_REFUSAL.test(message))
    return new FundingWalletError(
      'FUNDING_WALLET_BALANCE_TOO_LOW',
      'the gas deposit does not cover this operation',
      details,
    );
  if (error.code === EXECUTION_REVERTED && !aaCode)
    return new SimulationFailedError(
      'EXECUTION_SIMULATION_FAILED',
      `the operation's call fails in simulation: ${message}`,
      details,
      { cause: error },
    );
  if (aaCode || isValidationCode(error.code))
    return new SimulationFailedError(
      'VALIDATION_SIMULATION_FAILED',
      `the operation's validation fails in simulation: ${message}`,
      details,
      { cause: error },
    );
  // A bundler that does not serve our EntryPoint is set up wrongly; the operation is not to blame.
  if (error.code === INVALID_PARAMS && !/entry ?point/i.test(message))
    return new InvalidParamsError('params[0]', `the bundler does not accept the operation: ${message}`);
  return bundlerDown(error);
}

function bundlerDown(cause: unknown): DependencyUnavailableError {
  const rateLimited = cause instanceof JsonRpcTransportError && cause.status === 429;
  return new DependencyUnavailableError('bundler', 'the bundler cannot estimate gas at the moment', {
    cause,
    ...(rateLimited && { retryAfterSeconds: RATE_LIMIT_RETRY_SECONDS }),
  });
}
