import type { Address } from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import { readPolicies, type GatewayQuestions, type LimitUse } from '@paymaster/messaging';
import { limitsOf } from '@paymaster/policy';
import type { ServedChains } from '../chains/served-chains';

/**
 * How much of each limit of a policy is held and spent in the current window.
 *
 * @throws {DependencyUnavailableError} `database`
 */
export async function limitsInUse(
  { chains, ledger }: { chains: ServedChains; ledger: Pick<Ledger, 'peek'> },
  { chainId, paymasterId, policy: sent, sender }: GatewayQuestions['limits'],
): Promise<readonly LimitUse[]> {
  const nowSeconds = chains.get(chainId).head.nowSeconds();
  const limits = readPolicies([sent]).flatMap((policy) =>
    limitsOf({ paymasterId, policy }, { sender: sender as Address | undefined, nowSeconds }),
  );
  const uses = await ledger.peek(limits.map(({ claim }) => claim));
  return limits.map(({ perUser, unit, limit, claim: { refusal, endsAtSeconds = null } }, at) => ({
    ...{ rule: refusal.rule, perUser, unit, amount: limit.toString(), resetsAtSeconds: endsAtSeconds },
    used: perUser && sender === undefined ? null : (uses[at]?.usedAmount ?? 0n).toString(),
  }));
}
