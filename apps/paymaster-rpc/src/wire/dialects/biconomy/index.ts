import type { Dialect } from '../../json-rpc/rpc-method';
import { biconomyGetGasFeeValues } from './biconomy_getGasFeeValues';
import { biconomyGetUserOperationStatus } from './biconomy_getUserOperationStatus';
import { pmExplain } from './pm_explain';
import { pmGetFeeQuoteOrData } from './pm_getFeeQuoteOrData';
import { pmSponsorUserOperation } from './pm_sponsorUserOperation';

/** The dialect of Biconomy's v1 and v2 services, paymaster and bundler, whose clients read errors only from answers that are not 2xx. */
export const biconomy: Dialect = {
  name: 'Biconomy',
  errors: {
    decisionStatus: 400,
    tokenPath: { method: 'pm_getFeeQuoteOrData', field: 'params[1].tokenInfo.preferredToken' },
  },
  methods: [
    pmGetFeeQuoteOrData,
    pmSponsorUserOperation,
    pmExplain,
    biconomyGetGasFeeValues,
    biconomyGetUserOperationStatus,
  ],
};
