import type { Dialect } from '../../json-rpc/rpc-method';
import { pmChainId } from './pm_chainId';
import { pmSupportedEntryPoints } from './pm_supportedEntryPoints';
import { pmSupportedERC20Tokens } from './pm_supportedERC20Tokens';

/** What Candide's clients ask for beside ERC-7677; they read errors as its clients do. */
export const candide: Dialect = {
  name: 'Candide',
  errors: { decisionStatus: 200 },
  methods: [pmSupportedEntryPoints, pmChainId, pmSupportedERC20Tokens],
};
