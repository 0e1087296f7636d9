import { SimulationFailedError, type ChargingWay } from '@paymaster/domain';
import { revertReason, type TokenPathOutcome } from '@paymaster/gas';
import { allowanceTooLow, balanceTooLow, paymentFails, type NeededPayment } from './token-refusals';

/** How many characters of a payment's revert data the client gets. */
const MAX_RETURNED = 200;
/** How many characters of the calls' revert data the client gets, as of an estimate: 1,024 bytes. */
const MAX_REVERT_DATA = 2 + 2 * 1_024;

/**
 * Checks that the simulated operation pays, and that its calls succeed.
 *
 * @throws {SimulationFailedError} when the account cannot be deployed, or its calls revert
 * @throws {SponsorshipRefusedError} TOKEN_BALANCE_TOO_LOW, TOKEN_ALLOWANCE_TOO_LOW or TOKEN_PAYMENT_FAILS
 */
export function checkTokenPath(outcome: TokenPathOutcome, way: ChargingWay, payment: NeededPayment): void {
  if (!outcome.deployed) {
    throw new SimulationFailedError('VALIDATION_SIMULATION_FAILED', 'The account is not deployed by the operation.');
  }
  // In a batch the calls change approval and balance, so they are checked after the calls; otherwise before.
  if (way === 'batchApproval') assertCallsSucceed(outcome);
  assertPaid(outcome, way, payment);
  if (way !== 'batchApproval') assertCallsSucceed(outcome);
  if (way !== 'batchApproval' && outcome.refundGas === null) throw paymentFails(payment, 'the refund is refused');
}

function assertPaid(outcome: TokenPathOutcome, way: ChargingWay, payment: NeededPayment): void {
  const { balanceBaseUnits, allowanceBaseUnits, paid } = outcome;
  if (balanceBaseUnits < payment.amountBaseUnits) throw balanceTooLow(payment, balanceBaseUnits);
  if (allowanceBaseUnits < payment.amountBaseUnits) throw allowanceTooLow(payment, allowanceBaseUnits, { way });
  if (!paid) throw paymentFails(payment, outcome.paymentReturned.slice(0, MAX_RETURNED));
}

function assertCallsSucceed({ callsSucceeded, callsReturned }: TokenPathOutcome): void {
  if (callsSucceeded) return;
  const reason = revertReason(callsReturned);
  throw new SimulationFailedError(
    'EXECUTION_SIMULATION_FAILED',
    `the operation's call fails in simulation: ${reason}`,
    { revertData: callsReturned.slice(0, MAX_REVERT_DATA), revertReason: reason },
  );
}
