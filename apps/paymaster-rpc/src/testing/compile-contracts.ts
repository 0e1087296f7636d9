import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Abi } from 'viem';
import { compileSolidity } from '@paymaster/chain/testing';
import type { Hex } from '@paymaster/domain';

/** A contract that only tests deploy. */
export interface TestContract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const ROOT = join(__dirname, '../../../..');
const SOURCES = {
  TokenAccount: 'contracts/test/support/tokens/TokenAccount.sol',
  WeirdToken: 'contracts/test/support/tokens/WeirdToken.sol',
  Trap: 'apps/paymaster-rpc/src/testing/Trap.sol',
  SiphonAccount: 'apps/paymaster-rpc/proofs/siphon/SiphonAccount.sol',
  SiphonTarget: 'apps/paymaster-rpc/proofs/siphon/SiphonTools.sol',
  SiphonFactory: 'apps/paymaster-rpc/proofs/siphon/SiphonTools.sol',
  SiphonInflater: 'apps/paymaster-rpc/proofs/siphon/SiphonTools.sol',
} as const;
export type TestContractName = keyof typeof SOURCES;

let compiled: Record<TestContractName, TestContract> | undefined;

/** The hostile contracts of the suite, from their sources. */
export function testContracts(): Record<TestContractName, TestContract> {
  return (compiled ??= compile());
}

function compile(): Record<TestContractName, TestContract> {
  const sources = Object.values(SOURCES).map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]);
  return compileSolidity(Object.fromEntries(sources) as Record<string, string>, 200) as unknown as Record<
    TestContractName,
    TestContract
  >;
}
