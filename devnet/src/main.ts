/** The command behind `npm start`; tools/start.mjs prepares the machine and hands its arguments on. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { demonstrate } from './demonstration/demonstrate';
import { DEMO_ACCOUNT } from './stack/seed';
import { signInLink } from './stack/sign-in-link';
import { startStack, type RunningStack } from './stack/start-stack';
import { DEFAULT_DATA_DIR } from './stack/stack-file';
import { stopAllProcesses } from './processes/process-registry';

const DEFAULT_BASE_PORT = 4300;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      once: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      'no-demo': { type: 'boolean', default: false },
      'port-base': { type: 'string', default: String(DEFAULT_BASE_PORT) },
      'data-dir': { type: 'string', default: DEFAULT_DATA_DIR },
    },
  });
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const progress = values.quiet ? () => undefined : print;

  const ended = untilAskedToEnd();
  const world = startStack({ dataDir: resolve(values['data-dir']), basePort: Number(values['port-base']), progress });
  const interrupted = ended.then((why) => Promise.reject(new Interrupted(why)));
  interrupted.catch(() => undefined);

  let running: RunningStack | undefined;
  try {
    running = await Promise.race([world, interrupted]);
    if (!values['no-demo']) await Promise.race([demonstrate(running.stack, print), interrupted, dies(running)]);
    progress('');
    progress(`Everything is described in ${running.stackFile}`);
    if (values.once) return;
    process.send?.('ready');
    print(`The page       ${running.stack.dashboard}`);
    print(`Sign in        ${await signInLink(running.stack)} (once, within 15 minutes)`);
    print(`               another link: npm run account -- sign-in-code --account ${DEMO_ACCOUNT}`);
    print('The local world is up; Ctrl-C ends it.');
    await Promise.race([interrupted, dies(running)]);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    progress(`Stopping (${error.message}).`);
  } finally {
    await (running?.stop() ?? stopAllProcesses());
  }
}

class Interrupted extends Error {}

/** Ctrl-C, a signal, or the end of the command that started us. */
function untilAskedToEnd(): Promise<string> {
  return new Promise((resolveReason) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolveReason(signal));
    process.on('disconnect', () => resolveReason('the command that started it has ended'));
    // Keeps the process up while it waits; the children themselves do not.
    setInterval(() => undefined, 60_000);
  });
}

function dies({ died }: RunningStack): Promise<never> {
  return died.then((what) => Promise.reject(new Error(`${what}; see the logs folder beside stack.json`)));
}

main().then(
  () => process.exit(process.exitCode ?? 0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
