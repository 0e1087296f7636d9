import type { Address, ChargingWay } from '@paymaster/domain';
import type { TokenReader } from '@paymaster/gas';
import { askPullable } from './ask-token';
import { allowanceTooLow, balanceTooLow, permitNeeded, permitNotTaken, type NeededPayment } from './token-refusals';
import type { SupportedToken } from '../../chains/token-registry';

export interface WayQuestion {
  readonly token: SupportedToken;
  readonly sender: Address;
  readonly hasPermit: boolean;
  /** When the client is answered at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs: number;
  /** What the sender must have, and must have approved, to be charged from an allowance. */
  readonly payment: () => NeededPayment;
}

/**
 * Chooses how the sender is charged: by the permit that it sent, else from an allowance that suffices now, else by the
 * approval in its batch. The simulation then has to show that approval.
 *
 * @throws {SponsorshipRefusedError} when no way is left, saying what is missing
 * @throws {DependencyUnavailableError} `chain`, when the token cannot be read
 */
export async function chooseChargingWay(
  reader: Pick<TokenReader, 'balanceOf' | 'allowance'>,
  { token, sender, hasPermit, payment, deadlineMs }: WayQuestion,
): Promise<ChargingWay> {
  const { listing, ways, lacksBatchApproval } = token;
  if (hasPermit) {
    if (ways.includes('permit')) return 'permit';
    throw permitNotTaken(listing);
  }
  const mayApprove = ways.includes('batchApproval');
  if (!ways.includes('allowance')) {
    if (mayApprove) return 'batchApproval';
    throw permitNeeded(token);
  }
  const needed = payment();
  const { amountBaseUnits, spender } = needed;
  const [allowance, balance] = await askPullable(reader, { token: listing, owner: sender, spender, deadlineMs });
  if (allowance >= amountBaseUnits && balance >= amountBaseUnits) return 'allowance';
  if (mayApprove) return 'batchApproval';
  if (balance < amountBaseUnits) throw balanceTooLow(needed, balance);
  throw allowanceTooLow(needed, allowance, { way: 'allowance', lacksBatchApproval });
}
