import type { Dialect } from '../../json-rpc/rpc-method';
import { BUNDLER_ERRORS } from '../erc7769';
import { rundlerGetUserOperationGasPrice } from './rundler_getUserOperationGasPrice';
import { rundlerGetUserOperationStatus } from './rundler_getUserOperationStatus';
import { rundlerMaxPriorityFeePerGas } from './rundler_maxPriorityFeePerGas';

/** The methods of Alchemy's bundler, which its aa-sdk calls. */
export const rundler: Dialect = {
  name: 'rundler',
  errors: BUNDLER_ERRORS,
  methods: [rundlerMaxPriorityFeePerGas, rundlerGetUserOperationGasPrice, rundlerGetUserOperationStatus],
};
