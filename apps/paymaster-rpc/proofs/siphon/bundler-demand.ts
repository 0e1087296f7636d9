import { join } from 'node:path';
import type { UserOperation } from '@paymaster/domain';
import type { PaidOperation } from '../../src/testing/token-call';
import { withPaymaster } from './accounts';

const CALCULATOR = join(
  __dirname,
  '../../../../devnet/bundler/node_modules/@pimlico/alto/esm/rpc/estimation/preVerificationGasCalculator.js',
);
interface Calculator {
  calcExecutionPvgComponent(asked: { userOp: UserOperation; supportsEip7623: boolean; config: object }): bigint;
}
/** The value in alto's estimates, in percent of what alto demands (`v7-pre-verification-gas-limit-multiplier`). */
const TOLD_PERCENT = 110n;

/**
 * The sum of the `preVerificationGas` that alto tells honest clients to send with these operations; gas. It runs alto's
 * own code, because the alto process answers only for operations that pass its simulation.
 */
export async function toldByBundler(operations: readonly PaidOperation[]): Promise<bigint> {
  const { calcExecutionPvgComponent } = (await import(CALCULATOR)) as Calculator;
  const gas = operations.map((paid) =>
    calcExecutionPvgComponent({ userOp: withPaymaster(paid), supportsEip7623: false, config: {} }),
  );
  return (gas.reduce((sum, each) => sum + each) * TOLD_PERCENT) / 100n;
}
