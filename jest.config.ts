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
  // Jest's own 5 s are less than a busy machine may stand still; what hangs is found all the same.
  testTimeout: 60_000,
  projects: [...folders, 'devnet', 'tools']
    .map((folder) => join(__dirname, folder, 'jest.config.cts'))
    .filter((file) => require('node:fs').existsSync(file)),
};

export default config;
