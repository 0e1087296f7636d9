/** Something that changes by itself; listeners hear of each change. */
class Observed<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): T => this.value;

  /** Ends when it has this value. */
  async until(value: T): Promise<void> {
    while (this.value !== value) {
      await new Promise<void>((resolve) => {
        const leave = this.subscribe(() => {
          leave();
          resolve();
        });
      });
    }
  }

  set(value: T): void {
    if (value === this.value) return;
    this.value = value;
    for (const listener of this.listeners) listener();
  }
}

/** Whether the dashboard could not be reached lately. */
export const lost = new Observed(false);

/** The stream of events: `up` while it tells what happens, `down` when it could not be opened. */
export const live = new Observed<'off' | 'up' | 'down'>('off');
