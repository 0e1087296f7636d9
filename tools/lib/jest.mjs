import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { notDoneWithin, notEndedAfter } from './overdue.mjs';
import { CommandFailed, ROOT, run } from './run.mjs';
import { say } from './steps.mjs';

const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const LEFT_RUNNING = join(ROOT, 'tools/jest/left-running.reporter.cjs');

/** What tests draw from unless TEST_SEED says otherwise: that of contracts/foundry.toml. */
const SEED = 0x706179;

/** How long a Jest that has written its report may take to end; seconds. */
const END_WITHIN = 60;

/**
 * Runs Jest and counts from its own report. A suite that cannot run counts as a failure, and so does a skipped test:
 * what does not run proves nothing. Jest does not end while a test has left something running (a socket, a timer, a
 * process): then it is ended, and that counts as a failure too.
 *
 * @param {string} name for messages
 * @param {string[]} args
 * @param {{
 *   within: number, env?: Record<string, string>, jest?: string, endWithin?: number, together?: boolean, gentle?: boolean
 * }} options `within` is the time for everything; both times in seconds; `jest` is the program, another one in tests;
 *   `together` shows its output at its end, so that what runs beside it does not come in between; `gentle` gives the processor
 *   to others first
 * @returns {Promise<{ passed: number, failed: number, names: string[] }>} with the names of what failed
 */
export async function runJest(name, args, options) {
  const { within, env = {}, jest = JEST, endWithin = END_WITHIN, together = false, gentle = false } = options;
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-jest-'));
  const file = join(folder, 'report.json');
  try {
    const late = [notDoneWithin(within), notEndedAfter(file, endWithin)];
    // Ours go first: Jest takes everything behind --selectProjects and its like for a project's name.
    const seed = `--seed=${process.env['TEST_SEED'] ?? SEED}`;
    const ours = ['--json', `--outputFile=${file}`, '--reporters=default', `--reporters=${LEFT_RUNNING}`, seed];
    const { code, output, overdue } = await run(process.execPath, [jest, ...ours, ...args], {
      env,
      gentle,
      capture: together,
      overdue: () => late.map((reason) => reason()).find((reason) => reason !== undefined),
    });
    if (together) say(`\n-- ${name}\n${output}`);
    if (overdue !== undefined) say(`Jest was ended: ${overdue}. That counts as failed.`);
    const report = readReport(file, name);
    const names = [...namesOfFailed(report), ...(overdue === undefined ? [] : [`${name}: ${overdue}`])];
    return { ...countOf(report, { name, code }), names };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countOf(report, { name, code }) {
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) say(`${skipped} tests were skipped; they count as failed.`);
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites + skipped;
  if (report.numPassedTests + failed === 0) throw new CommandFailed(`There are no ${name} tests.`);
  return { passed: report.numPassedTests, failed: code === 0 ? failed : Math.max(1, failed) };
}

/** A file that could not run has no tests; its own name stands for them. */
function namesOfFailed({ testResults = [] }) {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status !== 'passed');
    const titles =
      failed.length > 0 || status === 'passed' ? failed.map(({ fullName }) => fullName) : ['could not run'];
    return titles.map((title) => `${relative(ROOT, name)}: ${title}`);
  });
}

function readReport(file, name) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new CommandFailed(`Jest ended without a report of the ${name} tests.`);
  }
}
