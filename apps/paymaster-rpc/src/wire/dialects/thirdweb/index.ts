import type { Dialect } from '../../json-rpc/rpc-method';
import { feePair } from '../common/fee-pair';
import { BUNDLER_ERRORS } from '../erc7769';

/** The methods of thirdweb's bundler that its clients call. */
export const thirdweb: Dialect = {
  name: 'thirdweb',
  errors: BUNDLER_ERRORS,
  methods: [feePair('thirdweb_getUserOperationGasPrice')],
};
