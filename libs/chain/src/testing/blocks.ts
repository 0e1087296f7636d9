/** A block as `eth_getBlockByNumber` answers it, for the methods of a fake RPC server. */
export function wireBlock(block: { number: number; timestampSeconds: number; baseFeePerGasWei?: bigint }) {
  return {
    number: `0x${block.number.toString(16)}`,
    timestamp: `0x${block.timestampSeconds.toString(16)}`,
    baseFeePerGas: `0x${(block.baseFeePerGasWei ?? 1n).toString(16)}`,
  };
}

/** A header as nodes answer it: each number's block is the child of the one before it. No logs. */
export function wireHeader(number: number) {
  const hashOf = (of: number) => `0x${(of + 0xb10c_0000).toString(16).padStart(64, '0')}`;
  return {
    number: `0x${number.toString(16)}`,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: `0x${(2 * number).toString(16)}`,
    logsBloom: `0x${'00'.repeat(256)}`,
  };
}
