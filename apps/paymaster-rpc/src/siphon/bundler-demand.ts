import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PaidOperation } from '../testing/token-call';
import { withPaymaster } from './accounts';

const CALCULATOR = join(
  __dirname,
  '../../../../devnet/bundler/node_modules/@pimlico/alto/esm/rpc/estimation/preVerificationGasCalculator.js',
);
/** The value in alto's estimates, in percent of what alto demands (`v7-pre-verification-gas-limit-multiplier`). */
const TOLD_PERCENT = 110n;

/**
 * The sum of the `preVerificationGas` that alto tells honest clients to send with these operations; gas. It runs alto's
 * own code, because the alto process answers only for operations that pass its simulation.
 */
export async function toldByBundler(operations: readonly PaidOperation[]): Promise<bigint> {
  const program = `
    import { readFileSync } from 'node:fs';
    import { calcExecutionPvgComponent } from ${JSON.stringify(CALCULATOR)};
    const bigints = (_key, value) => (/^\\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value);
    const gas = JSON.parse(readFileSync(0), bigints).map((userOp) =>
      calcExecutionPvgComponent({ userOp, supportsEip7623: false, config: {} }));
    console.log(String(gas.reduce((sum, each) => sum + each)));`;
  const input = JSON.stringify(operations.map(withPaymaster), (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  const asked = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  asked.child.stdin?.end(input);
  return (BigInt((await asked).stdout.trim()) * TOLD_PERCENT) / 100n;
}
