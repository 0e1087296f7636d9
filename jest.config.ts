/** @jest-config-loader-options {"transpileOnly": true} */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from 'jest';

/** Every folder of apps, libs and devnet with a jest.config.cts is a Jest project; `--selectProjects` picks by its displayName. */
const folders = ['apps', 'libs'].flatMap((root) =>
  readdirSync(join(__dirname, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, entry.name)),
);

const config: Config = {
  // What builders and properties draw from; see tools/jest/seed.ts.
  showSeed: true,
  // Far beyond what a test takes, also on a busy machine that stands still; what hangs is found all the same. Jest
  // reads it here only, so a test that takes longer says so in its file.
  testTimeout: 300_000,
  projects: [...folders, 'devnet', 'tools']
    .map((folder) => join(__dirname, folder, 'jest.config.cts'))
    .filter((file) => require('node:fs').existsSync(file)),
};

export default config;
