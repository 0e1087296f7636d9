import type { SignersFile } from './signers-file';
import type { SignerSet } from './signer-set';

/** How often signers that are down are tested. */
const PROBE_MS = 2_000;
/** How often it is looked whether the signers' file changed. */
const LOOK_MS = 10_000;

export interface SignerUpkeepSettings {
  readonly probeMs?: number;
  readonly lookMs?: number;
  /** Called when the file was read again. */
  readonly onReloaded?: () => void;
  /** Called with the reason when a changed file was not accepted. */
  readonly onRefused?: (error: unknown) => void;
}

/** Tests in the background whether signers that are down are up again, and reads the signers' file when it changed. */
export class SignerUpkeep {
  private readonly timers: NodeJS.Timeout[] = [];
  private refused: string | undefined;
  private isStopped = false;

  constructor(
    private readonly set: SignerSet,
    private readonly file: SignersFile | undefined,
    private readonly settings: SignerUpkeepSettings = {},
  ) {}

  /** The problem of the current file; meanwhile the former signers stay in use. */
  get trouble(): string | undefined {
    return this.refused;
  }

  start(): void {
    const { probeMs = PROBE_MS, lookMs = LOOK_MS } = this.settings;
    this.every(probeMs, () => this.probeThoseDown());
    if (this.file) this.every(lookMs, () => this.reloadIfChanged(this.file!));
  }

  /** Also closes the set. */
  stop(): void {
    this.isStopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.set.close();
  }

  private every(ms: number, work: () => Promise<void>): void {
    const index = this.timers.length;
    const again = () => {
      if (this.isStopped) return;
      this.timers[index] = setTimeout(() => void work().finally(again), ms);
      this.timers[index].unref();
    };
    again();
  }

  private async probeThoseDown(): Promise<void> {
    const down = this.set.all().filter(({ isUp }) => !isUp);
    await Promise.allSettled(down.map((signer) => signer.probe()));
  }

  private async reloadIfChanged(file: SignersFile): Promise<void> {
    if (!file.hasChanged()) return;
    try {
      const signers = await file.read();
      if (this.isStopped) return;
      this.set.replace(signers);
      this.refused = undefined;
      this.settings.onReloaded?.();
    } catch (error) {
      this.refused = error instanceof Error ? error.message : 'cannot be read';
      this.settings.onRefused?.(error);
    }
  }
}
