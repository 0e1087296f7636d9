import type { Dialect } from '../../json-rpc/rpc-method';
import { stackupGetErc20TokenQuotes } from './stackup_getERC20TokenQuotes';
import { zdGetUserOperationGasPrice } from './zd_getUserOperationGasPrice';
import { zdPmAccounts } from './zd_pm_accounts';
import { zdSponsorUserOperation } from './zd_sponsorUserOperation';

/** What ZeroDev's SDK asks of its own paymaster and bundler beside ERC-7677. */
export const zerodev: Dialect = {
  name: 'ZeroDev',
  errors: {
    decisionStatus: 200,
    tokenPath: { method: 'stackup_getERC20TokenQuotes', field: 'params[0].tokenAddress' },
  },
  methods: [zdSponsorUserOperation, stackupGetErc20TokenQuotes, zdPmAccounts, zdGetUserOperationGasPrice],
};
