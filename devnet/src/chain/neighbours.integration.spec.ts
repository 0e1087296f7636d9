import { numberToHex } from 'viem';
import type { Hex } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { rpc } from './json-rpc';
import { startAnvil } from '../processes/anvil';
import { stopAllProcesses } from '../processes/process-registry';
import { Neighbours, USUAL_BASE_FEE_WEI } from './neighbours';

const GWEI = 10n ** 9n;

let url: string;
let neighbours: Neighbours;

beforeAll(async () => {
  ({ url } = await startAnvil({ blockTimeSeconds: 1, blockGasLimit: 60_000_000 }));
  neighbours = await Neighbours.moveIn(url);
  neighbours.start();
});

afterAll(() => {
  neighbours.stop();
  return stopAllProcesses();
});

async function newestBlock(): Promise<{ number: Hex; baseFeeWei: bigint; gasUsed: bigint }> {
  const block = await rpc<Record<'number' | 'baseFeePerGas' | 'gasUsed', Hex>>(url, 'eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  return { number: block.number, baseFeeWei: BigInt(block.baseFeePerGas), gasUsed: BigInt(block.gasUsed) };
}

async function tipOf(block: Hex): Promise<bigint> {
  const { reward } = await rpc<{ reward: Hex[][] }>(url, 'eth_feeHistory', ['0x1', block, [50]]);
  return BigInt(reward[0]?.[0] ?? '0x0');
}

/** @returns the number of a block that the neighbours filled, at this base fee */
const untilBaseFee = (isIt: (baseFeeWei: bigint) => boolean): Promise<Hex> =>
  until(async () => {
    const { number, baseFeeWei, gasUsed } = await newestBlock();
    return isIt(baseFeeWei) && gasUsed >= 30_000_000n && number;
  });

const isNear = (wantedWei: bigint) => (wei: bigint) => 100n * wei > 96n * wantedWei && 100n * wei < 104n * wantedWei;

it('put the base fee back after blocks that they missed', async () => {
  await untilBaseFee(isNear(USUAL_BASE_FEE_WEI));
  await rpc(url, 'anvil_mine', ['0x4']);
  const missed = await newestBlock();
  expect(missed.baseFeeWei).toBeLessThan((USUAL_BASE_FEE_WEI * 7n) / 10n);
  const blocks = BigInt(await untilBaseFee(isNear(USUAL_BASE_FEE_WEI))) - BigInt(missed.number) + 1n;
  // By no more than a full block would raise it: wallets have made room for that.
  const { baseFeePerGas } = await rpc<{ baseFeePerGas: Hex[] }>(url, 'eth_feeHistory', [
    numberToHex(blocks),
    'latest',
    [],
  ]);
  const fees = baseFeePerGas.map(Number);
  for (const [at, fee] of fees.slice(1).entries()) expect(fee / fees[at]!).toBeLessThan(1.1251);
});

it('put the base fee back at once after a day of blocks that they missed', async () => {
  await rpc(url, 'anvil_mine', ['0x258']);
  expect((await newestBlock()).baseFeeWei).toBeLessThan(100n);
  const blocks = BigInt((await newestBlock()).number);
  expect(BigInt(await untilBaseFee(isNear(USUAL_BASE_FEE_WEI))) - blocks).toBeLessThan(10n);
});

it('tip a part of the base fee, which is what the node suggests to wallets', async () => {
  expect(await tipOf(await untilBaseFee(isNear(USUAL_BASE_FEE_WEI)))).toBe(USUAL_BASE_FEE_WEI / 4n);
  expect(BigInt(await rpc<Hex>(url, 'eth_maxPriorityFeePerGas', []))).toBe(USUAL_BASE_FEE_WEI / 4n);
});

it('keep the base fee where somebody sets it, and tip a part of it', async () => {
  await rpc(url, 'anvil_setNextBlockBaseFeePerGas', [numberToHex(15n * GWEI)]);
  await untilBaseFee(isNear(15n * GWEI));
  await rpc(url, 'anvil_mine', ['0x4']);
  expect(await tipOf(await untilBaseFee(isNear(15n * GWEI)))).toBe((15n * GWEI) / 4n);
});
