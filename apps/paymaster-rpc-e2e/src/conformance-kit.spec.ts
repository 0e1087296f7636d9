import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberToHex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { readStack } from '@paymaster/devnet';
import { BadPaymaster, generousContract, refusesBadly, signsAnything } from './support/bad-paymaster';
import { execute } from './support/call-data';
import { idsOf, runConformance, type Report } from './support/conformance-kit';
import { RESET } from './support/demo-contract';
import { call, resultOf } from './support/json-rpc';

const stack = readStack();
const { address: to, callData: data } = stack.demoContract;
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
let careless: BadPaymaster;
let useless: BadPaymaster;
/** Of the service that signs everything, of the one that refuses everything badly, and of the first without arguments. */
let reports: { careless: Report; useless: Report; blind: Report };

beforeAll(async () => {
  careless = await BadPaymaster.start(signsAnything(await generousContract(stack, ['0.7', '0.8'])));
  const allowed = { callData: execute({ to, data }), entryPoint: stack.entryPoints['0.7'] };
  useless = await BadPaymaster.start(refusesBadly(allowed));
  const everything = [
    ...['--rpc', stack.chainRpc, '--key-file', await keyFile(), '--to', to, '--data', data, '--unlisted-data', RESET],
    ...['--webhook', '--token', stack.tokens[0]?.address ?? '', '--entry-points', '0.7,0.8', '--limit', '3'],
  ];
  const run = ({ url }: BadPaymaster, ...args: string[]) => runConformance(folder, ['--url', url, ...args]);
  const first = await run(careless, ...everything, '--limited-url', careless.url);
  reports = {
    careless: first,
    useless: await run(useless, ...everything, '--limited-url', useless.url, '--compare', first.jsonFile),
    blind: await run(careless, '--chain', String(stack.chainId), '--entry-points', '0.7'),
  };
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([careless?.stop(), useless?.stop()]);
});

async function keyFile(): Promise<string> {
  const [file, key] = [join(folder, 'key'), generatePrivateKey()];
  const params = [privateKeyToAddress(key), numberToHex(parseEther('10'))];
  resultOf(await call({ url: stack.chainRpc, method: 'anvil_setBalance', params }));
  writeFileSync(file, key);
  return file;
}

describe('the conformance kit', () => {
  it('passes a service that signs everything on nothing but what an honest client needs', () => {
    const { exitCode } = reports.careless;
    expect(exitCode).toBe(1);
    expect(idsOf(reports.careless, 'passed')).toEqual([
      ...['call.batch-allowed', 'data.asked-again', 'data.lands', 'data.valid', 'frame.still-there'],
      ...['request.context-missing', 'request.context-null', 'sponsors', 'stub.placeholders', 'webhook.oversized'],
    ]);
    expect(idsOf(reports.careless, 'not tried')).toEqual([]);
  });

  it('fails each of its checks for one of two bad services', () => {
    const all = new Set(reports.careless.checks.map(({ id }) => id));
    const failing = new Set([...idsOf(reports.careless, 'failed'), ...idsOf(reports.useless, 'failed')]);
    // The kit gives no context itself: without an answer to that, `sponsors` fails, and nothing else is tried.
    expect([...all].filter((id) => !failing.has(id))).toEqual(['request.context-null']);
  });

  it('takes no refusal with a code that clients send again for a decision', () => {
    const unlisted = reports.useless.checks.find(({ id }) => id === 'call.unlisted');
    expect(unlisted).toMatchObject({ verdict: 'failed', came: expect.stringMatching(/-32603.*it is no decision/) });
  });

  it('counts nothing as passed that it could not try, and names the argument', () => {
    const { checks } = reports.blind;
    for (const [id, argument] of [
      ['sponsors', '--rpc'],
      ['call.unlisted', '--unlisted-data'],
      ['data.lands', '--bundler'],
      ['token.penniless', '--token'],
      ['limit.race', '--limited-url'],
    ]) {
      const found = checks.find((check) => check.id === id);
      expect(found).toMatchObject({ verdict: 'not tried', came: expect.stringContaining(argument as string) });
    }
    expect(idsOf(reports.blind, 'passed')).toEqual([]);
  });

  it("tries the bundler's methods nowhere but where they are offered", async () => {
    const none = await BadPaymaster.start(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
    const args = ['--url', none.url, '--chain', String(stack.chainId), '--entry-points', '0.7'];
    const { checks } = await runConformance(folder, args).finally(() => none.stop());
    for (const id of ['bundler.unknown-hash', 'bundler.closed', 'bundler.batch']) {
      const found = checks.find((check) => check.id === id);
      expect(found).toMatchObject({ verdict: 'not tried', came: expect.stringMatching(/^not offered/) });
    }
  });

  it('makes no report of a service that does not answer', async () => {
    const args = ['--url', 'http://127.0.0.1:1', '--chain', String(stack.chainId)];
    await expect(runConformance(folder, args)).rejects.toThrow('The service at --url cannot be tried');
  });

  it('prints what differs from the report of another run', () => {
    expect(reports.useless.said).toMatch(/^data\.valid on v0\.7: passed before, failed now: /m);
    expect(reports.useless.said).toMatch(
      /^call\.unlisted on v0\.7: failed as before, but the answer differs: "result" before, "error -32603" now$/m,
    );
  });

  it('shows no key and no path of a service', () => {
    for (const { written } of Object.values(reports)) {
      for (const { key } of [careless, useless]) expect(written).not.toContain(key);
      expect(written).not.toContain('/api/');
    }
  });
});
