import { formatEther, formatUnits } from 'viem';

/** Wei for people. */
export function ether(wei: bigint): string {
  return `${formatEther(wei)} ETH`;
}

/** Base units of a token for people, to the last one. */
export function tokens(baseUnits: bigint, { symbol, decimals }: { symbol: string; decimals: number }): string {
  return `${formatUnits(baseUnits, decimals)} ${symbol}`;
}
