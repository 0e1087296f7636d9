interface OfClient {
  running: number;
  readonly waiting: Array<() => void>;
}

/**
 * Limits how many tasks run at the same time, in all and per client. Further tasks wait, each client's in its own line.
 * The lines are served in turn, so a client with many tasks does not delay the others.
 */
export class ClientTurns {
  private running = 0;
  /** In the order in which they are served; the line that was served last is at the end. */
  private readonly lines = new Map<string, OfClient>();

  constructor(private readonly bounds: { readonly most: number; readonly mostOfClient: number }) {}

  /** Does the work when the client's turn comes. */
  async take<T>(client: string, work: () => Promise<T>): Promise<T> {
    const line = this.lineOf(client);
    if (this.mayRun(line)) this.begin(line);
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.end(client, line);
    }
  }

  private lineOf(client: string): OfClient {
    const known = this.lines.get(client);
    if (known) return known;
    const line = { running: 0, waiting: [] };
    this.lines.set(client, line);
    return line;
  }

  private mayRun({ running }: OfClient): boolean {
    return this.running < this.bounds.most && running < this.bounds.mostOfClient;
  }

  private begin(line: OfClient): void {
    this.running += 1;
    line.running += 1;
  }

  private end(client: string, line: OfClient): void {
    this.running -= 1;
    line.running -= 1;
    if (line.running === 0 && line.waiting.length === 0) this.lines.delete(client);
    this.serveNext();
  }

  private serveNext(): void {
    for (const [client, line] of this.lines) {
      if (line.waiting.length === 0 || !this.mayRun(line)) continue;
      this.lines.delete(client);
      this.lines.set(client, line);
      this.begin(line);
      return line.waiting.shift()!();
    }
  }
}
