#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { localArguments } from './conformance/local-world.mjs';
import { OPTIONS, openSession } from './conformance/options.mjs';
import { differences, markdownOf, nameOf, redacted, reportOf } from './conformance/report.mjs';
import { runChecks } from './conformance/run-checks.mjs';
import { readArguments } from './lib/arguments.mjs';
import { CommandFailed, main, ROOT } from './lib/run.mjs';
import { withFreshStack } from './lib/stack.mjs';

const HELP = `Usage: npm run conformance -- [--url <any paymaster>] [options]

Asks a paymaster service what ERC-7677 says and what attackers ask, and reports what came. Where its address answers the
bundler's methods too, the kit asks what ERC-7769 says of them. It needs nothing of the service but its URL. Without --url
it starts the local world, tries ours with its default settings and writes docs/conformance.md.
Ends with 1 when a check failed. A check that needs an argument which is not there is "not tried".

  the service
  --url URL              with its key, if the key is a part of it
  --header "NAME: VALUE" sent with each request; may be repeated
  --context JSON         context of each ERC-7677 call, such as {"sponsorshipPolicyId":"…"}
  --name TEXT            what the report calls it; its domain when absent
  --entry-points LIST    such as 0.6,0.7; what it answers for when absent

  the chain
  --rpc URL              a node of the chain; anvil, where it is installed, makes copies of its chain
  --chain N              its id, where there is no --rpc
  --bundler URL          estimates and lands operations
  --key-file FILE        the private key of an account with coins, which lands operations where there is no bundler
  --factory V=ADDRESS    SimpleAccountFactory of an EntryPoint version, where it is not at its usual address

  what to ask for
  --to, --data           a call that is sponsored
  --unlisted-to, --unlisted-data   a call that is not; of the same contract where --unlisted-to is absent
  --token ADDRESS        a token that gas can be paid in
  --webhook              the service asks a webhook of the paymaster's owner
  --delegate-url URL     a paymaster that sponsors accounts which delegate to Simple7702Account (EIP-7702)
  --limited-url URL      a paymaster that sponsors only --limit N operations of that call

  the report
  --out FILE             Markdown, with FILE's name and .json beside it; else Markdown on the screen
  --compare FILE         JSON of another run: prints what differs
  --help                 this text
`;

const PAGE = join(ROOT, 'docs/conformance.md');
const MADE = ['<!-- made by npm run conformance -->', '<!-- end of what is made -->'];

main(async () => {
  const { compare, ...values } = readArguments(HELP, OPTIONS);
  // Before the same file may be written.
  const before = compare === undefined ? undefined : readReport(compare);
  if (values.url === undefined) return tryOurs(values, before);
  const report = await tryService(values);
  const markdown = `# Conformance\n\n${markdownOf(report)}`;
  if (values.out) {
    writeFileSync(values.out, markdown);
    writeJson(`${values.out.replace(/\.md$/, '')}.json`, report);
  } else process.stdout.write(markdown);
  return end(report, before);
});

/** The local world with the bounds that a chain has by default. */
async function tryOurs(values, before) {
  const [given] = Object.keys(values);
  if (given !== undefined) throw new CommandFailed(`--${given} needs --url.`);
  await bootstrap();
  await build();
  let code = 1;
  await withFreshStack(
    async (stackFile) => {
      const local = await localArguments(JSON.parse(readFileSync(stackFile, 'utf8')));
      const report = await tryService({ ...local.values, name: 'this project, default settings' }).finally(local.end);
      const page = readFileSync(PAGE, 'utf8');
      const [start, stop] = MADE.map((mark) => page.indexOf(mark));
      writeFileSync(PAGE, `${page.slice(0, start)}${MADE[0]}\n\n${markdownOf(report)}\n${page.slice(stop)}`);
      writeJson(PAGE.replace(/\.md$/, '.json'), report);
      code = end(report, before);
      return { failed: report.counts.failed };
    },
    { chainOptions: {} },
  );
  return code;
}

async function tryService(values) {
  const session = await openSession(values);
  const say = (line) => process.stderr.write(`${redacted(line, session.secrets).replace(/\s+/g, ' ')}\n`);
  try {
    const found = await runChecks(session, say);
    return reportOf({ target: values.name ?? nameOf(values.url), session, found });
  } finally {
    await session.end();
  }
}

function writeJson(file, report) {
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
}

function readReport(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(report.checks)) return report;
  } catch {
    // Said below.
  }
  throw new CommandFailed(`--compare must be the JSON of a report; ${file} is not.`);
}

function end(report, before) {
  if (before) {
    const lines = differences(before, report);
    process.stderr.write(lines.length > 0 ? `${lines.join('\n')}\n` : 'No differences.\n');
  }
  const { passed, failed, 'not tried': open } = report.counts;
  process.stderr.write(`${passed} passed, ${failed} failed, ${open} not tried\n`);
  return failed > 0 ? 1 : 0;
}
