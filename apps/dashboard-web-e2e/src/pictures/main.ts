/** Behind `npm run pictures`: photographs each screen of the page of the world that STACK_FILE names. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromiumBinary, readStack } from '@paymaster/devnet';
import { chromium, type Page } from 'playwright-core';
import { atRest } from '../support/at-rest';
import { emptyPaymaster } from '../support/empty-paymaster';
import { signIn } from '../support/sign-in';
import { fillWorld } from './fill-world';
import { SHOTS, type Shot } from './shots';

const WIDTHS = '360,768,1280,1920';
const HEIGHT = 900;
const SCHEMES = ['light', 'dark'] as const;
const DOCS = join(__dirname, '../../../../docs/images');
/** Those that READMEs show: the shot, its width and its colours. */
const IN_DOCS: readonly (readonly [file: string, shot: string, width: number, scheme: (typeof SCHEMES)[number]])[] = [
  ['page-overview', 'overview', 1280, 'light'],
  ['page-overview-wide', 'overview', 1920, 'dark'],
  ['page-operation', 'operation', 1280, 'light'],
  ['page-operations-tablet', 'operations', 768, 'light'],
  ['page-policy', 'policy-edit', 1280, 'light'],
  ['page-overview-phone', 'overview', 360, 'dark'],
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      ...{ out: { type: 'string' }, only: { type: 'string' }, docs: { type: 'boolean', default: false } },
      widths: { type: 'string', default: WIDTHS },
    },
  });
  const { out, only, docs } = values;
  const widths = values.widths.split(',').map(Number);
  const browser = await chromium.launch({
    executablePath: await chromiumBinary(),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const open = async () => (await browser.newContext({ baseURL: readStack().dashboard })).newPage();
    const pages = { filled: await open(), empty: await open(), outside: await open() };
    const places = {
      filled: await signIn(pages.filled, { isOperator: true }),
      empty: await signInToEmpty(pages.empty),
      outside: '',
    };
    await pages.filled.goto(places.filled);
    await fillWorld(pages.filled);
    for (const shot of SHOTS.filter(({ name }) => only === undefined || only.split(',').includes(name))) {
      const { of } = shot;
      const page = pages[of];
      try {
        await show(page, shot, places[of]);
        if (out !== undefined) await photographAll(page, shot, { out, widths });
        if (docs) await photographForDocs(page, shot);
        process.stdout.write(`${shot.name}\n`);
      } catch (error) {
        // The others are worth having.
        process.stderr.write(`${shot.name} was not photographed: ${String(error)}\n`);
        process.exitCode = 1;
      }
    }
  } finally {
    await browser.close();
  }
}

/** @returns the path of a paymaster that has nothing yet, of an account of its own */
async function signInToEmpty(page: Page): Promise<string> {
  const { account } = await emptyPaymaster();
  return signIn(page, { account });
}

async function show(page: Page, { path, first }: Shot, paymaster: string): Promise<void> {
  await pose(page, 1280, 'light');
  await page.goto(path.replace('$account', paymaster.replace(/\/p\/.*/, '')).replace('$paymaster', paymaster));
  await page.getByRole('heading').first().waitFor();
  await settled(page);
  await first?.(page);
  // What is under the pointer shows its tooltip.
  await page.mouse.move(0, 0);
  await settled(page);
}

/** Waits until everything was read and nothing moves. */
async function settled(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await atRest(page);
}

interface Pictures {
  readonly out: string;
  readonly widths: readonly number[];
}

async function photographAll(page: Page, { name }: Shot, { out, widths }: Pictures): Promise<void> {
  const hasDialog = (await page.getByRole('dialog').count()) > 0;
  for (const scheme of SCHEMES) {
    for (const width of widths) {
      await pose(page, width, scheme);
      await settled(page);
      const folder = join(out, name);
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${width}-${scheme}.png`), fullPage: !hasDialog });
    }
  }
}

async function photographForDocs(page: Page, { name }: Shot): Promise<void> {
  for (const [file, shot, width, scheme] of IN_DOCS) {
    if (shot !== name) continue;
    await pose(page, width, scheme);
    await settled(page);
    await page.screenshot({ path: join(DOCS, `${file}.png`) });
  }
}

/** Before a screen is there too, which has nothing that could come to rest. */
async function pose(page: Page, width: number, colorScheme: (typeof SCHEMES)[number]): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
