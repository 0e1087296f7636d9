import type { Dialect } from '../../json-rpc/rpc-method';
import { alchemyRequestGasAndPaymasterAndData } from './alchemy_requestGasAndPaymasterAndData';

/** The methods that Alchemy's account kit calls on its own gas manager, besides those of ERC-7677. */
export const alchemy: Dialect = {
  name: 'Alchemy',
  errors: {
    decisionStatus: 200,
    tokenPath: { method: 'alchemy_requestGasAndPaymasterAndData', field: 'params[0].erc20Context.tokenAddress' },
  },
  methods: [alchemyRequestGasAndPaymasterAndData],
};
