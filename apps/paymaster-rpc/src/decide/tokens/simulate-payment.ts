import { StateOverridesUnsupportedError, type TokenPermit } from '@paymaster/chain';
import { ceilDiv } from '@paymaster/domain';
import type { TokenPathOutcome } from '@paymaster/gas';
import type { ServedTokens } from '../../chains/served-tokens';
import { checkTokenPath } from './check-token-path';
import type { PaymentDraft } from './draft-payment';
import { paymentFails, wayNotAvailable } from './token-refusals';

/**
 * Margin for a state that differs a little when the operation lands, for example another branch of a proxy. The sender
 * pays for it.
 */
const MARGIN_PERCENT = 10n;
/** The last storage write of a call requires that this much gas is left, but does not use it (EIP-2200). */
const MARGIN_GAS = 2_300n;

/**
 * Runs the token path of a payment in one `eth_call`.
 *
 * @param asked.deadlineMs when the client is answered at the latest; milliseconds of the monotonic clock
 * @returns gas of the token's call in `postOp`, margin included; undefined: use the token's own bound
 * @throws {SimulationFailedError} when the account cannot be deployed, or its calls revert
 * @throws {SponsorshipRefusedError} when the sender does not pay, or its way cannot be simulated on this chain
 * @throws {DependencyUnavailableError} `chain`
 */
export async function simulatePayment(
  { simulator }: Pick<ServedTokens, 'simulator'>,
  { terms, operation, payment }: PaymentDraft,
  { permit, deadlineMs }: { permit: TokenPermit | undefined; deadlineMs: number },
): Promise<bigint | undefined> {
  const { entryPoint, paymaster, fundingWallet, feeReceiver, way, token } = terms;
  let outcome: TokenPathOutcome;
  try {
    outcome = await simulator.simulate({
      ...{ operation, entryPoint, paymaster, fundingWallet, way, receiver: feeReceiver, token: token.address },
      amountBaseUnits: payment.amountBaseUnits,
      deadlineMs,
      ...(permit && { permit }),
    });
  } catch (error) {
    if (!(error instanceof StateOverridesUnsupportedError)) throw error;
    // Balance and allowance were read, and the maximum is taken before the calls, so the wallet cannot lose.
    if (way === 'allowance') return undefined;
    throw wayNotAvailable(`The nodes of this chain cannot simulate it: approve ${paymaster} beforehand instead.`);
  }
  checkTokenPath(outcome, way, payment);
  const { paymentGas } = outcome;
  const postOpGas = way === 'batchApproval' ? paymentGas : (outcome.refundGas ?? paymentGas);
  const bound = terms.constants.tokenCallGas;
  // On chain it would run out of the signed gas.
  if (paymentGas > BigInt(token.transferGas) || postOpGas > bound) {
    throw paymentFails(payment, `its calls take ${paymentGas} and ${postOpGas} gas`);
  }
  const withMargin = ceilDiv(postOpGas * (100n + MARGIN_PERCENT), 100n) + MARGIN_GAS;
  return withMargin < bound ? withMargin : undefined;
}
