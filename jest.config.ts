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
  projects: [...folders, 'devnet', 'tools']
    .map((folder) => join(__dirname, folder, 'jest.config.cts'))
    .filter((file) => require('node:fs').existsSync(file)),
};

export default config;
