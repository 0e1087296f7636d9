import { installedBinary } from './installed-binary';
import type { LogLine } from './process-registry';

const ADVICE =
  'Chromium was not found, which the tests of the web page drive: install it (Debian: apt-get install ' +
  'chromium-headless-shell), or name it, or Google Chrome, with CHROMIUM_BIN.';

/** Chromium without its own windows: tests of the page take a third less of the processor. */
const HEADLESS = 'chromium-headless-shell';

/** Path of Chromium, installed where it is missing. @throws one sentence that says what to do */
export function chromiumBinary(log?: LogLine): Promise<string> {
  const chromium = { name: HEADLESS, alternative: 'chromium', variable: 'CHROMIUM_BIN', package: HEADLESS };
  return installedBinary({ ...chromium, advice: ADVICE }, log);
}
