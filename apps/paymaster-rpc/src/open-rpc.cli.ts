import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { run } from '@paymaster/nest-kit';
import { renderOpenRpc } from './wire/open-rpc/render-open-rpc';

const HELP = `The OpenRPC document of the gateway.

  FILE           fails when the file differs from the code
  FILE --write   brings the file up to date
`;

run(async () => {
  const [file, ...flags] = process.argv.slice(2);
  if (!file || file === '--help') return void process.stdout.write(HELP);
  const text = renderOpenRpc();
  if (flags.includes('--write')) return writeFileSync(file, text);
  if (readFileSync(file, 'utf8') !== text) throw new Error(`${file} is out of date; run this command with --write.`);
});
