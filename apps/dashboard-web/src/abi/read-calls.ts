import { decodeFunctionData, isHex, parseAbi, size, slice, type Hex } from 'viem';
import type { Schemas } from '../api/queries';

type Call = Schemas['TargetView'];

/** The ways in which most accounts take calls. The gateway knows more of them, and decides by its own reading. */
const ABI = parseAbi([
  'function execute(address to, uint256 value, bytes data)',
  'function executeBatch(address[] to, bytes[] data)',
  'function executeBatch(address[] to, uint256[] values, bytes[] data)',
  'function executeBatch((address to, uint256 value, bytes data)[] calls)',
]);
const SELECTOR_BYTES = 4;

/** The calls that an account makes for this call data; undefined where its function is none of the usual. */
export function readCalls(callData: string): readonly Call[] | undefined {
  if (!isHex(callData)) return undefined;
  try {
    const { functionName, args } = decodeFunctionData({ abi: ABI, data: callData });
    if (functionName === 'execute') return [callOf(...args)];
    if (args.length === 1) return args[0].map(({ to, value, data }) => callOf(to, value, data));
    const targets = args[0];
    const values = args.length === 3 ? args[1] : targets.map(() => 0n);
    const data = args.length === 3 ? args[2] : args[1];
    if (targets.length !== values.length || targets.length !== data.length) return undefined;
    return targets.map((to, index) => callOf(to, values[index] ?? 0n, data[index] ?? '0x'));
  } catch {
    return undefined;
  }
}

function callOf(to: string, value: bigint, data: Hex): Call {
  const selector = size(data) < SELECTOR_BYTES ? null : slice(data, 0, SELECTOR_BYTES);
  return { to: to.toLowerCase(), valueWei: value.toString(), selector };
}
