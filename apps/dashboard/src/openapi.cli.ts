import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { run } from '@paymaster/nest-kit';
import { renderOpenApi } from './render-openapi';

const HELP = `The OpenAPI document of the dashboard.

  FILE           fails when the file differs from the code
  FILE --write   brings the file up to date
`;

run(async () => {
  const [file, ...flags] = process.argv.slice(2);
  if (!file || file === '--help') return void process.stdout.write(HELP);
  const text = await renderOpenApi();
  if (flags.includes('--write')) return writeFileSync(file, text);
  if (readFileSync(file, 'utf8') !== text) throw new Error(`${file} is out of date; run this command with --write.`);
});
