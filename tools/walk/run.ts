import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CANONICAL_ACCOUNT_FACTORIES,
  connectDevChain,
  deployCanonicalContracts,
  DEV_KEYS,
  freePort,
  readStack,
  stackFile,
  startAnvil,
  startBundler,
  startNats,
  startPostgres,
  stopAllProcesses,
} from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS } from '@paymaster/domain';
import { encryptKeystoreJson } from 'ethers';
import { shellBlocks, walkScript } from './shell-blocks';

const ROOT = join(__dirname, '../..');
const INSTALL_PAGE = 'docs/operations/install.md';
const WITHIN_MS = 10 * 60_000;

/** What the page says is the operator's, as the variables that it names. */
async function startSurroundings(folder: string): Promise<NodeJS.ProcessEnv> {
  const [postgres, nats, anvil] = await Promise.all([
    startPostgres(),
    startNats({ dataDir: join(folder, 'nats') }),
    startAnvil(),
  ]);
  const chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
  await deployCanonicalContracts(chain);
  const bundler = await startBundler({
    chainRpc: anvil.url,
    entryPoints: [CANONICAL_ENTRY_POINTS['0.7']],
  });
  const [keystore, passphrase] = [join(folder, 'owner.json'), join(folder, 'owner-passphrase')];
  writeFileSync(keystore, await encryptKeystoreJson(DEV_KEYS.fundingWallet, 'a walk', { scrypt: { N: 1_024 } }));
  writeFileSync(passphrase, 'a walk\n');
  const [dashboard, gateway, settlement] = await Promise.all([freePort(), freePort(), freePort()]);
  return {
    INSTALLATION: join(folder, 'installation'),
    RPC_URL: anvil.url,
    BUNDLER_URL: bundler.url,
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    OWNER_KEYSTORE: keystore,
    OWNER_PASSPHRASE_FILE: passphrase,
    ACCOUNT_FACTORY: CANONICAL_ACCOUNT_FACTORIES['0.7'],
    DASHBOARD_PORT: String(dashboard),
    GATEWAY_PORT: String(gateway),
    SETTLEMENT_PORT: String(settlement),
  };
}

/** @returns the exit code of the page's commands */
function walk(page: string, env: NodeJS.ProcessEnv): Promise<number> {
  const script = walkScript(shellBlocks(readFileSync(join(ROOT, page), 'utf8')));
  // A group of its own: the services that the page starts end with it.
  const shell = spawn('bash', ['-c', script], {
    ...{ cwd: ROOT, stdio: 'inherit', detached: true },
    env: { ...process.env, ...env },
  });
  const endGroup = (signal: NodeJS.Signals): void => {
    try {
      if (shell.pid) process.kill(-shell.pid, signal);
    } catch {
      // Nobody of the group is left.
    }
  };
  const late = setTimeout(() => endGroup('SIGKILL'), WITHIN_MS);
  return new Promise((resolve) => {
    shell.once('exit', (code) => {
      clearTimeout(late);
      endGroup('SIGKILL');
      resolve(code ?? 1);
    });
  });
}

/** The README's commands start nothing: they use the local world that runs. */
function walkReadme(): Promise<number> {
  readStack();
  return walk('README.md', { STACK_FILE: stackFile() });
}

async function walkInstallation(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-walk-'));
  process.stdout.write(`${INSTALL_PAGE}, step by step; the surroundings come up first (half a minute) …\n`);
  let code = 1;
  try {
    code = await walk(INSTALL_PAGE, await startSurroundings(folder));
    return code;
  } finally {
    await stopAllProcesses();
    if (code === 0) rmSync(folder, { recursive: true, force: true });
    else process.stdout.write(`The logs are in ${join(folder, 'installation')}\n`);
  }
}

(process.argv[2] === '--readme' ? walkReadme() : walkInstallation()).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
