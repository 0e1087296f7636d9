import { readFileSync, statSync } from 'node:fs';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import { SignerError } from '../signer/signer-error';

/** For how long a file counts as unchanged without a check. */
const LOOK_EVERY_MS = 5_000;

/** A secret in a file that another program renews, for example Vault's agent. Read again when the file has changed. */
export class SecretFile {
  private text: string | undefined;
  private changedAtMs = Number.NaN;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly path: string,
    private readonly clock: MonotonicClock = monotonicClock,
  ) {}

  /** @throws {SignerError} refused, when the file is missing or empty */
  read(): string {
    if (this.text === undefined || this.clock() - this.lookedAt >= LOOK_EVERY_MS) this.look();
    if (!this.text) throw new SignerError('refused', 'the token file is empty or cannot be read');
    return this.text;
  }

  /** Checks the file at once, because the secret was refused. @returns whether the secret has changed */
  renewed(): boolean {
    const before = this.text;
    this.look();
    return this.text !== undefined && this.text !== before;
  }

  private look(): void {
    this.lookedAt = this.clock();
    try {
      const { mtimeMs } = statSync(this.path);
      if (mtimeMs === this.changedAtMs) return;
      this.text = readFileSync(this.path, 'utf8').trim();
      this.changedAtMs = mtimeMs;
    } catch {
      // The file is probably being replaced, so the last content is used.
    }
  }
}
