/** An event of the account, as `GET /events` tells it. */
export interface StreamEvent {
  readonly id: string | undefined;
  /** `operation.settled`, `policy.changed`, or `reset`: events were lost. */
  readonly type: string;
  readonly paymasterId: string | undefined;
}

/** Reads server-sent events from a text that arrives in pieces. */
export class EventStreamParser {
  private rest = '';

  /** Takes the next piece and returns the events that are complete now. Skips comments, which keep the connection open. */
  take(piece: string): readonly StreamEvent[] {
    const blocks = (this.rest + piece).split('\n\n');
    this.rest = blocks.pop() ?? '';
    return blocks.map(fieldsOf).flatMap(({ id, event, data }) => {
      return event === undefined ? [] : [{ id, type: event, paymasterId: paymasterOf(data) }];
    });
  }
}

function fieldsOf(block: string): Readonly<Record<string, string | undefined>> {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line) ?? []);
  return Object.fromEntries(lines.flatMap(([, name, value]) => (name ? [[name, value]] : [])));
}

function paymasterOf(data: string | undefined): string | undefined {
  try {
    const { paymasterId } = JSON.parse(data ?? '{}') as { paymasterId?: unknown };
    return typeof paymasterId === 'string' ? paymasterId : undefined;
  } catch {
    return undefined;
  }
}
