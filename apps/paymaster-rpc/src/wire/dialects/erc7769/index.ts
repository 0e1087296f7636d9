import type { Dialect } from '../../json-rpc/rpc-method';
import { ethEstimateUserOperationGas } from './eth_estimateUserOperationGas';
import { ethGetUserOperationByHash } from './eth_getUserOperationByHash';
import { ethGetUserOperationReceipt } from './eth_getUserOperationReceipt';
import { ethSendUserOperation } from './eth_sendUserOperation';
import { ethSupportedEntryPoints } from './eth_supportedEntryPoints';

/**
 * How clients read errors of a bundler. Most clients need status 200, because older viem loses the code of an answer
 * with another status. Biconomy's client takes an error with status 200 for a success, so it needs another status.
 */
export const BUNDLER_ERRORS = { decisionStatus: 200, biconomysStatus: 400 } as const;

/** The methods of a bundler in ERC-7769. */
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
