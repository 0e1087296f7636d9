import type { Socket } from 'node:net';

/** What the network between two programs is like. */
export type Weather =
  | { readonly kind: 'pass' }
  /** Nobody listens: connections are reset, new ones too. */
  | { readonly kind: 'drop' }
  /** Connections open and stay open, and nothing comes through either way. */
  | { readonly kind: 'halfOpen' }
  /** Requests go through, answers do not: the outcome of what was asked is unknown. */
  | { readonly kind: 'deaf' }
  /**
   * Every byte is late by `ms` each way. A lost packet is late once more: TCP sends it again after `retransmitMs`, and
   * what was sent after it waits.
   */
  | { readonly kind: 'delay'; readonly ms: number; readonly lossRate?: number; readonly retransmitMs?: number }
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number }
  /** Each connection is reset after so many bytes of answers. */
  | { readonly kind: 'cut'; readonly afterBytes: number };

interface Piece {
  readonly bytes: Buffer;
  /** When it arrives; milliseconds of the monotonic clock. */
  readonly dueMs: number;
}

/**
 * One direction of a connection. TCP loses nothing and keeps the order: what does not get through waits until it does,
 * or until the connection is gone.
 */
export class Passage {
  private weather: Weather;
  private readonly from: Socket;
  private readonly to: Socket;
  private readonly carries: 'requests' | 'answers';
  private readonly underWay: Piece[] = [];
  private lastDueMs = 0;
  private carriedBytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(route: { from: Socket; to: Socket; carries: 'requests' | 'answers'; weather: Weather }) {
    this.from = route.from;
    this.to = route.to;
    this.carries = route.carries;
    this.weather = route.weather;
    this.from.on('data', (bytes) => this.carry(bytes));
  }

  become(weather: Weather): void {
    this.weather = weather;
    this.deliver();
  }

  end(): void {
    clearTimeout(this.timer);
    this.underWay.length = 0;
  }

  private carry(bytes: Buffer): void {
    const { weather } = this;
    this.carriedBytes += bytes.length;
    if (weather.kind === 'cut' && this.carries === 'answers' && this.carriedBytes > weather.afterBytes) {
      this.to.resetAndDestroy();
      return;
    }
    const nowMs = performance.now();
    // A slow link carries one piece after the other; a long one carries them together.
    const startsMs = weather.kind === 'throttle' ? Math.max(nowMs, this.lastDueMs) : nowMs;
    this.lastDueMs = Math.max(this.lastDueMs, startsMs + lateMs(bytes, weather));
    this.underWay.push({ bytes, dueMs: this.lastDueMs });
    this.deliver();
  }

  private deliver(): void {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    const nowMs = performance.now();
    while (this.underWay[0] && this.underWay[0].dueMs <= nowMs) {
      const { bytes } = this.underWay.shift()!;
      if (!this.to.destroyed) this.to.write(bytes);
    }
    const [next] = this.underWay;
    if (next) this.timer = setTimeout(() => this.deliver(), next.dueMs - nowMs);
  }

  private get isClosed(): boolean {
    const { kind } = this.weather;
    return kind === 'halfOpen' || kind === 'drop' || (kind === 'deaf' && this.carries === 'answers');
  }
}

function lateMs(bytes: Buffer, weather: Weather): number {
  if (weather.kind === 'throttle') return (bytes.length / weather.bytesPerSecond) * 1_000;
  if (weather.kind !== 'delay') return 0;
  const isLost = Math.random() < (weather.lossRate ?? 0);
  return weather.ms + (isLost ? (weather.retransmitMs ?? 200) : 0);
}
