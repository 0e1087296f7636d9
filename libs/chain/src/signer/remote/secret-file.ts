import { readFileSync, statSync } from 'node:fs';
import { monotonicClock, type MonotonicClock } from '../../providers/monotonic-clock';
import { SignerError } from '../signer-error';

/** How long a file is taken to be unchanged without a look. */
const LOOK_EVERY_MS = 5_000;

/** A secret in a file that somebody else renews, for example Vault's agent. Read again when the file has changed. */
export class SecretFile {
  private text: string | undefined;
  private changedAtMs = Number.NaN;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly path: string,
    private readonly clock: MonotonicClock = monotonicClock,
  ) {}

  /** @throws {SignerError} refused, when there is no such file or nothing in it */
  read(): string {
    if (this.text === undefined || this.clock() - this.lookedAt >= LOOK_EVERY_MS) this.look();
    if (!this.text) throw new SignerError('refused', 'the token file is empty or cannot be read');
    return this.text;
  }

  /** Looks at once, because the secret was refused. @returns whether it is another now */
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
      // A file that is being replaced: what was read last is still the best guess.
    }
  }
}
