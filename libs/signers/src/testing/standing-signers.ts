import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { KmsStandIn } from './kms-stand-in';
import type { SignerStandIn } from './signer-stand-in';
import { VaultStandIn } from './vault-stand-in';
import { Web3SignerStandIn } from './web3-signer-stand-in';

export const STAND_IN_KINDS = ['aws-kms', 'vault', 'web3signer'] as const;
export type StandInKind = (typeof STAND_IN_KINDS)[number];

/** A stand-in and its entry in a signers' file. */
export interface StandingSigner<StandIn extends SignerStandIn = SignerStandIn> {
  readonly server: StandIn;
  readonly definition: Record<string, unknown> & { readonly name: string };
}

/** Stand-ins and a signers' file that lists them, in a folder of their own. */
export class StandingSigners {
  readonly folder = mkdtempSync(join(tmpdir(), 'signers-'));
  readonly path = join(this.folder, 'signers.json');
  private readonly servers: SignerStandIn[] = [];
  private names = 0;
  private writes = 0;
  private readonly environment = { ...process.env };

  constructor() {
    // The environment variables where the AWS SDK looks first for credentials; its other sources answer slowly that
    // they are empty.
    process.env['AWS_ACCESS_KEY_ID'] = KmsStandIn.CREDENTIALS.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = KmsStandIn.CREDENTIALS.secretAccessKey;
  }

  /** @param key 32 bytes; random when absent */
  async start(kind: StandInKind, key: Uint8Array = randomBytes(32)): Promise<StandingSigner> {
    const name = `${kind}-${this.names++}`;
    const { server, settings } = await this.started({ kind, key, name });
    this.servers.push(server);
    return { server, definition: { name, kind, address: server.address, ...settings } };
  }

  /** Writes the signers' file. */
  list(...signers: ReadonlyArray<StandingSigner | object>): void {
    const entries = signers.map((signer) => ('definition' in signer ? signer.definition : signer));
    writeFileSync(this.path, JSON.stringify({ signers: entries }));
    // Two writes within the same millisecond must count as two changes.
    this.writes += 1;
    const changedAt = new Date(Date.now() + this.writes * 1_000);
    utimesSync(this.path, changedAt, changedAt);
  }

  async stop(): Promise<void> {
    process.env = this.environment;
    await Promise.all(this.servers.map((server) => server.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async started(input: {
    kind: StandInKind;
    key: Uint8Array;
    name: string;
  }): Promise<{ server: SignerStandIn; settings: object }> {
    const { kind, key, name } = input;
    switch (kind) {
      case 'aws-kms': {
        const server = await KmsStandIn.start(key);
        return { server, settings: { keyId: KmsStandIn.KEY_ID, region: KmsStandIn.REGION, endpoint: server.url } };
      }
      case 'vault': {
        const server = await VaultStandIn.start(key);
        const tokenFile = join(this.folder, `${name}-token`);
        writeFileSync(tokenFile, `${server.token}\n`, { mode: 0o600 });
        const { MOUNT: mount, KEY, NAMESPACE: namespace } = VaultStandIn;
        return { server, settings: { url: server.url, mount, key: KEY, keyVersion: 3, namespace, tokenFile } };
      }
      case 'web3signer': {
        const server = await Web3SignerStandIn.start(key);
        return { server, settings: { url: server.url, publicKey: server.identifier } };
      }
    }
  }
}
