import type { Hex } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { rpc } from './json-rpc';
import { startAnvil } from '../processes/anvil';
import { stopAllProcesses } from '../processes/process-registry';
import { keepBaseFee, Neighbours, USUAL_BASE_FEE_WEI } from './neighbours';

const GWEI = 10n ** 9n;

let url: string;
let neighbours: Neighbours;

// The test mines each block when the neighbours are ready for it: a chain with a clock leaves them behind on a busy machine.
beforeAll(async () => {
  ({ url } = await startAnvil({ blockGasLimit: 60_000_000 }));
  await rpc(url, 'evm_setIntervalMining', [0]);
  neighbours = await Neighbours.moveIn(url);
  neighbours.start();
});

afterAll(() => {
  neighbours.stop();
  return stopAllProcesses();
});

const newestBaseFee = async (): Promise<bigint> => {
  const { baseFeePerGas } = await rpc<{ baseFeePerGas: Hex }>(url, 'eth_getBlockByNumber', ['latest', false]);
  return BigInt(baseFeePerGas);
};

/** Mines a block once the neighbours' transaction waits for it. @returns its base fee */
async function mineTheirs(): Promise<bigint> {
  await until(async () => (await rpc<{ pending: Hex }>(url, 'txpool_status', [])).pending !== '0x0', 'they are ready');
  await rpc(url, 'evm_mine', []);
  return newestBaseFee();
}

/** Mines until the base fee is near. @returns the base fee of each block */
async function mineUntilNear(wantedWei: bigint): Promise<readonly bigint[]> {
  const fees: bigint[] = [];
  while (!fees.some((wei) => 100n * wei > 96n * wantedWei && 100n * wei < 104n * wantedWei)) {
    fees.push(await mineTheirs());
  }
  return fees;
}

async function newestTip(): Promise<bigint> {
  const { reward } = await rpc<{ reward: Hex[][] }>(url, 'eth_feeHistory', ['0x1', 'latest', [50]]);
  return BigInt(reward[0]?.[0] ?? '0x0');
}

it('put the base fee back after blocks that they missed', async () => {
  await mineUntilNear(USUAL_BASE_FEE_WEI);
  neighbours.stop();
  // The first of these has their transaction.
  await rpc(url, 'anvil_mine', ['0x5']);
  neighbours.start();
  const missed = await newestBaseFee();
  expect(missed).toBeLessThan((USUAL_BASE_FEE_WEI * 7n) / 10n);
  const fees = [missed, ...(await mineUntilNear(USUAL_BASE_FEE_WEI))].map(Number);
  // By no more than a full block would raise it: wallets have made room for that.
  for (const [at, fee] of fees.slice(1).entries()) expect(fee / fees[at]!).toBeLessThan(1.1251);
});

it('put the base fee back at once after a day of blocks that they missed', async () => {
  neighbours.stop();
  await rpc(url, 'anvil_mine', ['0x258']);
  expect(await newestBaseFee()).toBeLessThan(100n);
  neighbours.start();
  expect((await mineUntilNear(USUAL_BASE_FEE_WEI)).length).toBe(1);
});

it('tip a part of the base fee, which is what the node suggests to wallets', async () => {
  await mineTheirs();
  expect(await newestTip()).toBe(USUAL_BASE_FEE_WEI / 4n);
  expect(BigInt(await rpc<Hex>(url, 'eth_maxPriorityFeePerGas', []))).toBe(USUAL_BASE_FEE_WEI / 4n);
});

it.each([15n, 4n, 15n])('keep the base fee where somebody sets it, at %s gwei, and tip a part of it', async (gwei) => {
  await mineTheirs();
  await keepBaseFee(url, gwei * GWEI);
  await rpc(url, 'anvil_mine', ['0x5']);
  await mineUntilNear(gwei * GWEI);
  await mineTheirs();
  expect(await newestTip()).toBe((gwei * GWEI) / 4n);
});
