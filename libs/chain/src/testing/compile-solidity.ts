import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import type { InterfaceAbi } from 'ethers';

const load = createRequire(join(process.cwd(), 'package.json'));
/** What was compiled before, a file per input. solc-js takes seconds, and every test file would wait for it again. */
const CACHE = join(process.cwd(), 'node_modules/.cache/paymaster-solidity');

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

interface Compiled {
  /** The sources' imports: hash of the content by path. */
  readonly imports: Readonly<Record<string, string>>;
  readonly contracts: Record<string, CompiledContract>;
}

/**
 * Compiles Solidity for a test, with the settings of contracts/foundry.toml.
 *
 * @param sources source text by path from the root of the repository; what they import is read from there
 * @param runs how often the optimizer expects the code to run
 * @returns the contracts of all files, by name
 */
export function compileSolidity(
  sources: Readonly<Record<string, string>>,
  runs = 1_000_000,
): Record<string, CompiledContract> {
  const input = JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    settings: {
      optimizer: { enabled: true, runs },
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  });
  const file = join(CACHE, `${hashOf(`${compilerVersion()} ${input}`)}.json`);
  const known = readCompiled(file);
  if (known) return known.contracts;
  const compiled = compile(input);
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(compiled));
  renameSync(`${file}.${process.pid}`, file);
  return compiled.contracts;
}

function compile(input: string): Compiled {
  const solc = load('solc') as Solc;
  const imports: Record<string, string> = {};
  const readAndNote = (path: string) => {
    const read = readImport(path);
    if ('contents' in read) imports[path] = hashOf(read.contents);
    return read;
  };
  const output = JSON.parse(solc.compile(input, { import: readAndNote })) as SolcOutput;
  const fault = output.errors?.find(({ severity }) => severity === 'error');
  if (fault) throw new Error(fault.formattedMessage);
  const contracts = Object.values(output.contracts ?? {}).flatMap((ofFile) => Object.entries(ofFile));
  return {
    imports,
    contracts: Object.fromEntries(
      contracts.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]),
    ),
  };
}

/** Nothing where the file is not there, or where an imported file has changed since. */
function readCompiled(file: string): Compiled | undefined {
  let compiled: Compiled;
  try {
    compiled = JSON.parse(readFileSync(file, 'utf8')) as Compiled;
  } catch {
    return undefined;
  }
  const same = Object.entries(compiled.imports).every(([path, hash]) => {
    const read = readImport(path);
    return 'contents' in read && hashOf(read.contents) === hash;
  });
  return same ? compiled : undefined;
}

function compilerVersion(): string {
  return (JSON.parse(readFileSync(load.resolve('solc/package.json'), 'utf8')) as { version: string }).version;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
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
