/** Parts of the local world as containers, each a process of its own: docker/compose.yaml, profile `devnet`. */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { connectDevChain } from './chain/dev-chain';
import { DEV_KEYS } from './chain/dev-keys';
import { keepFeedsFresh } from './chain/price-feeds';
import { startAnvil } from './processes/anvil';
import { startBundler } from './chain/bundler';
import { stopAllProcesses } from './processes/process-registry';
import { writeChainsFile } from './stack/chains-json';
import { writeTokenList } from './stack/token-list';
import { contracts } from './stack/world-parts';

const HELP = `Usage: node -r ./devnet/load-typescript.cjs devnet/src/container.main.ts PART

  chain       anvil on all addresses, port 8545; its state is kept in data/
  contracts   deploys what is not there yet on CHAIN_RPC_URL, writes data/chains.json with BUNDLER_URL in it and
              data/tokens.json, and keeps the price feeds fresh
  bundler     alto on port 4337, for CHAIN_RPC_URL

DATA_FOLDER names another folder than data.
`;

const CHAIN_PORT = 8545;
const BUNDLER_PORT = 4337;
const DATA = resolve(process.env['DATA_FOLDER'] ?? 'data');

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main([part = 'none']: string[]): Promise<void> {
  // Keeps the process up; what it started must not.
  const ended = new Promise<void>((end) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end());
    setInterval(() => undefined, 60_000);
  });
  switch (part) {
    case 'chain':
      await ending(
        ended,
        await startAnvil({ host: '0.0.0.0', port: CHAIN_PORT, stateFile: join(DATA, 'state.json'), log: print }),
      );
      break;
    case 'contracts':
      await keepContracts(ended);
      break;
    case 'bundler':
      await ending(ended, await bundler());
      break;
    default:
      print(HELP);
      process.exitCode = part === '--help' ? 0 : 2;
  }
}

async function keepContracts(ended: Promise<void>): Promise<void> {
  const chainRpc = variable('CHAIN_RPC_URL');
  const chainsFile = join(DATA, 'chains.json');
  const tokensFile = join(DATA, 'tokens.json');
  mkdirSync(DATA, { recursive: true });
  // Whoever waits for it must not find the one of an earlier start.
  rmSync(chainsFile, { force: true });
  const chain = await connectDevChain({ rpcUrl: chainRpc, privateKey: DEV_KEYS.owner.privateKey });
  const { paymasters, tokens, feeds } = await contracts({ progress: print }, chain);
  const { chainId } = chain;
  writeTokenList(tokensFile, { chainId, tokens, feeds });
  writeChainsFile(chainsFile, { chainId, chainRpc, bundler: variable('BUNDLER_URL'), paymasters, feeds, tokensFile });
  const operator = await connectDevChain({ rpcUrl: chainRpc, privateKey: DEV_KEYS.feedOperator.privateKey });
  const keeper = keepFeedsFresh(operator, feeds);
  print('ready');
  await ended;
  keeper.stop();
}

function bundler() {
  return startBundler({
    chainRpc: variable('CHAIN_RPC_URL'),
    port: BUNDLER_PORT,
    onAllAddresses: true,
    log: print,
  });
}

/** Until somebody asks for the end; @throws when the server ends by itself. */
async function ending(ended: Promise<void>, server: { died: Promise<string> }): Promise<void> {
  await Promise.race([ended, server.died.then((how) => Promise.reject(new Error(how)))]);
  await stopAllProcesses();
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.\n\n${HELP}`);
  return value;
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
