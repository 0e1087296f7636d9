import 'reflect-metadata';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { envVariablesOf, loadConfig } from '@paymaster/nest-kit';
import { DashboardConfig } from '../../apps/dashboard/src/platform/config/dashboard.config';
import { PaymasterRpcConfig } from '../../apps/paymaster-rpc/src/platform/config/paymaster-rpc.config';
import { SettlementConfig } from '../../apps/settlement/src/config/settlement.config';

const APPS = { dashboard: DashboardConfig, 'paymaster-rpc': PaymasterRpcConfig, settlement: SettlementConfig };
const SECRETS = Object.entries(APPS).flatMap(([app, configClass]) =>
  envVariablesOf(configClass)
    .filter(({ secret }) => secret)
    .map(({ name, property }) => [app, name, property, configClass as new () => object] as const),
);
/** In none of the messages. */
const CONTENT = 'c4nary-content';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'secret-files-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(content: string): string {
  const file = join(folder, 'secret');
  writeFileSync(file, content);
  return file;
}

/** What the boot says of a variable. */
function problemOf(configClass: new () => object, name: string, file: string): string {
  try {
    loadConfig(configClass, { [`${name}_FILE`]: file });
    return 'none';
  } catch (error) {
    const { message } = error as Error;
    expect(message).not.toContain(CONTENT);
    return message.split('\n').find((line) => line.startsWith(`  - ${name}_FILE`)) ?? 'none';
  }
}

describe('secrets from files', () => {
  it('are all that the apps have', () => {
    expect([...new Set(SECRETS.map(([, name]) => name))]).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'NATS_PASSWORD', 'API_KEY_INDEX_KEY', 'WEBHOOK_SIGNING_KEY']),
    );
    expect(SECRETS.length).toBeGreaterThan(9);
  });

  it.each(SECRETS)('%s: %s is read without the newline at its end', (_app, name, property, configClass) => {
    // Whatever else is missing: of this variable nothing but its form may be wrong, which shows that it was read.
    const urls: Record<string, string> = { DATABASE_URL: 'postgres://a@b/c', SMTP_URL: 'smtps://a:b@c' };
    const value = urls[name] ?? '1a'.repeat(32);
    const env = Object.fromEntries(
      envVariablesOf(configClass).map((variable) => [variable.name, undefined as string | undefined]),
    );
    try {
      const config = loadConfig(configClass, { ...env, [`${name}_FILE`]: fileOf(`${value}\r\n`) });
      expect((config as Record<string, unknown>)[property]).toBe(value);
    } catch (error) {
      const withRaw = name === 'SIGNER_PRIVATE_KEY';
      const own = (error as Error).message.split('\n').filter((line) => line.startsWith(`  - ${name} `));
      expect(own).toHaveLength(withRaw ? 1 : 0);
      expect((error as Error).message).not.toContain(value);
    }
  });

  it.each(SECRETS)(
    '%s: %s_FILE that cannot be used is said without its content',
    (_app, name, _property, configClass) => {
      mkdirSync(join(folder, 'directory'), { recursive: true });
      const problem = (file: string) => problemOf(configClass, name, file);
      expect(problem(join(folder, 'missing'))).toContain('names a file that cannot be read');
      expect(problem(join(folder, 'directory'))).toContain('names a file that cannot be read');
      expect(problem(fileOf(''))).toContain('names a file that is empty');
      expect(problem(fileOf(' \n'))).toContain('names a file that is empty');
      expect(problem(fileOf(CONTENT.repeat(10_000)))).toContain('names a file that is too large for a secret');
    },
  );
});
