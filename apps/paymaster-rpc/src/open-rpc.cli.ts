import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { runCommand, UsageError } from '@paymaster/nest-kit';
import { renderOpenRpc } from './wire/open-rpc/rpc.discover';

const HELP = `The OpenRPC document of the gateway.

  FILE           fails when the file differs from the code
  FILE --write   brings the file up to date
`;

const ARGUMENTS = { allowPositionals: true, options: { write: { type: 'boolean' } } } as const;

runCommand(HELP, ARGUMENTS, async ({ values, positionals: [file] }) => {
  if (file === undefined) throw new UsageError('Which file?');
  const text = renderOpenRpc();
  if (values.write) return writeFileSync(file, text);
  if (readFileSync(file, 'utf8') !== text) throw new Error(`${file} is out of date; run this command with --write.`);
});
