import { Injectable, Logger } from '@nestjs/common';
import { ChainProvider, ServedContracts, type ChainConfig } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import type { GatewayChain } from '@paymaster/messaging';
import { Interface } from 'ethers';
import { SupportedChains } from '../platform/chains/supported-chains';
import { Gateways } from '../outbound/gateways/gateways.service';
import { GatewayUnavailableError } from '../platform/http/dashboard-errors';
import { withDeadline } from '../platform/chains/with-deadline';

const ENTRY_POINT = new Interface([
  'function getDepositInfo(address) view returns (uint256 deposit, bool staked, uint256 stake, uint256 unstakeDelaySec, uint256 withdrawTime)',
]);
const WORDS = 5;
/** All reads of one chain together; milliseconds. */
const DEADLINE_MS = 5_000;

/** What a paymaster contract has in its EntryPoint. */
export interface EntryPointStanding {
  readonly depositWei: bigint;
  readonly stakeWei: bigint;
}

/** A paymaster contract of a chain; null standing while the chain does not answer. */
export interface ContractState {
  readonly version: string;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly standing: EntryPointStanding | null;
}

/** A chain of chains.json as it is now. */
export interface ChainState {
  readonly chain: ChainConfig;
  readonly contracts: readonly ContractState[];
  /** As one gateway knows it; null while no gateway answers, or it does not serve the chain. */
  readonly gateway: GatewayChain | null;
}

/** The chains of the installation as they are now, for its operator. What does not answer is null and hides nothing else. */
@Injectable()
export class ChainStates {
  private readonly logger = new Logger(ChainStates.name);

  constructor(
    private readonly chains: SupportedChains,
    private readonly gateways: Gateways,
  ) {}

  /** In the order of chains.json. */
  async all(): Promise<readonly ChainState[]> {
    const [known, ...states] = await Promise.all([
      this.knownToGateway(),
      ...this.chains.all().map(async (chain) => ({ chain, contracts: await this.contractsOf(chain) })),
    ]);
    return states.map((state) => ({
      ...state,
      gateway: known.find(({ chainId }) => chainId === state.chain.chainId) ?? null,
    }));
  }

  private async knownToGateway(): Promise<readonly GatewayChain[]> {
    try {
      return await this.gateways.ask('chains', {});
    } catch (error) {
      if (error instanceof GatewayUnavailableError) return [];
      throw error;
    }
  }

  private async contractsOf(chain: ChainConfig): Promise<ContractState[]> {
    // A provider of its own, so that its breaker is nobody else's.
    const provider = new ChainProvider(chain, {
      onFault: ({ message }: Error) =>
        this.logger.warn({ chainId: chain.chainId, problem: message }, 'a chain endpoint did not answer as it should'),
    });
    const { all } = new ServedContracts(chain.entryPoints);
    return Promise.all(
      all.map(async ({ version, entryPoint, paymaster }) => ({
        ...{ version, entryPoint, paymaster },
        standing: await withDeadline(standingOf(provider, { entryPoint, paymaster }), DEADLINE_MS).catch(() => null),
      })),
    );
  }
}

/** @throws when the chain does not answer, or not as an EntryPoint does */
function standingOf(
  provider: Pick<ChainProvider, 'ethCall'>,
  { entryPoint, paymaster }: { entryPoint: Address; paymaster: Address },
): Promise<EntryPointStanding> {
  const data = ENTRY_POINT.encodeFunctionData('getDepositInfo', [paymaster]) as Hex;
  return provider.ethCall({ to: entryPoint, data }, (returned) => {
    const bytes = (returned as string).length / 2 - 1;
    if (bytes < WORDS * 32) throw new Error(`getDepositInfo of ${entryPoint} answers ${bytes} bytes`);
    const [depositWei = 0n, , stakeWei = 0n] = [
      ...(ENTRY_POINT.decodeFunctionResult('getDepositInfo', returned as string) as unknown as bigint[]),
    ];
    return { depositWei, stakeWei };
  });
}
