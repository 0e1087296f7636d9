/** The command behind `npm run images`; tools/images.mjs prepares the machine. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopAllProcesses } from '@paymaster/devnet';
import { ImageBuilder } from './build-stages';
import { startImageWorld } from './image-world';
import { sizeOf } from './size-of';
import { openForEveryone, tryImage } from './try-image';

const APPS = ['dashboard', 'settlement', 'paymaster-rpc'];
const CONTEXT = join(__dirname, '../..');

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
  const apps = APPS.filter((app) => only === undefined || app === only);
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-images-'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void endEarly(folder));
  try {
    await makeAndTry(apps, folder);
  } finally {
    await stopAllProcesses();
    remove(folder);
  }
}

async function makeAndTry(apps: readonly string[], folder: string): Promise<void> {
  const began = Date.now();
  openForEveryone(folder);
  const builder = new ImageBuilder();
  const images = [];
  for (const app of apps) {
    images.push({ app, image: await builder.build({ app, context: CONTEXT, folder, say }) });
  }
  const worldFolder = join(folder, 'world');
  mkdirSync(worldFolder);
  const world = await startImageWorld({ context: CONTEXT, folder: worldFolder });
  for (const { app, image } of images) await tryImage({ app, image, world, say });
  await world.stop();
  const sizes = images.map(({ app, image }) => `${app} ${sizeOf(image.root)}`);
  say(
    `${apps.length} images start (${Math.round((Date.now() - began) / 1_000)} s): ${sizes.join(', ')}, beside the base`,
  );
}

async function endEarly(folder: string): Promise<void> {
  await stopAllProcesses();
  remove(folder);
  process.exit(130);
}

function remove(folder: string): void {
  // What was made read-only could not be removed by anybody but root.
  spawnSync('chmod', ['-R', 'u+w', folder]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

main().catch((error: unknown) => {
  process.stderr.write(`FAIL  ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
