import type { Dialect } from '../../json-rpc/rpc-method';
import { stackupGetErc20TokenQuotes } from './stackup_getERC20TokenQuotes';
import { zdGetUserOperationGasPrice } from './zd_getUserOperationGasPrice';
import { zdPmAccounts } from './zd_pm_accounts';
import { zdSponsorUserOperation } from './zd_sponsorUserOperation';

/** The methods that ZeroDev's SDK calls on its own paymaster and bundler, besides those of ERC-7677. */
export const zerodev: Dialect = {
  name: 'ZeroDev',
  errors: {
    decisionStatus: 200,
    tokenPath: { method: 'stackup_getERC20TokenQuotes', field: 'params[0].tokenAddress' },
  },
  methods: [zdSponsorUserOperation, stackupGetErc20TokenQuotes, zdPmAccounts, zdGetUserOperationGasPrice],
};
