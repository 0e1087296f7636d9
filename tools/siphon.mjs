#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run siphon -- [options]

Lets an attacker with the public API key bundle for himself, on a local chain against a gateway with default bounds: he
tries fees, limits, call data, deployments, refunds, failing calls, known and unknown accounts and bundles of several
operations at random, and climbs from the best. Prints for each EntryPoint version and base fee the highest returns
found, as a multiple of what his transactions cost, with the fields that gave them, and how many operations landed; at last
the same of an OP stack chain and of Arbitrum. Ends with an error when a bound is passed. npm test runs a short form.

  --plans N    plans per version and base fee; 120 land some 4,000 operations within half an hour
  --seed N     repeats a run
  --help       this text
`;

main(async () => {
  const { plans, seed } = readArguments(HELP, { plans: { type: 'string' }, seed: { type: 'string' } });
  await bootstrap();
  const args = [...(plans ? ['--plans', plans] : []), ...(seed ? ['--seed', seed] : [])];
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'apps/paymaster-rpc/proofs/siphon/main.ts', ...args]);
  return code;
});
