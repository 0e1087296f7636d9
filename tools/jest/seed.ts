import { faker } from '@faker-js/faker';

/**
 * Makes every run repeatable: builders and properties of a test file draw from one seed. `npm test` takes the same one
 * each time, as forge does, so that what it says of a change is the change's doing. Jest run by hand takes a new one
 * and shows it at the end: `npx jest --seed=<n>` replays it.
 */
process.env['TEST_SEED'] ??= String(jest.getSeed() & 0x7fffffff);
faker.seed(Number(process.env['TEST_SEED']));
