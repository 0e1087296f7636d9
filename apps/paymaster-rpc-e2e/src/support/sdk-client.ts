import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const CLIENTS = join(__dirname, '../../clients');

/** The published clients, each in a process of its own with its own dependencies. */
export const SDK_CLIENTS = {
  '@biconomy/account 4.6.3': 'biconomy-account-v4.mjs',
  '@biconomy/paymaster 3.1.4': 'biconomy-paymaster-v3.mjs',
} as const;
export type SdkClient = keyof typeof SDK_CLIENTS;

export interface SdkRequest {
  readonly paymasterUrl: string;
  readonly method: 'getPaymasterFeeQuotesOrData' | 'getPaymasterAndData' | 'buildTokenApprovalTransaction';
  /** What the method takes: mostly the operation, then the client's own options (mode, smartAccountInfo and so on). */
  readonly args: readonly unknown[];
}

/** What the developer gets: a value, or the text of what was thrown. */
export type SdkOutcome =
  | { readonly returned: Readonly<Record<string, unknown>> }
  | { readonly thrown: { readonly message: string; readonly code?: number } };

const WITHIN_MS = 120_000;

/** A client's process, which answers the requests of a test file one after the other. */
class SdkProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;
  private readonly ended: Promise<void>;
  private errors = '';
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly client: SdkClient) {
    this.child = spawn(process.execPath, [join(CLIENTS, SDK_CLIENTS[client])], { cwd: CLIENTS });
    this.child.stderr.on('data', (data: Buffer) => (this.errors += data.toString()));
    // A process that has ended answers no more, which says enough.
    this.child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  ask(request: SdkRequest): Promise<SdkOutcome> {
    const answer = this.turn.then(() => this.askNow(request));
    this.turn = answer.catch(() => undefined);
    return answer;
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    await this.ended;
  }

  private async askNow(request: SdkRequest): Promise<SdkOutcome> {
    const overdue = setTimeout(() => this.child.kill(), WITHIN_MS);
    try {
      this.child.stdin.write(`${JSON.stringify(request)}\n`);
      // Clients print log lines of their own.
      for (let line = await this.lines.next(); !line.done; line = await this.lines.next()) {
        if (line.value.startsWith('{"outcome":')) return (JSON.parse(line.value) as { outcome: SdkOutcome }).outcome;
      }
      throw new Error(`${this.client} did not answer: ${this.errors}`);
    } finally {
      clearTimeout(overdue);
    }
  }
}

const processes = new Map<SdkClient, SdkProcess>();

afterAll(async () => {
  for (const each of processes.values()) await each.end();
  processes.clear();
});

/** Runs one method of an unmodified client. */
export function runSdk(client: SdkClient, request: SdkRequest): Promise<SdkOutcome> {
  const running = processes.get(client) ?? new SdkProcess(client);
  processes.set(client, running);
  return running.ask(request);
}

/** @throws when the client threw */
export function returnedBy(outcome: SdkOutcome): Readonly<Record<string, unknown>> {
  if ('returned' in outcome) return outcome.returned;
  throw new Error(`the client threw: ${outcome.thrown.message}`);
}
