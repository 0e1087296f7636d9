import type { Dialect } from '../../json-rpc/rpc-method';
import { pmExplain } from './pm_explain';
import { pmGetFeeQuoteOrData } from './pm_getFeeQuoteOrData';
import { pmSponsorUserOperation } from './pm_sponsorUserOperation';

/** The dialect of Biconomy's v1 and v2 paymaster service, whose clients read errors only from answers that are not 2xx. */
export const biconomy: Dialect = {
  name: 'Biconomy',
  errors: {
    decisionStatus: 400,
    tokenPath: { method: 'pm_getFeeQuoteOrData', field: 'params[1].tokenInfo.preferredToken' },
  },
  methods: [pmGetFeeQuoteOrData, pmSponsorUserOperation, pmExplain],
};
