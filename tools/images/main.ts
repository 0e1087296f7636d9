/** The command behind `npm run images`; tools/images.mjs prepares the machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAllProcesses } from '@paymaster/devnet';
import { findEngine } from './engine';
import { APPS, basesOf, imageOf } from './images';
import { installTools, makeLocalBase } from './local-base';
import { mustHoldNothingStray } from './stray-files';
import { tryTogether } from './try-together';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** Claims of images that held. */
let passed = 0;
const sayThatHolds = (line: string): void => {
  if (line.startsWith('ok ')) passed++;
  say(line);
};

interface Options {
  readonly engine?: string;
  readonly 'local-base'?: boolean;
  readonly 'build-only'?: boolean;
}

async function main(options: Options): Promise<void> {
  if (options['local-base']) await installTools(say);
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-images-'));
  const engine = findEngine({ wanted: options['local-base'] ? 'buildah' : options.engine, folder });
  const cleanUp = async () => {
    await stopAllProcesses();
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
  }
  try {
    const bases = new Map<string, string>();
    for (const base of options['local-base'] ? basesOf(APPS) : []) {
      bases.set(base, await timed(`${base} made here`, () => makeLocalBase(base, folder)));
    }
    for (const app of APPS) {
      await timed(`${app} built by ${engine.name}`, () => engine.build(app, bases));
      const base = basesOf([app]).at(-1) as string;
      await mustHoldNothingStray(engine, { app, base: bases.get(base) ?? base });
      sayThatHolds(
        `ok    ${app} holds bundles, its healthcheck and packages for production: ${await engine.size(imageOf(app))}`,
      );
    }
    if (!options['build-only']) await tryTogether({ engine, folder, say: sayThatHolds });
  } finally {
    await cleanUp();
  }
}

async function timed<T>(what: string, action: () => Promise<T>): Promise<T> {
  const started = Date.now();
  const result = await action();
  say(`ok    ${what} (${Math.round((Date.now() - started) / 1_000)} s)`);
  return result;
}

main(JSON.parse(process.argv[2] ?? '{}') as Options)
  .catch((error: unknown) => {
    process.stderr.write(`FAIL  ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(() => say(`${passed} passed, ${process.exitCode ?? 0} failed`));
