import type { Dialect } from '../../json-rpc/rpc-method';
import { feePair } from '../common/fee-pair';
import { BUNDLER_ERRORS } from '../erc7769';

/** What thirdweb's clients ask of its bundler. */
export const thirdweb: Dialect = {
  name: 'thirdweb',
  errors: BUNDLER_ERRORS,
  methods: [feePair('thirdweb_getUserOperationGasPrice')],
};
