import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '@paymaster/devnet';
import { numberToHex } from 'viem';
import { publicClient } from './chain';
import { eventually, PATIENCE_MS } from './eventually';
import { call, http, resultOf } from './json-rpc';

/** How far the local chain's finalized block is behind its head. */
const BLOCKS_TO_FINALITY = 2;
/** The pause between two looks: settlement asks the ledger for its gauges at each, and reads the chain four times a second. */
const LOOK_MS = 100;

/** Makes everything on chain final without waiting for blocks; returns once the ledger's books have it. */
export async function untilBooked(stack: Stack): Promise<void> {
  const block = Number(await publicClient(stack).getBlockNumber({ cacheTime: 0 }));
  for (let mined = 0; mined < BLOCKS_TO_FINALITY; mined++) await mineAtSameFee(stack);
  await eventually(PATIENCE_MS, async () => {
    await sleep(LOOK_MS);
    const final = await finalBlockOfBooks(stack);
    if (!(final >= block)) throw new Error(`the books end at block ${final}, before ${block}`);
  });
}

/** From settlement's metrics. */
async function finalBlockOfBooks(stack: Stack): Promise<number> {
  const { text } = await http({ url: `${stack.settlement}/metrics`, method: 'GET', headers: {} });
  return Number(/^settlement_final_block\{.*\} (\d+)$/m.exec(text)?.[1]);
}

/** An empty block would lower the base fee, by which wallets of other tests have set their fees already. */
async function mineAtSameFee(stack: Stack): Promise<void> {
  const { baseFeePerGas } = await publicClient(stack).getBlock();
  const chain = async (method: string, ...params: unknown[]) =>
    resultOf(await call({ url: stack.chainRpc, method, params }));
  await chain('anvil_setNextBlockBaseFeePerGas', numberToHex(baseFeePerGas ?? 0n));
  await chain('evm_mine');
}
