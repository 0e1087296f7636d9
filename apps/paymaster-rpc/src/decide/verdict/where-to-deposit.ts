import { FundingWalletError, refusedAfter } from '@paymaster/domain';
import { sponsorTerms } from '../terms/sponsor-terms';
import type { PolicyQuestion } from '../rules/sponsorship-policy';

/**
 * Adds to the refusal of a wallet that is too poor where a deposit counts, and whether one is on its way. Leaves every
 * other error as it is.
 */
export async function withWhereToDeposit(
  error: unknown,
  { caller, operation }: Pick<PolicyQuestion, 'caller' | 'operation'>,
): Promise<unknown> {
  if (!(error instanceof FundingWalletError) || error.reason !== 'FUNDING_WALLET_BALANCE_TOO_LOW') return error;
  const { paymaster: contract, entryPoint, version, fundingWallet } = sponsorTerms(caller, operation.entryPointVersion);
  const uncountedWei = await caller.chain.funding.uncountedWei({ paymaster: contract, wallet: fundingWallet });
  const place = `Its deposit is looked up in contract ${contract} of EntryPoint v${version} (${entryPoint}).`;
  const hint = uncountedWei ? ' A deposit is on its way: it counts when its block is final.' : '';
  const advised = new FundingWalletError(
    error.reason,
    `${error.message}. ${place}${hint}`,
    { ...error.details, ...(uncountedWei && { depositOnItsWayWei: uncountedWei.toString() }) },
    { contract, entryPoint, ...(uncountedWei !== undefined && { isDepositOnItsWay: uncountedWei > 0n }) },
  );
  return refusedAfter(error.found, advised);
}

/** The work's result. @throws its error, with {@link withWhereToDeposit} */
export async function sayingWhereToDeposit<T>(
  question: Pick<PolicyQuestion, 'caller' | 'operation'>,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw await withWhereToDeposit(error, question);
  }
}
