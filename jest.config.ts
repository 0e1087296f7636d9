import type { Config } from 'jest';

const config: Config = {
  // What builders and properties draw from; see tools/jest/seed.ts.
  showSeed: true,
  // Far beyond what a test takes, also on a busy machine that stands still; what hangs is found all the same. Jest
  // reads it here only, so a test that takes longer says so in its file.
  testTimeout: 300_000,
  // Every folder with a jest.config.cts is a Jest project; `--selectProjects` picks by its displayName.
  projects: ['<rootDir>/{apps,libs}/*/jest.config.cts', '<rootDir>/{devnet,tools}/jest.config.cts'],
};

export default config;
