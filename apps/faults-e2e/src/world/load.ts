import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex, UserOperationV06 } from '@paymaster/domain';
import { Agent, request } from 'node:http';
import { until } from '@paymaster/domain/testing';
import { newOperation, sponsorRequest, type SignatureCheck } from './operations';

/** A client that hears nothing for so long has given up; milliseconds. */
const CLIENT_GIVES_UP_MS = 20_000;

/** What became of one request. */
export interface Answer {
  readonly operation: UserOperationV06;
  /** Base URL of the gateway that was asked. */
  readonly gateway: string;
  /** Milliseconds of this process's monotonic clock. */
  readonly askedMs: number;
  readonly answeredMs: number;
  /** `failed`: no answer, or one that is none. A `wrong` signature is never excused. */
  readonly outcome: 'signed' | 'refused' | 'failed' | 'wrong';
  /** Code of the refusal, or why it failed. */
  readonly detail: string;
  /** Unix seconds of the chain; of a signature. */
  readonly validUntilSeconds: number | undefined;
}

export const latencyMs = ({ askedMs, answeredMs }: Answer): number => answeredMs - askedMs;

/** Clients of the gateways: so many requests a second, each an operation of its own, whatever becomes of the others. */
export class Load {
  readonly answers: Answer[] = [];
  /** Requests without an answer so far. */
  waiting = 0;
  /** The most there ever were. */
  mostWaiting = 0;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly timer: NodeJS.Timeout;
  private sent = 0;
  private readonly startedMs = performance.now();

  constructor(
    private readonly options: {
      /** Where requests go, one after the other. */
      readonly gateways: () => readonly string[];
      readonly apiKey: string;
      readonly chainId: number;
      readonly perSecond: number;
      readonly demo: Parameters<typeof newOperation>[0];
      readonly check: SignatureCheck;
    },
  ) {
    this.timer = setInterval(() => this.sendWhatIsDue(), 10);
  }

  /** Ends it, and waits for the answers that are due. */
  async stop(): Promise<readonly Answer[]> {
    clearInterval(this.timer);
    await until(() => this.waiting === 0);
    this.agent.destroy();
    return this.answers;
  }

  /** Answers to what was asked since then. */
  since(ms: number): readonly Answer[] {
    return this.answers.filter(({ askedMs }) => askedMs >= ms);
  }

  /** How long it takes from now until so many requests in a row are signed; milliseconds. */
  async recoversWithin(limitMs: number, inARow = 5): Promise<number> {
    const fromMs = performance.now();
    for (;;) {
      const answers = this.since(fromMs);
      const firstOfRun = answers.findIndex((_, index) => {
        const run = answers.slice(index, index + inARow);
        return run.length === inARow && run.every(({ outcome }) => outcome === 'signed');
      });
      if (firstOfRun >= 0) return answers[firstOfRun]!.answeredMs - fromMs;
      if (performance.now() - fromMs > limitMs) return Infinity;
      await sleep(20);
    }
  }

  private sendWhatIsDue(): void {
    const due = ((performance.now() - this.startedMs) / 1_000) * this.options.perSecond;
    // What this process slept through is not sent at once.
    if (due - this.sent > this.options.perSecond) this.sent = Math.floor(due);
    while (this.sent < due) {
      const gateways = this.options.gateways();
      const gateway = gateways[this.sent++ % gateways.length];
      if (gateway !== undefined) void this.ask(gateway);
    }
  }

  private async ask(gateway: string): Promise<void> {
    this.waiting += 1;
    this.mostWaiting = Math.max(this.mostWaiting, this.waiting);
    const { apiKey, chainId, demo, check } = this.options;
    const operation = newOperation(demo);
    const url = `${gateway}/api/v2/${chainId}/${apiKey}`;
    this.answers.push(await askOnce({ url, gateway, operation, check, agent: this.agent }));
    this.waiting -= 1;
  }
}

/** One request for one operation, its answer checked. Never rejects. */
export async function askOnce(input: {
  url: string;
  gateway: string;
  operation: UserOperationV06;
  check: SignatureCheck;
  agent: Agent;
}): Promise<Answer> {
  const { url, gateway, operation, check, agent } = input;
  const askedMs = performance.now();
  const told = (
    outcome: Answer['outcome'],
    detail: string,
    answeredMs: number,
    validUntilSeconds?: number,
  ): Answer => ({
    ...{ operation, gateway, askedMs, answeredMs, outcome, detail, validUntilSeconds },
  });
  let body: string;
  try {
    body = await post({ url, body: sponsorRequest(operation), agent });
  } catch (error) {
    return told('failed', (error as NodeJS.ErrnoException).code ?? String(error), performance.now());
  }
  const answeredMs = performance.now();
  try {
    const { result, error } = JSON.parse(body) as {
      result?: { paymasterAndData: Hex };
      error?: { code: number; data?: { reason?: string; dependency?: string } };
    };
    if (error) {
      const kind = error.code === -32603 || error.code === -32700 ? 'failed' : 'refused';
      return told(kind, [error.code, error.data?.reason, error.data?.dependency].filter(Boolean).join(' '), answeredMs);
    }
    return told('signed', '', answeredMs, check.validUntilSeconds(operation, result!.paymasterAndData));
  } catch (error) {
    return told('wrong', `${String(error)}: ${body.slice(0, 200)}`, answeredMs);
  }
}

/** As HTTP clients do: a kept connection that its server has closed meanwhile is no answer, and a new one is tried. */
async function post(call: { url: string; body: string; agent: Agent }): Promise<string> {
  try {
    return await postOnce(call);
  } catch (error) {
    if (!(error instanceof ClosedMeanwhile)) throw error;
    return postOnce({ ...call, agent: new Agent() });
  }
}

class ClosedMeanwhile extends Error {}

function postOnce({ url, body, agent }: { url: string; body: string; agent: Agent }): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(url, { method: 'POST', agent, headers, timeout: CLIENT_GIVES_UP_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (more: string) => (text += more));
      response.on('error', reject);
      response.on('end', () => resolve(text));
    });
    call.on('timeout', () => call.destroy(Object.assign(new Error('no answer'), { code: 'NO_ANSWER' })));
    call.on('error', (error: NodeJS.ErrnoException) =>
      reject(call.reusedSocket && error.code === 'ECONNRESET' ? new ClosedMeanwhile() : error),
    );
    call.end(body);
  });
}
