import type { Dialect } from '../../json-rpc/rpc-method';
import { feePair } from '../common/fee-pair';
import { BUNDLER_ERRORS } from '../erc7769';
import { web3ClientVersion } from './web3_clientVersion';

/** The methods of Etherspot's bundler, skandha, that its clients call. */
export const skandha: Dialect = {
  name: 'skandha',
  errors: BUNDLER_ERRORS,
  methods: [feePair('skandha_getGasPrice'), web3ClientVersion],
};
