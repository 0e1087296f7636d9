import type { Dialect } from '../../json-rpc/rpc-method';
import { ethChainId } from './eth_chainId';
import { pimlicoGetSupportedTokens } from './pimlico_getSupportedTokens';
import { pimlicoGetTokenQuotes } from './pimlico_getTokenQuotes';
import { pimlicoGetUserOperationGasPrice } from './pimlico_getUserOperationGasPrice';
import { pimlicoGetUserOperationStatus } from './pimlico_getUserOperationStatus';
import { pmSponsorUserOperation } from './pm_sponsorUserOperation';
import { pmValidateSponsorshipPolicies } from './pm_validateSponsorshipPolicies';

/** The methods of Pimlico's clients and of similar clients: permissionless, userop, thirdweb, Safe's relay kit. */
export const pimlico: Dialect = {
  name: 'Pimlico',
  errors: {
    decisionStatus: 200,
    tokenPath: { method: 'pimlico_getTokenQuotes', field: 'params[0].tokens' },
  },
  methods: [
    pmSponsorUserOperation,
    pmValidateSponsorshipPolicies,
    pimlicoGetTokenQuotes,
    pimlicoGetSupportedTokens,
    pimlicoGetUserOperationGasPrice,
    pimlicoGetUserOperationStatus,
    ethChainId,
  ],
};
