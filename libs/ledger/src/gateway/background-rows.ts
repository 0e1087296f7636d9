import { isAboutTheData } from './is-about-the-data';

export interface BackgroundRowsOptions<Row> {
  /** Writes all rows or no row. Rejects with the error of the database. */
  readonly insert: (rows: readonly Row[]) => Promise<unknown>;
  /** The most rows of one statement. */
  readonly batch: number;
  /** The most that wait while the database is down; more are dropped. */
  readonly most: { readonly rows: number; readonly characters?: number };
  readonly sizeOf?: (row: Row) => number;
  /** Rows of one key are written one after the other, in their order. */
  readonly keyOf?: (row: Row) => string;
}

const FLUSH_AFTER_MS = 250;

/** Rows that are written in the background, so that no request waits for them. Rows above the bounds are dropped. */
export class BackgroundRows<Row> {
  /** How many were dropped since the start. */
  dropped = 0;
  private buffer: Row[] = [];
  private characters = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> | undefined;

  constructor(private readonly options: BackgroundRowsOptions<Row>) {}

  add(row: Row): void {
    const { most, batch } = this.options;
    const size = this.sizeOf(row);
    if (this.buffer.length >= most.rows || this.characters + size > (most.characters ?? Infinity)) {
      this.dropped++;
      return;
    }
    this.buffer.push(row);
    this.characters += size;
    if (this.buffer.length >= batch) void this.flush();
    else this.flushLater();
  }

  /** Writes the rows that wait, and drops those that cannot be written now. */
  async close(): Promise<void> {
    await this.flushing;
    for (let before = Infinity; this.buffer.length > 0 && this.buffer.length < before;) {
      before = this.buffer.length;
      await this.flush();
    }
    clearTimeout(this.timer);
    this.dropped += this.buffer.length;
    this.buffer = [];
  }

  private flush(): Promise<void> {
    this.flushing ??= this.write().finally(() => {
      this.flushing = undefined;
      if (this.buffer.length > 0) this.flushLater();
    });
    return this.flushing;
  }

  private flushLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.flush();
    }, FLUSH_AFTER_MS).unref();
  }

  private async write(): Promise<void> {
    const rows = this.next();
    try {
      await this.insert(rows);
      this.buffer.splice(0, rows.length);
      for (const row of rows) this.characters -= this.sizeOf(row);
    } catch {
      // `Database` has reported the fault already; the rows wait.
    }
  }

  /** The oldest rows, up to the first whose key has occurred. */
  private next(): readonly Row[] {
    const { batch, keyOf } = this.options;
    const rows = this.buffer.slice(0, batch);
    if (!keyOf) return rows;
    const keys = new Set<string>();
    const end = rows.findIndex((row) => keys.size === keys.add(keyOf(row)).size);
    return end === -1 ? rows : rows.slice(0, end);
  }

  /**
   * Drops rows that the database refuses, and writes the others. It tries halves until a bad row is alone. That takes
   * at most two statements per row, and few statements if few rows are bad.
   */
  private async insert(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await this.options.insert(rows);
    } catch (error) {
      if (!isAboutTheData(error)) throw error;
      if (rows.length === 1) this.dropped++;
      else for (const half of halves(rows)) await this.insert(half);
    }
  }

  private sizeOf(row: Row): number {
    return this.options.sizeOf?.(row) ?? 0;
  }
}

function halves<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const middle = Math.ceil(rows.length / 2);
  return [rows.slice(0, middle), rows.slice(middle)];
}
