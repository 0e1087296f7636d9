// The builders of the tests draw the same in every run, so that the names of tests stay and incremental runs know them.
process.env.TEST_SEED ??= '7364985';
process.env.DIGEST_ROUNDS ??= '20';

/**
 * Breaks every expression of the pure libraries, one at a time, and looks whether a unit test notices:
 * `npm run stryker`. tools/mutants.mjs does the same with a list of mutants, for code that needs servers.
 *
 * No kind of mutant is left out, also not that of sentences: they go to clients and into traces.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: ['libs/policy/src/**/*.ts', 'libs/chain/src/digest/*.ts', '!**/*.spec.ts', '!**/testing/**', '!**/index.ts'],
  // The sandbox is a copy of the rest.
  ignorePatterns: [
    '**',
    '!libs/**',
    '!tools/jest/**',
    '!tools/mutants/**',
    '!*.json',
    '!.swcrc.jest.json',
    '!jest.preset.js',
  ],
  testRunner: 'jest',
  jest: {
    configFile: 'tools/mutants/jest.config.js',
    config: {
      roots: ['<rootDir>/libs/policy', '<rootDir>/libs/chain/src/digest'],
      // Properties and the corpus run thousands of cases, and would take half a minute for each mutant that lives; the
      // speed test measures time. So the score is a lower bound.
      testPathIgnorePatterns: ['\\.integration\\.', '\\.property\\.', 'call-data-corpus', 'evaluate-speed'],
    },
  },
  coverageAnalysis: 'perTest',
  concurrency: 1,
  // A busy machine must not count as a test that noticed.
  timeoutMS: 60_000,
  incremental: true,
  incrementalFile: '.nx/stryker/incremental.json',
  tempDirName: '.nx/stryker/sandbox',
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: '.nx/stryker/report.json' },
  clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
  thresholds: { high: 95, low: 90, break: 90 },
};
