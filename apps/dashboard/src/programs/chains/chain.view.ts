import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ChainConfig } from '@paymaster/chain';
import { ADDRESS, CHAIN_ID } from '../../platform/fields/api-fields';

export class ServedEntryPointView {
  @ApiProperty({ example: '0.7' }) readonly version!: string;
  @ApiProperty({ ...ADDRESS, description: 'The EntryPoint.' }) readonly address!: string;
  @ApiProperty({ ...ADDRESS, description: 'The paymaster contract, where funding wallets deposit.' })
  readonly paymaster!: string;
}

/** A chain on which paymasters can be registered. */
export class ChainView {
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ example: 'Ethereum' }) readonly name!: string;
  @ApiPropertyOptional({ type: String, example: 'https://etherscan.io' }) readonly explorerUrl?: string;
  @ApiProperty({ example: 'ETH' }) readonly nativeSymbol!: string;
  @ApiProperty({ type: [ServedEntryPointView] }) readonly entryPoints!: readonly ServedEntryPointView[];
  @ApiProperty({ description: 'Whether users can pay in tokens there.' }) readonly tokenMode!: boolean;
  @ApiProperty({ description: 'Whether apps can read the chain at the gateway, without a node of their own.' })
  readonly chainReads!: boolean;
  @ApiProperty({ description: 'Whether its coin is worth nothing.' }) readonly testnet!: boolean;
}

export function toChainView({
  chainId,
  name,
  explorerUrl,
  nativeSymbol,
  entryPoints,
  pricing,
  chainReads,
  testnet,
}: ChainConfig): ChainView {
  return {
    ...{ chainId, name, nativeSymbol, tokenMode: pricing !== null, chainReads, testnet },
    ...(explorerUrl !== undefined && { explorerUrl }),
    entryPoints: Object.entries(entryPoints).map(([version, { entryPoint, paymaster }]) => ({
      ...{ version, address: entryPoint, paymaster },
    })),
  };
}
