import type { Caller } from '../../../callers/caller';
import type { JsonSchema } from '../../json-rpc/rpc-method';
import { feesWithinBounds, type Fees } from '../../../decide/terms/assumed-fees';
import type { Hex } from '@paymaster/domain';
import { hexQuantity } from './primitives';

/**
 * The speeds that clients choose from. With the fees of a speed, the base fee may rise to this percentage and still be
 * paid.
 */
const BASE_FEE_PERCENT = { slow: 120n, standard: 150n, fast: 200n } as const;

/** Fees as they travel; wei per gas. */
export interface WireFees {
  readonly maxFeePerGas: Hex;
  readonly maxPriorityFeePerGas: Hex;
}

export type GasPriceResult = Readonly<Record<keyof typeof BASE_FEE_PERCENT, WireFees>>;

/** Fees for an operation now: with the tip that the bundler asks, and within the bounds of this gateway. */
export function suggestedFees(caller: Pick<Caller, 'chain'>, speed: keyof typeof BASE_FEE_PERCENT = 'standard'): Fees {
  const tipWei = caller.chain.fees.suggestedPriorityFeePerGasWei();
  return feesWithinBounds(caller, { tipWei, baseFeePercent: BASE_FEE_PERCENT[speed] });
}

/** Three prices. This gateway refuses none of these prices while the chain's fees stay as they are. */
export function presentGasPrices(caller: Pick<Caller, 'chain'>): GasPriceResult {
  const of = (speed: keyof typeof BASE_FEE_PERCENT): WireFees => presentFees(suggestedFees(caller, speed));
  return { slow: of('slow'), standard: of('standard'), fast: of('fast') };
}

export function presentFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees): WireFees {
  return {
    maxFeePerGas: `0x${maxFeePerGas.toString(16)}`,
    maxPriorityFeePerGas: `0x${maxPriorityFeePerGas.toString(16)}`,
  };
}

export const wireFeeProperties = { maxFeePerGas: hexQuantity, maxPriorityFeePerGas: hexQuantity } as const;

const fees: JsonSchema = {
  type: 'object',
  required: ['maxFeePerGas', 'maxPriorityFeePerGas'],
  properties: wireFeeProperties,
};

export const gasPriceResultSchema: JsonSchema = {
  title: 'GasPrices',
  type: 'object',
  required: ['slow', 'standard', 'fast'],
  properties: { slow: fees, standard: fees, fast: fees },
};
