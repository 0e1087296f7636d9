import type { Dialect } from '../../json-rpc/rpc-method';
import { feePair } from '../common/fee-pair';
import { BUNDLER_ERRORS } from '../erc7769';

/** The methods of Candide's bundler, voltaire, besides those of ERC-7769. */
export const voltaire: Dialect = {
  name: 'voltaire',
  errors: BUNDLER_ERRORS,
  methods: [feePair('voltaire_feesPerGas')],
};
