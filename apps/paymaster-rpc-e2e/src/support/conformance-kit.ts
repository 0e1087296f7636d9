import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;
let reports = 0;

interface Outcome {
  readonly verdict: 'passed' | 'failed' | 'not tried';
  readonly came: string;
}

/** What one check found on one EntryPoint version, or on `all` at once. */
export interface Found extends Outcome {
  readonly id: string;
  readonly version: string;
}

export interface Report {
  readonly exitCode: number;
  readonly checks: readonly Found[];
  readonly jsonFile: string;
  /** What the command said on the screen. */
  readonly said: string;
  /** That, and both reports. */
  readonly written: string;
}

/** Runs the conformance kit in a process of its own, as anybody does. @throws when it makes no report */
export async function runConformance(folder: string, args: readonly string[]): Promise<Report> {
  const file = join(folder, `report-${++reports}.md`);
  const command = [join(ROOT, 'tools/conformance.mjs'), ...args, '--out', file];
  const options = { cwd: ROOT, maxBuffer: MOST_OUTPUT_BYTES };
  const { exitCode, said } = await new Promise<{ exitCode: number; said: string }>((resolve) =>
    execFile(process.execPath, command, options, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code) : 0, said: stdout + stderr }),
    ),
  );
  const jsonFile = file.replace('.md', '.json');
  const [markdown, json] = [file, jsonFile].map((name) => {
    try {
      return readFileSync(name, 'utf8');
    } catch (cause) {
      throw new Error(said, { cause });
    }
  });
  const report = JSON.parse(json ?? '') as { checks: { id: string; outcomes: Record<string, Outcome> }[] };
  const checks = report.checks.flatMap(({ id, outcomes }) =>
    Object.entries(outcomes).map(([version, outcome]) => ({ id, version, ...outcome })),
  );
  return { exitCode, checks, jsonFile, said, written: [said, markdown, json].join('\n') };
}

/** Ids of what has this verdict on any version, each once. */
export function idsOf({ checks }: Report, verdict: Found['verdict']): string[] {
  return [...new Set(checks.filter((check) => check.verdict === verdict).map(({ id }) => id))].sort();
}
