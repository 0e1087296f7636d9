import type { Dialect } from '../../json-rpc/rpc-method';
import { ethChainId } from './eth_chainId';
import { pmSponsorUserOperation } from './pm_sponsorUserOperation';

/** What Pimlico's clients ask for, and those of services like it: permissionless, userop, thirdweb, Safe's relay kit. */
export const pimlico: Dialect = {
  name: 'Pimlico',
  errors: { decisionStatus: 200 },
  methods: [pmSponsorUserOperation, ethChainId],
};
