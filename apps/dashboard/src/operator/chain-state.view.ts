import { ApiProperty } from '@nestjs/swagger';
import type { GatewayChain, GatewayProvider, GatewaySigner } from '@paymaster/messaging';
import { ADDRESS, CHAIN_ID, TEXT_OR_NULL, TIME_OR_NULL, WEI } from '../platform/fields/api-fields';
import type { ChainState, ContractState } from './chain-states.service';

const VERSION = { example: '0.7' } as const;

/** A paymaster contract, and what it has in its EntryPoint. */
export class ContractStateView {
  @ApiProperty(VERSION) readonly version!: string;
  @ApiProperty(ADDRESS) readonly entryPoint!: string;
  @ApiProperty(ADDRESS) readonly paymaster!: string;
  @ApiProperty({ ...WEI, nullable: true, description: 'Null while the chain does not answer.' })
  readonly depositWei!: string | null;
  @ApiProperty({ ...WEI, nullable: true, description: 'Null while the chain does not answer.' })
  readonly stakeWei!: string | null;
}

class HeadView {
  @ApiProperty({ type: String, example: '21000000' }) readonly blockNumber!: string;
  @ApiProperty({ example: 1.5, description: 'For how long it has been the newest.' }) readonly ageSeconds!: number;
}

class ProviderCallsView {
  @ApiProperty({ type: 'integer', example: 5 }) readonly answered!: number;
  @ApiProperty({ type: 'integer', example: 1 }) readonly failed!: number;
}

class ProviderStateView implements GatewayProvider {
  @ApiProperty({ example: 'rpc.example', description: 'The host of its URL: the rest may be a key.' })
  readonly host!: string;
  @ApiProperty({ example: 'chain', description: 'What the gateway reads through it.' }) readonly use!: string;
  @ApiProperty({ example: true }) readonly isUp!: boolean;
  @ApiProperty({ type: 'integer', nullable: true, example: 0, description: 'Null where it is not known.' })
  readonly lagBlocks!: number | null;
  @ApiProperty({ type: ProviderCallsView, description: 'Since the gateway started.' })
  readonly calls!: ProviderCallsView;
}

class SignerContractView {
  @ApiProperty(VERSION) readonly version!: string;
  @ApiProperty({ example: true, description: 'Whether the contract accepts its signatures now.' })
  readonly isAccepted!: boolean;
  @ApiProperty({
    ...TIME_OR_NULL,
    description: 'When the contract will accept them; null for a signer that does not wait.',
  })
  readonly activeFrom!: string | null;
}

/** A key that signs for the paymaster contracts. */
export class SignerStateView {
  @ApiProperty({ example: 'first', description: 'The operator’s name for it.' }) readonly name!: string;
  @ApiProperty(ADDRESS) readonly address!: string;
  @ApiProperty({ example: true }) readonly isUp!: boolean;
  @ApiProperty({ ...TEXT_OR_NULL, example: null, description: 'Null while it is up.' })
  readonly downBecause!: string | null;
  @ApiProperty({ type: [SignerContractView] }) readonly contracts!: readonly SignerContractView[];
}

class BooksView {
  @ApiProperty({ type: 'integer', nullable: true, example: 2, description: 'How far settlement is behind the head.' })
  readonly lagSeconds!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, example: null, description: 'Why nothing is reserved; null: it is.' })
  readonly haltedReason!: string | null;
}

/** A chain as one gateway knows it; another gateway may know it differently. */
export class GatewayChainView {
  @ApiProperty({ type: HeadView, nullable: true, description: 'The newest block seen; null before the first.' })
  readonly head!: HeadView | null;
  @ApiProperty({ type: [ProviderStateView] }) readonly providers!: readonly ProviderStateView[];
  @ApiProperty({ type: [SignerStateView] }) readonly signers!: readonly SignerStateView[];
  @ApiProperty({
    type: BooksView,
    nullable: true,
    description: 'How far settlement’s books go; null while the gateway cannot read them.',
  })
  readonly books!: BooksView | null;
}

/** A chain of the installation as it is now. */
export class ChainStateView {
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ example: 'Ethereum' }) readonly name!: string;
  @ApiProperty({ example: 'ETH' }) readonly nativeSymbol!: string;
  @ApiProperty({
    type: [ContractStateView],
    description: 'The next and the draining ones too, beside those for which is signed.',
  })
  readonly contracts!: readonly ContractStateView[];
  @ApiProperty({ type: GatewayChainView, nullable: true, description: 'Null while no gateway answers.' })
  readonly gateway!: GatewayChainView | null;
}

export function toChainStateView({ chain, contracts, gateway }: ChainState): ChainStateView {
  const { chainId, name, nativeSymbol } = chain;
  return { chainId, name, nativeSymbol, contracts: contracts.map(toContractView), gateway: gateway && toView(gateway) };
}

function toContractView({ standing, ...contract }: ContractState): ContractStateView {
  return {
    ...contract,
    ...{ depositWei: standing?.depositWei.toString() ?? null, stakeWei: standing?.stakeWei.toString() ?? null },
  };
}

function toView({ head, providers, signers, books }: GatewayChain): GatewayChainView {
  return { head, providers, signers: signers.map(toSignerView), books };
}

function toSignerView({ contracts, ...signer }: GatewaySigner): SignerStateView {
  return {
    ...signer,
    contracts: contracts.map(({ version, isAccepted, activeFromSeconds }) => ({
      ...{ version, isAccepted },
      activeFrom: activeFromSeconds === null ? null : new Date(activeFromSeconds * 1_000).toISOString(),
    })),
  };
}
