import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed, run } from './run.mjs';
import { say } from './steps.mjs';

/**
 * Runs Jest and counts from its own report. A suite that cannot run counts as a failure, and so does a skipped test:
 * what does not run proves nothing.
 *
 * @param {string} name for messages
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runJest(name, args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-jest-'));
  const file = join(folder, 'report.json');
  try {
    // The report goes first: Jest takes everything behind --selectProjects and its like for a project's name.
    const { code } = await run('npx', ['--no-install', 'jest', '--json', `--outputFile=${file}`, ...args], { env });
    const report = readReport(file, name);
    const skipped = report.numPendingTests + report.numTodoTests;
    if (skipped > 0) say(`${skipped} tests were skipped; they count as failed.`);
    const failed = report.numFailedTests + report.numRuntimeErrorTestSuites + skipped;
    if (report.numPassedTests + failed === 0) throw new CommandFailed(`There are no ${name} tests.`);
    return { passed: report.numPassedTests, failed: code === 0 ? failed : Math.max(1, failed) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file, name) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new CommandFailed(`Jest ended without a report of the ${name} tests.`);
  }
}
