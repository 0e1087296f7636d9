import type { Dialect } from '../../json-rpc/rpc-method';
import { pmChainId } from './pm_chainId';
import { pmSupportedEntryPoints } from './pm_supportedEntryPoints';
import { pmSupportedERC20Tokens } from './pm_supportedERC20Tokens';

/** The methods that Candide's clients use besides those of ERC-7677; they read errors like clients of ERC-7677. */
export const candide: Dialect = {
  name: 'Candide',
  errors: { decisionStatus: 200 },
  methods: [pmSupportedEntryPoints, pmChainId, pmSupportedERC20Tokens],
};
