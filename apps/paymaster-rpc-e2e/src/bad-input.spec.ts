import { readStack } from '@paymaster/devnet';
import { callDatas } from './corpus/call-data';
import { envelope } from './corpus/envelope';
import { frames } from './corpus/frame';
import { gases } from './corpus/gas';
import { modes } from './corpus/mode';
import { operations } from './corpus/operation';
import { FRAME, type BadInput, type Given } from './corpus/bad-input';
import { land } from './support/bundler';
import { execute } from './support/call-data';
import { startCanary } from './support/canary';
import { INCREMENT } from './support/demo-contract';
import { expectErrorBody, expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { http, parsed, post, resultOf, type RpcBody, type SponsoredResult } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { askSponsor, AS_SENT, LIMITS, sponsored } from './support/sponsor';
import { signOperation } from './support/wire-operation';

const stack = readStack();
const { address: demo } = stack.demoContract;
/** The promise is 300 ms on a quiet machine; what runs these tests is shared. */
const BUDGET_MS = 300;
/** What is longer is cut off anyway. */
const HARD_LIMIT_MS = 9_000;

let paymaster: FreshPaymaster;
let given: Given;
/** What the good request is answered before anything bad was sent. */
let reference: ReturnType<typeof comparable>;
const slow: string[] = [];
const times: number[] = [];

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
  given = await givenOperations();
  reference = comparable(await goodAnswer());
});

afterAll(() => {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)} ms`;
  process.stdout.write(`\nbad input: ${sorted.length} answers, p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}\n`);
  process.stdout.write(slow.map((line) => `  over ${BUDGET_MS} ms: ${line}\n`).join(''));
});

async function givenOperations(): Promise<Given> {
  const account = await newSimpleAccount(stack, '0.6');
  const account07 = await newSimpleAccount(stack, '0.7');
  const other = await newSimpleAccount(stack, '0.6');
  const callData = execute({ to: demo, data: INCREMENT });
  const operation = await sponsored({
    url: paymaster.url,
    operation: await draftOperation(stack, other, { callData }),
  });
  await land(stack, '0.6', await signOperation(operation, { stack, version: '0.6', owner: other.owner }));
  return {
    stack,
    demo,
    account,
    account07,
    good: { ...(await draftOperation(stack, account, { callData })), ...LIMITS },
    good07: { ...(await draftOperation(stack, account07, { callData })), ...LIMITS },
    deployed: { ...(await draftOperation(stack, other, { callData, nonce: 1n, deployed: true })), ...LIMITS },
  };
}

async function goodAnswer(): Promise<SponsoredResult> {
  return resultOf(await askSponsor({ url: paymaster.url, operation: given.good, mode: AS_SENT }));
}

/** A sponsored answer without what time alone changes: validity and signature. */
function comparable({ paymasterAndData, ...rest }: SponsoredResult) {
  return { ...rest, head: paymasterAndData.slice(0, 44), length: paymasterAndData.length };
}

/** The process lives, and what was sent has changed nothing: the good request is answered as before. */
async function expectUnharmed(): Promise<void> {
  expect((await http({ url: `${stack.paymasterRpc}/health/live`, method: 'GET', headers: {} })).status).toBe(200);
  expect(comparable(await goodAnswer())).toEqual(reference);
}

function expectInTime(what: string, elapsedMs: number): void {
  times.push(elapsedMs);
  if (elapsedMs > BUDGET_MS) slow.push(`${what}: ${elapsedMs.toFixed(0)} ms`);
  expect(elapsedMs).toBeLessThan(HARD_LIMIT_MS);
}

const SECTIONS: [string, readonly BadInput[]][] = [
  ['C1 the HTTP and JSON envelope', envelope],
  ['C2 the JSON-RPC frame', frames],
  ['C3 the partial user operation', operations],
  ['C3 call data', callDatas],
  ['C4 gas, fees, versions', gases],
  ['C5 the mode object', modes],
];

describe.each(SECTIONS)('%s', (_section, cases) => {
  it.each(cases)('$number $title', async ({ number, title, send, error, result }) => {
    const answer = await post({ url: paymaster.url, ...send(given) });
    expectInTime(`${number} ${title}`, answer.elapsedMs);

    if (answer.body.error && error) expectRpcError(answer, { ...error, http: error.http ?? statusFor(answer) });
    else if (error && !result) expectRpcError(answer, error);
    else {
      const value = resultOf<SponsoredResult>(answer);
      if (result && result !== true) await result(value, given);
    }
    await expectUnharmed();
  });

  /** An unknown method belongs to no dialect, so either status of the table is right for it. */
  function statusFor({ body, status }: { body: RpcBody; status: number }): number | undefined {
    return body.error?.code === -32601 && status === 200 ? 200 : undefined;
  }
});

describe('C2 batches and ids', () => {
  const send = async (body: string) => {
    const answer = await http({ url: paymaster.url, body });
    expectInTime(body.slice(0, 40), answer.elapsedMs);
    return answer;
  };
  const entry = (id: unknown, method = 'pm_chainId') => ({ jsonrpc: '2.0', id, method, params: [] });
  const entries = (answer: { text: string }) => JSON.parse(answer.text) as RpcBody[];

  afterEach(expectUnharmed);

  it('36 a batch of numbers: one error each', async () => {
    const bodies = entries(await send('[1,2]'));
    expect(bodies).toHaveLength(2);
    for (const body of bodies) {
      expectErrorBody(body, { code: -32600 });
      expect(body.id).toBeNull();
    }
  });

  it('39 a batch with one bad entry of three: answered in order', async () => {
    const answer = await send(JSON.stringify([entry('a'), entry('b', 'pm_nothing'), entry('c')]));
    const [first, second, third] = entries(answer);
    expect(first).toMatchObject({ id: 'a', result: expect.stringMatching(/^0x/) });
    expectErrorBody(second ?? {}, { code: -32601 });
    expect(second?.id).toBe('b');
    expect(third).toMatchObject({ id: 'c', result: expect.stringMatching(/^0x/) });
  });

  it('39 a batch of 20 is answered', async () => {
    const answer = await send(JSON.stringify(Array.from({ length: 20 }, (_, id) => entry(id))));
    expect(entries(answer).map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, id) => id));
  });

  it('40 a batch of notifications: every one refused, nothing signed', async () => {
    const notification = { ...FRAME, id: undefined, params: [given.good, AS_SENT] };
    const answer = await send(JSON.stringify([notification, notification]));
    expect(answer.text).not.toContain('paymasterAndData');
    const bodies = entries(answer);
    expect(bodies).toHaveLength(2);
    for (const body of bodies) expectErrorBody(body, { code: -32600 });
  });

  it('40 a nested batch is not a request', async () => {
    const bodies = entries(await send(JSON.stringify([[entry(1)]])));
    expect(bodies).toHaveLength(1);
    expectErrorBody(bodies[0] ?? {}, { code: -32600 });
  });

  it.each(['9007199254740993', '-9007199254740993', '123456789012345678901234567890', '1.5', '0', '"1"', '1', 'null'])(
    '48 id %s is echoed digit by digit',
    async (id) => {
      const { text, status } = await send(`{"jsonrpc":"2.0","method":"pm_chainId","params":[],"id":${id}}`);
      expect({ status, id: /"id":([^,}]+)/.exec(text)?.[1] }).toEqual({ status: 200, id });
    },
  );

  it('48 so are the ids of a batch, and of an error', async () => {
    const { text } = await send(
      '[{"jsonrpc":"2.0","method":"pm_chainId","id":9007199254740993},{"jsonrpc":"2.0","method":"x","id":9007199254740995}]',
    );
    expect([...text.matchAll(/"id":(\d+)/g)].map(([, id]) => id)).toEqual(['9007199254740993', '9007199254740995']);
  });

  it('48 an id inside params or a string does not become the id', async () => {
    const { text } = await send(
      '{"jsonrpc":"2.0","params":[{"id":7},"\\"id\\":8"],"method":"pm_chainId","id":9007199254740993}',
    );
    expect(/"id":([^,}]+)/.exec(text)?.[1]).toBe('9007199254740993');
  });

  it('42 no answer ever has the id of another request', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, id) => ({ id, body: parsed(await send(JSON.stringify(entry(id)))).body })),
    );
    for (const { id, body } of answers) expect(body.id).toBe(id);
  });
});

describe('C5 webhookData', () => {
  it('133 a URL in it is not fetched', async () => {
    const canary = await startCanary();
    try {
      const { url } = canary;
      const webhookData = { url, callback: url, webhook_url: url, nested: { href: url } };
      const mode = { ...AS_SENT, sponsorshipInfo: { ...AS_SENT.sponsorshipInfo, webhookData } };
      resultOf(await askSponsor({ url: paymaster.url, operation: given.good, mode }));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(canary.visits()).toBe(0);
    } finally {
      await canary.stop();
    }
  });
});
