import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import type { InterfaceAbi } from 'ethers';

const load = createRequire(join(process.cwd(), 'package.json'));

export interface CompiledContract {
  readonly abi: InterfaceAbi;
  readonly bytecode: string;
}

interface SolcOutput {
  readonly errors?: ReadonlyArray<{ severity: string; formattedMessage: string }>;
  readonly contracts?: Record<string, Record<string, { abi: InterfaceAbi; evm: { bytecode: { object: string } } }>>;
}

interface Solc {
  compile(input: string, callbacks: { import(path: string): { contents: string } | { error: string } }): string;
}

/**
 * Compiles Solidity for a test, with the settings of contracts/foundry.toml.
 *
 * @param sources source text by path from the root of the repository; what they import is read from there
 * @returns the contracts of all files, by name
 */
export function compileSolidity(sources: Readonly<Record<string, string>>): Record<string, CompiledContract> {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    settings: {
      optimizer: { enabled: true, runs: 1_000_000 },
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const solc = load('solc') as Solc;
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport })) as SolcOutput;
  const fault = output.errors?.find(({ severity }) => severity === 'error');
  if (fault) throw new Error(fault.formattedMessage);
  return Object.fromEntries(
    Object.values(output.contracts ?? {}).flatMap((contracts) =>
      Object.entries(contracts).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]),
    ),
  );
}

/** The contracts of a file of this repository. */
export function compileSolidityFile(path: string): Record<string, CompiledContract> {
  return compileSolidity({ [posix.normalize(path)]: readFileSync(join(process.cwd(), path), 'utf8') });
}

function readImport(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(path.startsWith('@') ? packageFile(path) : join(process.cwd(), path), 'utf8') };
  } catch (error) {
    return { error: String(error) };
  }
}

/** `exports` of packages hide most of their files. */
function packageFile(path: string): string {
  const [scope = '', name = '', ...rest] = path.split('/');
  return join(dirname(load.resolve(`${scope}/${name}/package.json`)), ...rest);
}
