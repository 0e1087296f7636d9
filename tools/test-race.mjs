#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run test:race -- [options]

Gateways in processes of their own race random reservations against random limits on a real Postgres, while settlement
processes follow a simulated chain; all of them are killed and stopped at random, also inside of transactions. At the
end: no limit was ever passed, what landed is settled once at the chain's cost, nothing is left open, the books are
right. Ends with an error if any of it does not hold. npm test runs the short form, of 1,000.

  --reservations N  operations with a reservation, in the end (100000)
  --processes P     gateways, beside 3 settlements (4)
  --seed S          what is asked for, which limits, which faults (random, printed); not the timing of processes
  --help            this text
`;

const DEFAULTS = { reservations: '100000', processes: '4', seed: String(Math.floor(Math.random() * 2 ** 31)) };

main(async () => {
  const options = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { type: 'string' }]));
  const values = { ...DEFAULTS, ...readArguments(HELP, options) };
  for (const name of Object.keys(DEFAULTS)) {
    if (/^\d{1,9}\d?$/.test(values[name]) && (name === 'seed' || Number(values[name]) > 0)) continue;
    process.stderr.write(`--${name} must be a whole number${name === 'seed' ? '' : ' above 0'}\n`);
    return 2;
  }
  await bootstrap();
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'libs/ledger/proofs/race/main.ts'], {
    env: {
      RACE_RESERVATIONS: values.reservations,
      RACE_PROCESSES: values.processes,
      RACE_SEED: values.seed,
    },
  });
  return code;
});
