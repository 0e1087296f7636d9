import { formatUnits } from 'viem';
import type { Schemas } from '../../api/queries';

const GWEI_DECIMALS = 9;

/** The gas price that operations paid, cut off at the last digit of a wei, in gwei; empty where none is recorded. */
export function gasPriceGwei({
  gasUsed = '0',
  gasCostWei = '0',
}: Pick<Schemas['UsageView'], 'gasUsed' | 'gasCostWei'>) {
  return gasUsed === '0' ? '' : formatUnits(BigInt(gasCostWei) / BigInt(gasUsed), GWEI_DECIMALS);
}
