import { installedBinary } from './installed-binary';
import type { LogLine } from './process-registry';

const ADVICE =
  'chromium was not found, which the tests of the web page drive: install it (Debian: apt-get install chromium), ' +
  'or name it, or Google Chrome, with CHROMIUM_BIN.';

/** Path of Chromium, installed where it is missing. @throws one sentence that says what to do */
export function chromiumBinary(log?: LogLine): Promise<string> {
  return installedBinary({ name: 'chromium', variable: 'CHROMIUM_BIN', package: 'chromium', advice: ADVICE }, log);
}
