import type { Dialect } from '../../json-rpc/rpc-method';
import { ethEstimateUserOperationGas } from './eth_estimateUserOperationGas';
import { ethGetUserOperationByHash } from './eth_getUserOperationByHash';
import { ethGetUserOperationReceipt } from './eth_getUserOperationReceipt';
import { ethSendUserOperation } from './eth_sendUserOperation';
import { ethSupportedEntryPoints } from './eth_supportedEntryPoints';

/**
 * How clients read errors of a bundler: most from answers with status 200 (older viem loses the code of others), and
 * Biconomy's, which takes such an error for a success, from others.
 */
export const BUNDLER_ERRORS = { decisionStatus: 200, biconomysStatus: 400 } as const;

/** A bundler's methods, as ERC-7769 has them. */
export const erc7769: Dialect = {
  name: 'ERC-7769',
  errors: BUNDLER_ERRORS,
  methods: [
    ethSendUserOperation,
    ethEstimateUserOperationGas,
    ethGetUserOperationByHash,
    ethGetUserOperationReceipt,
    ethSupportedEntryPoints,
  ],
};
