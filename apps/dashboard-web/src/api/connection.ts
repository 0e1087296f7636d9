/** Whether the dashboard was reached lately. Listeners hear of each change. */
class Connection {
  private isLost = false;
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly lost = (): boolean => this.isLost;

  set(isLost: boolean): void {
    if (isLost === this.isLost) return;
    this.isLost = isLost;
    for (const listener of this.listeners) listener();
  }
}

export const connection = new Connection();
