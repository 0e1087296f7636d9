/** Unix seconds on chain; `ChainHead` of libs/chain is one. Throws while no block was seen. */
export interface ChainTime {
  nowSeconds(): number;
}
