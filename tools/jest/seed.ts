import { faker } from '@faker-js/faker';

/**
 * Makes every run repeatable: builders draw from one seed, which a run prints when a test of it fails
 * (`TEST_SEED=<n> npm test` replays it). fast-check reads the same seed through `testSeed`.
 */
const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
process.env['TEST_SEED'] = String(seed);
faker.seed(seed);
