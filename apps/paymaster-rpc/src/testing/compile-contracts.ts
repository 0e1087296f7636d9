import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Abi } from 'viem';
import type { Hex } from '@paymaster/domain';

/** A contract that only tests deploy. */
export interface TestContract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

interface Solc {
  compile(input: string, options: { import: (path: string) => { contents: string } | { error: string } }): string;
}

interface SolcOutput {
  readonly errors?: ReadonlyArray<{ severity: string; formattedMessage: string }>;
  readonly contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
}

const ROOT = join(__dirname, '../../../..');
const SOURCES = {
  TokenAccount: 'contracts/test/support/tokens/TokenAccount.sol',
  WeirdToken: 'contracts/test/support/tokens/WeirdToken.sol',
  Trap: 'apps/paymaster-rpc/src/testing/Trap.sol',
  SiphonAccount: 'apps/paymaster-rpc/src/siphon/SiphonAccount.sol',
  SiphonTarget: 'apps/paymaster-rpc/src/siphon/SiphonTools.sol',
  SiphonFactory: 'apps/paymaster-rpc/src/siphon/SiphonTools.sol',
  SiphonInflater: 'apps/paymaster-rpc/src/siphon/SiphonTools.sol',
} as const;
export type TestContractName = keyof typeof SOURCES;

let compiled: Record<TestContractName, TestContract> | undefined;

/** The hostile contracts of the suite, from their sources; compiled once per test file, in some seconds. */
export function testContracts(): Record<TestContractName, TestContract> {
  return (compiled ??= compile());
}

function compile(): Record<TestContractName, TestContract> {
  const require = createRequire(__filename);
  const solc = require('solc') as Solc;
  const sources = Object.values(SOURCES).map((path) => [path, { content: readFileSync(join(ROOT, path), 'utf8') }]);
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const readImport = (path: string) => {
    const own = join(ROOT, path);
    return { contents: readFileSync(existsSync(own) ? own : require.resolve(path), 'utf8') };
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport })) as SolcOutput;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const contracts = Object.entries(SOURCES).map(([name, path]) => {
    const contract = output.contracts[path]?.[name];
    if (!contract) throw new Error(`${path} has no contract ${name}`);
    return [name, { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }];
  });
  return Object.fromEntries(contracts) as Record<TestContractName, TestContract>;
}
