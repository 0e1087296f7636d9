import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSecrets } from './secrets';

describe("the local world's secrets", () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paymaster-secrets-'));
    file = join(folder, 'secrets.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are made at the first start, for their owner only, and stay', () => {
    const made = loadSecrets(file);
    for (const secret of Object.values(made)) expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(Object.values(made)).size).toBe(7);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(loadSecrets(file)).toEqual(made);
  });

  it('of a world from before there were webhooks stay, and the missing ones are added for good', () => {
    const { apiKeyEncryptionKey, apiKeyIndexKey } = loadSecrets(file);
    writeFileSync(file, JSON.stringify({ apiKeyEncryptionKey, apiKeyIndexKey }));
    const added = loadSecrets(file);
    expect(added).toMatchObject({ apiKeyEncryptionKey, apiKeyIndexKey });
    expect(added.webhookSigningKey).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(added);
  });
});
