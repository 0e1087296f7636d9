import { pmChainId } from '../candide/pm_chainId';

/** ethers calls this before any other method, and userop talks to a paymaster through a provider of ethers. */
export const ethChainId: typeof pmChainId = { ...pmChainId, name: 'eth_chainId' };
