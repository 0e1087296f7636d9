import type { Dialect } from '../../json-rpc/rpc-method';
import { feePair } from '../common/fee-pair';
import { BUNDLER_ERRORS } from '../erc7769';
import { web3ClientVersion } from './web3_clientVersion';

/** What Etherspot's clients ask of its bundler, skandha. */
export const skandha: Dialect = {
  name: 'skandha',
  errors: BUNDLER_ERRORS,
  methods: [feePair('skandha_getGasPrice'), web3ClientVersion],
};
