import { policySnapshotBuilder, randomAddress, randomHex, userOperationV06Builder } from '@paymaster/domain/testing';
import type { Hex } from '@paymaster/domain';
import { decodeCalls } from '../decode/decode-calls';
import * as encode from '../testing/encode-calls';
import { compilePolicy } from './compile-policy';
import { evaluate } from './evaluate';

// Far above what it takes: a busy machine must not fail it.
jest.setTimeout(60_000);
const ROUNDS = 20_000;
const mint: Hex = '0x40c10f19';

describe('evaluate, on the hot path', () => {
  it.each([
    [1, (calls: encode.TestCall[]) => encode.encodeSingle('executeNcC', calls)],
    [3, (calls: encode.TestCall[]) => encode.encodeBatch('executeBatchY6U', calls)],
  ] as const)('should sponsor every operation of %i calls, and prints its time', (length, encodeCalls) => {
    const contracts = Array.from({ length: 5 }, () => ({ address: randomAddress(), selectors: [mint, randomHex(4)] }));
    const policy = compilePolicy(policySnapshotBuilder().with('contracts', contracts).build());
    const calls = contracts
      .slice(0, length)
      .map(({ address: to }) => ({ to, valueWei: 0n, data: `${mint}${'11'.repeat(64)}` }));
    const operation = userOperationV06Builder().with('callData', encodeCalls(calls)).build();

    let sponsored = 0;
    const start = process.hrtime.bigint();
    for (let round = 0; round < ROUNDS; round++) {
      const decoded = decodeCalls({ callData: operation.callData, entryPointVersion: '0.6' });
      if (evaluate({ operation, decoded, policy }).allowed) sponsored++;
    }
    const microseconds = Number(process.hrtime.bigint() - start) / 1_000 / ROUNDS;
    process.stdout.write(`decode and evaluate, ${length} calls: ${microseconds.toFixed(1)} us\n`);
    expect(sponsored).toBe(ROUNDS);
  });
});
