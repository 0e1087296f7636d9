import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { faker } from '@faker-js/faker';

/**
 * Makes every run repeatable: builders and properties of a test file draw from one seed. `npm test` takes the same one
 * each time, as forge does, so that what it says of a change is the change's doing. Jest run by hand takes a new one
 * and shows it at the end: `npx jest --seed=<n>` replays it.
 *
 * Each file draws from a seed of its own: those that share a world would otherwise meet each other's accounts.
 */
process.env['TEST_SEED'] ??= String(jest.getSeed() & 0x7fffffff);
faker.seed(seedOfFile(expect.getState().testPath ?? ''));

function seedOfFile(path: string): number {
  const name = `${process.env['TEST_SEED']} ${relative(process.cwd(), path)}`;
  return createHash('sha256').update(name).digest().readUInt32BE() >>> 1;
}
