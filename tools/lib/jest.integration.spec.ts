import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

jest.setTimeout(400_000);

const RUN_JEST = pathToFileURL(join(__dirname, 'jest.mjs')).href;
const REPORT = {
  ...{ numPassedTests: 3, numFailedTests: 0, numPendingTests: 0 },
  ...{ numTodoTests: 0, numRuntimeErrorTestSuites: 0 },
};
/** A program that stays, with a child that stays. */
const STAYS = `
  const { spawn } = require('node:child_process');
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  writeFileSync(process.env.CHILD_FILE, String(child.pid));`;
const WRITES_REPORT = `
  const [, file] = process.argv.map((argument) => /^--outputFile=(.*)$/.exec(argument)).find(Boolean);
  writeFileSync(file, ${JSON.stringify(JSON.stringify(REPORT))});`;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'paymaster-tools-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string) => join(folder, name);

/** `runJest` in a process of its own, as `npm test` runs it: with a program in Jest's place, or with Jest. */
function runJest(given: { args?: string[]; program?: string; within?: number; endWithin?: number }) {
  const { args = [], program, ...limits } = given;
  if (program) writeFileSync(file('jest.cjs'), `const { writeFileSync } = require('node:fs');${program}`);
  const options = { within: 240, ...limits, ...(program && { jest: file('jest.cjs') }) };
  const script = `
    import { runJest } from '${RUN_JEST}';
    const counted = await runJest('some', ${JSON.stringify(args)}, ${JSON.stringify(options)})
      .catch((error) => ({ error: error.message }));
    process.stdout.write(JSON.stringify(counted));`;
  const env = { ...process.env, CHILD_FILE: file('child') };
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env,
    timeout: 300_000,
  });
  return { said: `${stdout}${stderr}`, counted: JSON.parse(stdout.split('\n').at(-1) ?? '') as object };
}

function childIsAlive(): boolean {
  const pid = Number(readFileSync(file('child'), 'utf8'));
  // One that has ended but was not waited for still has its number.
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

describe('runJest', () => {
  it('counts what Jest reports', () => {
    expect(runJest({ program: WRITES_REPORT }).counted).toEqual({ passed: 3, failed: 0, names: [] });
  });

  it('ends a Jest that stays after its report, with its children, and counts that as a failure', () => {
    const { said, counted } = runJest({ program: STAYS + WRITES_REPORT, endWithin: 1 });
    expect(counted).toMatchObject({ passed: 3, failed: 1, names: [expect.stringContaining('had not ended 1 s')] });
    expect(said).toContain('1 x sleep 600');
    expect(said).toContain('had not ended 1 s after its report: something was left running');
    expect(childIsAlive()).toBe(false);
  });

  it('ends a Jest that takes too long, and has nothing to count then', () => {
    // Long enough that it is there with its child before it is ended.
    const { said, counted } = runJest({ program: STAYS, within: 8 });
    expect(counted).toEqual({ error: 'Jest ended without a report of the some tests.' });
    expect(said).toContain('was not done after 8 s');
    expect(childIsAlive()).toBe(false);
  });

  it('names the tests that failed, and files that could not run', () => {
    writeFileSync(
      file('fails.spec.js'),
      `test('adds up', () => expect(1 + 1).toBe(3)); test('is fine', () => undefined)`,
    );
    writeFileSync(file('broken.spec.js'), `require('./nothing')`);
    const config = JSON.stringify({ rootDir: folder, testMatch: ['**/*.spec.js'], cacheDirectory: file('cache') });
    const { counted } = runJest({ args: ['--runInBand', '--config', config] });
    expect(counted).toMatchObject({ passed: 1, failed: 2 });
    expect((counted as { names: string[] }).names.sort()).toEqual([
      expect.stringMatching(/broken\.spec\.js: could not run$/),
      expect.stringMatching(/fails\.spec\.js: adds up$/),
    ]);
  });

  it('names the test file after which something was left running', () => {
    writeFileSync(file('tidy.spec.js'), `test('is tidy', () => undefined)`);
    writeFileSync(
      file('leaking.spec.js'),
      `test('leaks', (done) => void require('node:net').createServer().listen(0, '127.0.0.1', done))`,
    );
    const config = JSON.stringify({ rootDir: folder, testMatch: ['**/*.spec.js'], cacheDirectory: file('cache') });
    const { said, counted } = runJest({ args: ['--runInBand', '--config', config], endWithin: 10 });
    expect(counted).toMatchObject({ passed: 2, failed: 1 });
    expect(said).toMatch(/server on port \d+, after .*leaking\.spec\.js/);
    expect(said).not.toContain('after all');
  });

  it('loads a module of a library once for all files, and gives each file its functions without spies', () => {
    mkdirSync(file('libs/words/src'), { recursive: true });
    writeFileSync(
      file('libs/words/src/words.ts'),
      `require('node:fs').appendFileSync('${file('loads')}', 'once '); exports.word = () => 'real';`,
    );
    const spec = `
      const words = require('./libs/words/src/words.ts');
      test('spies', () => {
        expect(words.word()).toBe('real');
        jest.spyOn(words, 'word').mockReturnValue('spied');
      });`;
    for (const name of ['first', 'second']) writeFileSync(file(`${name}.spec.js`), spec);
    const ours = {
      testEnvironment: join(__dirname, '../jest/one-realm.environment.cjs'),
      runtime: join(__dirname, '../jest/native-packages.runtime.cjs'),
    };
    const config = {
      rootDir: folder,
      testMatch: ['**/*.spec.js'],
      cacheDirectory: file('cache'),
      transform: {},
      ...ours,
    };
    const { counted } = runJest({ args: ['--runInBand', '--config', JSON.stringify(config)] });
    expect(counted).toEqual({ passed: 2, failed: 0, names: [] });
    expect(readFileSync(file('loads'), 'utf8')).toBe('once ');
  });
});
