import { MAX_SPONSOR_ICON_LENGTH, type PaymasterSettings } from '@paymaster/domain';
import type { JsonSchema, RpcMethod } from '../../json-rpc/rpc-method';
import { paymasterDataResultSchema, presentPaymasterData, type PaymasterDataResult } from '../common/paymaster-data';
import { erc7677Params } from './params.schema';
import { parseErc7677Stub, type Erc7677Stub } from './parse';

/** The sponsor whom a wallet shows to its user. */
interface Sponsor {
  readonly name: string;
  readonly icon?: string;
}

const sponsorSchema: JsonSchema = {
  title: 'Sponsor',
  type: 'object',
  description: 'who pays, for the wallet to show; only where the owner has named a sponsor, and the user does not pay',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    icon: { type: 'string', maxLength: MAX_SPONSOR_ICON_LENGTH, description: 'a small image as a data URI' },
  },
};

/**
 * ERC-7677: a stub for the client's estimate, which is as long as the final data and never valid; the policy is checked.
 * Beside it the gas limits that the client has not set: viem before 2.57.18 takes them and asks no bundler.
 * aa-sdk and permissionless 0.1 read the paymaster's fields only.
 */
export const pmGetPaymasterStubData: RpcMethod<Erc7677Stub, PaymasterDataResult & { sponsor?: Sponsor }> = {
  name: 'pm_getPaymasterStubData',
  summary: 'Paymaster data to estimate gas with (ERC-7677). It can never be submitted.',
  params: erc7677Params('stub'),
  result: {
    name: 'paymasterStubData',
    schema: {
      ...paymasterDataResultSchema,
      title: 'PaymasterStubData',
      properties: { ...(paymasterDataResultSchema['properties'] as object), sponsor: sponsorSchema },
    },
  },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'token', 'chain'],

  parse: parseErc7677Stub,

  async answer(request, operations) {
    const stub = await operations.stub(request);
    const data = presentPaymasterData(stub.data, stub.limits);
    const sponsor = request.mode === 'sponsored' && sponsorOf(request.caller.paymaster.snapshot.settings);
    return sponsor ? { ...data, sponsor } : data;
  },
};

function sponsorOf({ sponsorName: name, sponsorIcon: icon }: PaymasterSettings): Sponsor | undefined {
  if (name === null) return undefined;
  return icon === null ? { name } : { name, icon };
}
