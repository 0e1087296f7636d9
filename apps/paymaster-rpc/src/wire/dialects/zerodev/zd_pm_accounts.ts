import type { Address } from '@paymaster/domain';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { sponsorTerms } from '../../../decide/terms/sponsor-terms';
import { namedVersion } from '../../user-operation/named-entry-point';
import { assertKeysChain } from '../common/keys-chain';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { address } from '../common/primitives';
import { zerodevParams } from './params.schema';

/** A list with one address: the contract that a sender has to approve to pay in tokens. */
export const zdPmAccounts: RpcMethod<PlainRequest, readonly Address[]> = {
  name: 'zd_pm_accounts',
  summary: 'The paymaster contract of an EntryPoint, which a sender approves before it pays in tokens.',
  params: zerodevParams('accounts'),
  result: { name: 'accounts', schema: { type: 'array', items: address } },
  refusals: ['request', 'caller', 'wallet', 'chain'],

  parse: plainRequest,

  answer({ caller, params }) {
    const [{ chainId, entryPointAddress }] = params as [{ chainId: string | number; entryPointAddress: string }];
    assertKeysChain(chainId, { caller, field: 'params[0].chainId' });
    const version = namedVersion(entryPointAddress, caller.chain.config, 'params[0].entryPointAddress');
    return [sponsorTerms(caller, version).paymaster];
  },
};
