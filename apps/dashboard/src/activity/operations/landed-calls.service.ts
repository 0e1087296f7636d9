import { Injectable, Logger } from '@nestjs/common';
import { ChainProvider, landedCallData, landedTokenPayment, ServedContracts, type ChainConfig } from '@paymaster/chain';
import { DependencyUnavailableError, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { decodeCalls } from '@paymaster/policy';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { ChainUnavailableError } from '../../platform/http/dashboard-errors';
import type { NoCallsReason, Operation } from './operation';
import type { CallView, OperationCallsView, TokenPaymentView } from './operation.view';

/** Other requests of the account wait meanwhile. */
const PATIENCE = { callTimeoutMs: 1_500, totalTimeoutMs: 3_000 };

const MESSAGES: Readonly<Record<NoCallsReason, string>> = {
  notLanded: 'The operation is not on chain, and nothing else keeps its call data.',
  chainNotServed: 'The operator does not serve the chain, or its EntryPoint, any more.',
  transactionUnknown: 'The node of the chain does not have the transaction.',
  notInBundle: 'The transaction does not hand the operation to the EntryPoint itself: another contract does.',
  notUnderstood: 'The call data of the account is not understood.',
};

/** Reads from the chain what operations called: events tell the targets, not the whole call data. */
@Injectable()
export class LandedCalls {
  private readonly logger = new Logger(LandedCalls.name);

  constructor(private readonly chains: SupportedChains) {}

  /**
   * The calls of the operation, decoded as gateways decode them; else why there are none. With what its user paid in a
   * token, where a node tells.
   *
   * @throws {ChainUnavailableError}
   */
  async of(operation: Operation): Promise<OperationCallsView> {
    const [found, tokenPayment] = await Promise.all([this.read(operation), this.tokenPayment(operation)]);
    if (typeof found === 'string') return { calls: null, reason: found, message: MESSAGES[found], tokenPayment };
    return { calls: found, reason: null, message: null, tokenPayment };
  }

  private async tokenPayment(operation: Operation): Promise<TokenPaymentView | null> {
    const { chainId, mode, transactionHash, userOpHash } = operation;
    const chain = this.chains.find(chainId);
    if (mode !== 'token' || transactionHash === null || userOpHash === null || !chain) return null;
    const { paymasters } = new ServedContracts(chain.entryPoints);
    const asked = { transactionHash, userOpHash, paymasters };
    // For display only: a node that keeps no receipts must not hide the calls.
    const paid = await landedTokenPayment(this.freshProvider(chain), asked).catch((error: unknown) => {
      if (error instanceof DependencyUnavailableError) return null;
      throw error;
    });
    return paid && { token: paid.token, amount: paid.amount.toString() };
  }

  private async read(operation: Operation): Promise<readonly CallView[] | NoCallsReason> {
    const { chainId, transactionHash, sender, nonce } = operation;
    if (transactionHash === null) return 'notLanded';
    const chain = this.chains.find(chainId);
    const entryPointVersion = operation.entryPointVersion as EntryPointVersion;
    const served = chain?.entryPoints[entryPointVersion];
    if (!chain || !served) return 'chainNotServed';
    const { entryPoint } = served;
    const found = await landedCallData(this.freshProvider(chain), {
      ...{ transactionHash, entryPoint, sender, nonce: BigInt(nonce) },
    }).catch(unavailable);
    return typeof found === 'string' ? found : callsIn(found.callData, entryPointVersion);
  }

  /** Bundles are made by anybody: what such a transaction makes of a provider's breaker is forgotten with it. */
  private freshProvider(chain: ChainConfig): ChainProvider {
    const onFault = ({ message }: Error): void =>
      this.logger.warn({ chainId: chain.chainId, problem: message }, 'a chain endpoint did not answer as it should');
    return new ChainProvider(chain, { ...PATIENCE, onFault });
  }
}

/** @throws {ChainUnavailableError} where no node answers */
function unavailable(error: unknown): never {
  if (error instanceof DependencyUnavailableError) throw new ChainUnavailableError({ cause: error });
  throw error;
}

function callsIn(callData: Hex, entryPointVersion: EntryPointVersion): readonly CallView[] | NoCallsReason {
  const decoded = decodeCalls({ callData, entryPointVersion });
  if (!decoded.understood) return 'notUnderstood';
  return decoded.calls.map(({ to, valueWei, selector, data }) => ({
    ...{ to, valueWei: valueWei.toString(), selector: selector ?? null, data },
  }));
}
