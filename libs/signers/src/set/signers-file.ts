import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SignerError, SignerKeyError } from '../signer/signer-error';
import { RemoteSigner } from '../remote/remote-signer';
import { LiveSigner, type SignerListeners } from './live-signer';
import { makeSigner } from './make-signer';
import { parseSigners } from './parse-signers';
import type { SignerDefinition } from './signers-schema';

/** Fields that name a file; paths are relative to the signers' file. */
const FILE_FIELDS = new Set(['keystoreFile', 'passphraseFile', 'caFile', 'certFile', 'keyFile', 'tokenFile']);

/** An entry as it was when its signer was made: while it stays the same, the signer is kept. */
interface Known {
  readonly identity: string;
  readonly signer: LiveSigner;
}

/**
 * The operator's file of live signers, and the signers made from it. When it is read again, it keeps the signers whose
 * entry and files are unchanged, so that their state is kept and no keystore is decrypted twice.
 */
export class SignersFile {
  private known: readonly Known[] = [];
  /** State of the file and the files it names at the last read, whether that was valid or not. */
  private seen = '';
  private watched: readonly string[];

  constructor(
    private readonly path: string,
    private readonly settings: { nodeEnv: string | undefined; timeoutMs: number; listeners: SignerListeners },
  ) {
    this.watched = [path];
  }

  /** Whether the file, or a file that it names, has changed since the last read. */
  hasChanged(): boolean {
    return stampOf(this.watched) !== this.seen;
  }

  /**
   * Reads the file. New signers are asked to sign something worthless. A signer that does not answer is down; a signer
   * with another key makes the whole file invalid.
   *
   * @throws {SignerKeyError} naming the file, the entry and the field
   */
  async read(): Promise<readonly LiveSigner[]> {
    this.seen = stampOf(this.watched);
    const definitions = this.definitions();
    this.watched = [this.path, ...definitions.flatMap(watchedFilesOf)];
    this.seen = stampOf(this.watched);
    const known = await Promise.all(definitions.map((definition, index) => this.knownOf(definition, index)));
    this.known = known;
    return known.map(({ signer }) => signer);
  }

  private definitions(): readonly SignerDefinition[] {
    const { nodeEnv } = this.settings;
    const folder = dirname(resolve(this.path));
    return parseSigners(this.json(), { path: this.path, nodeEnv }).map((definition) => ({
      ...definition,
      ...Object.fromEntries(filesOf(definition).map(([field, path]) => [field, resolve(folder, path)])),
    }));
  }

  private json(): unknown {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (cause) {
      throw new SignerKeyError(`${this.path}: cannot be read`, { cause });
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new SignerKeyError(`${this.path}: is not JSON`);
    }
  }

  private async knownOf(definition: SignerDefinition, index: number): Promise<Known> {
    const identity = JSON.stringify(definition) + stampOf(watchedFilesOf(definition));
    const known = this.known.find((before) => before.identity === identity);
    if (known) return known;
    try {
      const signer = await makeSigner(definition, this.settings.timeoutMs);
      const live = new LiveSigner(definition.name, signer, this.settings.listeners);
      if (signer instanceof RemoteSigner) await assertRightKey(live, signer);
      return { identity, signer: live };
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : 'cannot be used';
      throw new SignerKeyError(`${this.path}: signers.${index} (${definition.name}): ${problem}`, { cause });
    }
  }
}

/** @throws when the key differs from the entry; if the signer does not answer, it is only down until it answers */
async function assertRightKey(live: LiveSigner, signer: RemoteSigner): Promise<void> {
  try {
    await signer.assertOwnKey();
    await live.probe();
  } catch (error) {
    const isOutage = error instanceof SignerError && error.kind !== 'lying';
    if (!isOutage) {
      live.close();
      throw error;
    }
    if (live.isUp) live.takeOut(error);
  }
}

function filesOf(definition: SignerDefinition): Array<[field: string, path: string]> {
  return Object.entries(definition).filter(([field]) => FILE_FIELDS.has(field));
}

/** Leaves out the token file: the token is renewed often, and the Vault key reads it again by itself. */
function watchedFilesOf(definition: SignerDefinition): string[] {
  return filesOf(definition).flatMap(([field, path]) => (field === 'tokenFile' ? [] : [path]));
}

/**
 * A text that changes when one of the files changes. It includes the inode, because a mounted Secret is replaced by
 * another file, perhaps of the same age.
 */
function stampOf(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : 'none';
    })
    .join();
}
