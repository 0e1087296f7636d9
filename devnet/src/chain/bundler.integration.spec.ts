import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const PRELOAD = join(__dirname, '../../bundler/listen-on-loopback.cjs');
const LISTEN = `
const server = require('node:net').createServer().listen({ port: 0, host: '0.0.0.0' }, () => {
  process.stdout.write(server.address().address);
  server.close();
});`;

it('a program that listens on every address is heard on loopback only', () => {
  const listen = (args: readonly string[]) =>
    execFileSync(process.execPath, [...args, '-e', LISTEN], { encoding: 'utf8' });
  expect(listen([])).toBe('0.0.0.0');
  expect(listen(['--require', PRELOAD])).toBe('127.0.0.1');
});
