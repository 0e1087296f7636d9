import { decodeAbiParameters, isHex, parseAbiParameters, size, slice, toFunctionSelector, type Hex } from 'viem';
import type { Schemas } from '../api/queries';

type Call = Schemas['TargetView'];

const SELECTOR_BYTES = 4;
const SINGLE = parseAbiParameters('address, uint256, bytes');
const BATCH = parseAbiParameters('address[], bytes[]');
const BATCH_WITH_VALUES = parseAbiParameters('address[], uint256[], bytes[]');
const STRUCTS = parseAbiParameters('(address to, uint256 value, bytes data)[]');

/** The ways in which most accounts take calls. The gateway knows more of them, and decides by its own reading. */
const READERS: Readonly<Record<Hex, (data: Hex) => readonly Call[] | undefined>> = {
  [toFunctionSelector('execute(address,uint256,bytes)')]: (data) => [callOf(...decodeAbiParameters(SINGLE, data))],
  [toFunctionSelector('executeBatch(address[],bytes[])')]: (data) => {
    const [targets, calls] = decodeAbiParameters(BATCH, data);
    return together(
      targets,
      targets.map(() => 0n),
      calls,
    );
  },
  [toFunctionSelector('executeBatch(address[],uint256[],bytes[])')]: (data) =>
    together(...decodeAbiParameters(BATCH_WITH_VALUES, data)),
  [toFunctionSelector('executeBatch((address,uint256,bytes)[])')]: (data) =>
    decodeAbiParameters(STRUCTS, data)[0].map(({ to, value, data: call }) => callOf(to, value, call)),
};

/** The calls that an account makes for this call data; undefined where its function is none of the usual. */
export function readCalls(callData: string): readonly Call[] | undefined {
  if (!isHex(callData) || size(callData) <= SELECTOR_BYTES) return undefined;
  try {
    return READERS[slice(callData, 0, SELECTOR_BYTES)]?.(slice(callData, SELECTOR_BYTES));
  } catch {
    return undefined;
  }
}

function together(targets: readonly string[], values: readonly bigint[], calls: readonly Hex[]) {
  if (targets.length !== values.length || targets.length !== calls.length) return undefined;
  return targets.map((to, index) => callOf(to, values[index] ?? 0n, calls[index] ?? '0x'));
}

function callOf(to: string, value: bigint, data: Hex): Call {
  const selector = size(data) < SELECTOR_BYTES ? null : slice(data, 0, SELECTOR_BYTES);
  return { to: to.toLowerCase(), valueWei: value.toString(), selector };
}
