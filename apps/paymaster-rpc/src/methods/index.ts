/** The wire methods, each in the file of its name. */
import type { Provider } from '@nestjs/common';
import { RPC_METHODS, type RpcMethod } from '../json-rpc/rpc-method';
import { CoreSponsorship } from './core-sponsorship';
import { CoreTokenPayment } from './core-token-payment';
import { PmChainId } from './pm_chainId';
import { PmExplain } from './pm_explain';
import { PmGetFeeQuoteOrData } from './pm_getFeeQuoteOrData';
import { PmGetPaymasterData } from './pm_getPaymasterData';
import { PmGetPaymasterStubData } from './pm_getPaymasterStubData';
import { PmSponsorUserOperation } from './pm_sponsorUserOperation';
import { PmSupportedEntryPoints } from './pm_supportedEntryPoints';
import { PmSupportedERC20Tokens } from './pm_supportedERC20Tokens';
import { RpcDiscover } from './rpc.discover';

const METHODS = [
  PmGetFeeQuoteOrData,
  PmSponsorUserOperation,
  PmExplain,
  PmGetPaymasterStubData,
  PmGetPaymasterData,
  PmSupportedEntryPoints,
  PmChainId,
  PmSupportedERC20Tokens,
];

/** The methods with nothing behind them: what they say of themselves needs no more. */
export function undressedMethods(): readonly RpcMethod[] {
  return METHODS.map((Method) => new Method(undefined as never, undefined as never));
}

export const methodProviders: readonly Provider[] = [
  CoreSponsorship,
  CoreTokenPayment,
  ...METHODS,
  {
    provide: RPC_METHODS,
    inject: METHODS,
    useFactory: (...methods: RpcMethod[]) => [...methods, new RpcDiscover(methods)],
  },
];
