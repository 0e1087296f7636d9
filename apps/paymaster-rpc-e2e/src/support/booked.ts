import type { Stack } from '@paymaster/devnet';
import { publicClient } from './chain';
import { eventually, PATIENCE_MS } from './eventually';
import { call, http, resultOf } from './json-rpc';

/** How far the local chain's finalized block is behind its head. */
const BLOCKS_TO_FINALITY = '0x2';

/** Makes everything on chain final without waiting for blocks; returns once the ledger's books have it. */
export async function untilBooked(stack: Stack): Promise<void> {
  const block = Number(await publicClient(stack).getBlockNumber({ cacheTime: 0 }));
  resultOf(await call({ url: stack.chainRpc, method: 'anvil_mine', params: [BLOCKS_TO_FINALITY] }));
  await eventually(PATIENCE_MS, async () => {
    const final = await finalBlockOfBooks(stack);
    if (!(final >= block)) throw new Error(`the books end at block ${final}, before ${block}`);
  });
}

/** From settlement's metrics. */
async function finalBlockOfBooks(stack: Stack): Promise<number> {
  const { text } = await http({ url: `${stack.settlement}/metrics`, method: 'GET', headers: {} });
  return Number(/^settlement_final_block\{.*\} (\d+)$/m.exec(text)?.[1]);
}
