import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The packages that the snippets name, at these versions. */
const PACKAGES = join(__dirname, '../../../paymaster-rpc-e2e/clients/node_modules');
/** Blocks become final within seconds, and a deposit counts only then. */
const TRIES_MS = 120_000;

/**
 * Runs the code of the page as a reader does: in a folder of its own with the packages that it names, from a file, as it
 * is. Is it refused because a deposit does not count yet, it is run again.
 *
 * @param sdk as the page names it; `JSON-RPC` is run by sh, all others by Node
 * @returns what it prints
 */
export async function runSnippet(sdk: string, code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'snippet-'));
  try {
    await expectPinned(code);
    await symlink(PACKAGES, join(folder, 'node_modules'));
    const [program, file] = sdk === 'JSON-RPC' ? ['sh', 'first.sh'] : [process.execPath, 'first.mjs'];
    await writeFile(join(folder, file), code);
    for (const deadline = Date.now() + TRIES_MS; ;) {
      const { failed, printed } = await run(program, file, folder);
      const isEarly = /deposit/i.test(printed) && Date.now() < deadline;
      if (!failed && !isEarly) return printed;
      if (!isEarly) throw new Error(`${sdk}: ${printed}\n\n${code}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(program: string, file: string, cwd: string): Promise<{ failed: boolean; printed: string }> {
  return new Promise((resolve) => {
    execFile(program, [file], { cwd, timeout: TRIES_MS }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, printed: error ? `${stdout}${stderr}` : stdout }),
    );
  });
}

/** The code names the packages as they are here: `npm i viem@2.57.20`. */
async function expectPinned(code: string): Promise<void> {
  const [, list = ''] = /npm i (.+)/.exec(code) ?? [];
  for (const named of list.split(' ').filter(Boolean)) {
    const name = named.slice(0, named.lastIndexOf('@'));
    const { version } = JSON.parse(await readFile(join(PACKAGES, name, 'package.json'), 'utf8')) as { version: string };
    expect(named).toBe(`${name}@${version}`);
  }
}
