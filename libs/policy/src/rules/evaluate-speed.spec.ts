import {
  policySnapshotBuilder,
  randomAddress,
  randomHex,
  rulesPolicyBuilder,
  userOperationV06Builder,
} from '@paymaster/domain/testing';
import type { Hex } from '@paymaster/domain';
import { checkPolicies } from '../policies/check-policies';
import { decodeCalls } from '../accounts/decode-calls';
import * as encode from '../testing/encode-calls';
import { compilePolicy } from '../policies/compile-policy';
import { evaluate } from './evaluate';

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
      if (evaluate({ operation, decoded, policy, hasCode: true }).allowed) sponsored++;
    }
    const microseconds = Number(process.hrtime.bigint() - start) / 1_000 / ROUNDS;
    process.stdout.write(`decode and evaluate, ${length} calls: ${microseconds.toFixed(1)} us\n`);
    expect(sponsored).toBe(ROUNDS);
  });

  it.each([0, 1, 10])('should ask %i policies twice for every operation, and prints its time', (count) => {
    const to = randomAddress();
    const policies = Array.from({ length: count }, () =>
      rulesPolicyBuilder({
        deniedSenders: [randomAddress()],
        maxTotalValueWei: 1n,
        arguments: [{ contract: to, method: 'mint(address,uint256)', index: 1, operator: 'GT', values: ['10'] }],
        limits: [{ id: 'a', scope: 'USER', measure: 'WEI', amount: 10n, cycle: 'MONTH' }],
      }).build(),
    );
    const policy = compilePolicy(policySnapshotBuilder().with('policies', policies).build());
    const operation = userOperationV06Builder()
      .with(
        'callData',
        encode.encodeSingle('execute', [{ to, valueWei: 0n, data: `${mint}${'0'.repeat(24)}${'11'.repeat(52)}` }]),
      )
      .build();
    const decoded = decodeCalls({ callData: operation.callData, entryPointVersion: '0.6' });
    const facts = { nowSeconds: 1_700_000_000, baseFeePerGas: 1n, eip7702Delegate: undefined, outcomes: new Map() };
    const question = { policy, operation, calls: decoded.understood ? decoded.calls : [], ...facts };

    let sponsored = 0;
    const start = process.hrtime.bigint();
    for (let round = 0; round < ROUNDS; round++) {
      const costs = { prechargeWei: 1n, estimatedCallGas: 1n };
      const early = checkPolicies({ ...question, costs: undefined });
      if (early.allowed && checkPolicies({ ...question, costs }).allowed) sponsored++;
    }
    const microseconds = Number(process.hrtime.bigint() - start) / 1_000 / ROUNDS;
    process.stdout.write(`ask ${count} policies twice: ${microseconds.toFixed(1)} us\n`);
    expect(sponsored).toBe(ROUNDS);
  });
});
