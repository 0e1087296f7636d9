import { pmChainId } from '../candide/pm_chainId';

/** What ethers asks before anything else: userop speaks to a paymaster through its provider. */
export const ethChainId: typeof pmChainId = { ...pmChainId, name: 'eth_chainId' };
