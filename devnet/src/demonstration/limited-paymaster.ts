import { DashboardClient, type NewPolicy } from '../stack/dashboard-client';
import { seedPaymaster } from '../stack/seed';
import type { SeededPaymaster, Stack } from '../stack/stack-file';

const NAME = 'Local demo, limited';

/** One operation of each smart account a month. */
export const LIMIT_POLICY: NewPolicy = {
  name: 'One a month',
  policyType: 'RULES',
  policyData: { limits: [{ scope: 'USER', measure: 'COUNT', amount: '1', cycle: 'MONTH' }] },
};

/** A second paymaster of the same owner and wallet, with a limit, that tells clients why it refuses. */
export async function limitedPaymaster(stack: Stack): Promise<SeededPaymaster> {
  const dashboard = new DashboardClient(stack.dashboard, stack.authToken);
  const paymaster = await seedPaymaster({
    dashboard,
    name: NAME,
    chainId: stack.chainId,
    demoContract: stack.demoContract.address,
    fundingWallet: stack.devKeys.fundingWallet,
  });
  const { apiKey } = paymaster;
  const policies = await dashboard.call('get', '/paymaster-policy', { apiKey });
  if (!policies.some(({ name }) => name === LIMIT_POLICY.name))
    await dashboard.call('post', '/paymaster-policy', { apiKey, body: LIMIT_POLICY });
  await dashboard.call('patch', '/paymaster-settings', { apiKey, body: { explainToClients: true } });
  return paymaster;
}
