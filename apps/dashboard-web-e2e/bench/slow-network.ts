import { chromiumBinary, readStack } from '@paymaster/devnet';
import { chromium, type BrowserContext } from 'playwright-core';
import { layoutShift, watchLayout } from '../src/support/layout-shift';
import { signIn } from '../src/support/sign-in';

/** 1.6 Mbit/s down and 150 ms there and back. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const READABLE_MS = 2_500;
const MOST_SHIFT = 0.05;
const TIMES = 5;
const LATER_MS = 3_500;

/** Notes in which frame header and overview are there; milliseconds since the browser began to open the document. */
const WATCH_SIGHT = `
  globalThis.seenAtMs = {};
  const marks = {
    shellMs: ['nav[aria-label=Screens]'],
    readableMs: ['.figure', '.uplot canvas', '[aria-label="Parts of the usage"] td'],
  };
  requestAnimationFrame(function watch() {
    for (const [name, parts] of Object.entries(marks)) {
      if (parts.every((part) => document.querySelector(part))) seenAtMs[name] ??= performance.now();
    }
    requestAnimationFrame(watch);
  });`;
const WHEN_SEEN = `new Promise((done) => {
  (function look() {
    if (globalThis.seenAtMs?.readableMs) done(seenAtMs);
    else setTimeout(look, 20);
  })();
})`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const mark = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

interface Seen {
  readonly shellMs: number;
  readonly readableMs: number;
  readonly pageKb: number;
  readonly apiKb: number;
  readonly shift: number;
}

/** Opens the overview over a slow network, each time with nothing in the cache, and says what its reader waits for. */
async function main(): Promise<void> {
  const { dashboard } = readStack();
  const browser = await chromium.launch({
    executablePath: await chromiumBinary(),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const context = await browser.newContext({ baseURL: dashboard, viewport: { width: 1280, height: 900 } });
    await watchLayout(context);
    await context.addInitScript(WATCH_SIGHT);
    const first = await context.newPage();
    const seeded = await signIn(first);
    await first.close();
    const seen: Seen[] = [];
    for (let time = 0; time < TIMES; time++) seen.push(await open(context, seeded));
    const of = (name: keyof Seen) => median(seen.map((each) => each[name]));
    const shift = Math.max(...seen.map((each) => each.shift));
    say(`the overview at 1.6 Mbit/s and 150 ms, median of ${TIMES}, nothing in the cache:`);
    say(`  header and navigation after ${of('shellMs').toFixed(0)} ms`);
    say(
      `  numbers, chart and what it was spent on after ${of('readableMs').toFixed(0)} ms, ` +
        `target <= ${READABLE_MS}: ${mark(of('readableMs') <= READABLE_MS)}`,
    );
    say(`  on the wire until then: ${of('pageKb').toFixed(0)} kB of the page, ${of('apiKb').toFixed(0)} kB of the API`);
    say(`  layout shift at most ${shift.toFixed(3)}, target <= ${MOST_SHIFT}: ${mark(shift <= MOST_SHIFT)}`);
  } finally {
    await browser.close();
  }
}

async function open(context: BrowserContext, path: string): Promise<Seen> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  const bytes = { page: 0, api: 0 };
  const isApi = new Map<string, boolean>();
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) =>
    isApi.set(requestId, request.url.includes('/api/')),
  );
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes[isApi.get(requestId) ? 'api' : 'page'] += encodedDataLength;
  });
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devtools.send('Network.emulateNetworkConditions', NETWORK);
  await page.goto(path, { waitUntil: 'commit' });
  const { shellMs, readableMs } = await page.evaluate<Pick<Seen, 'shellMs' | 'readableMs'>>(WHEN_SEEN);
  const [pageKb, apiKb] = [bytes.page / 1_000, bytes.api / 1_000];
  await page.waitForTimeout(LATER_MS);
  const { sum } = await layoutShift(page);
  await page.close();
  return { shellMs, readableMs, pageKb, apiKb, shift: sum };
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
