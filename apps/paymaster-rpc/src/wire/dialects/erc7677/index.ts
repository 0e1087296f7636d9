import type { Dialect } from '../../json-rpc/rpc-method';
import { pmGetPaymasterData } from './pm_getPaymasterData';
import { pmGetPaymasterStubData } from './pm_getPaymasterStubData';

/** The methods of ERC-7677, whose clients read errors only from answers with status 200. */
export const erc7677: Dialect = {
  name: 'ERC-7677',
  errors: {
    decisionStatus: 200,
    tokenPath: { method: 'pm_getPaymasterStubData', field: 'params[3].token' },
  },
  methods: [pmGetPaymasterStubData, pmGetPaymasterData],
};
