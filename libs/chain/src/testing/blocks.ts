/** A block as `eth_getBlockByNumber` answers it, for the methods of a fake RPC server. */
export function wireBlock(block: { number: number; timestampSeconds: number; baseFeePerGasWei?: bigint }) {
  return {
    number: `0x${block.number.toString(16)}`,
    timestamp: `0x${block.timestampSeconds.toString(16)}`,
    baseFeePerGas: `0x${(block.baseFeePerGasWei ?? 1n).toString(16)}`,
  };
}
