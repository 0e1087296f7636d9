import type { Dialect } from '../../json-rpc/rpc-method';
import { BUNDLER_ERRORS } from '../erc7769';
import { circleGetUserOperationGasPrice } from './circle_getUserOperationGasPrice';

/** The methods of Circle's bundler that its clients call. */
export const circle: Dialect = { name: 'Circle', errors: BUNDLER_ERRORS, methods: [circleGetUserOperationGasPrice] };
