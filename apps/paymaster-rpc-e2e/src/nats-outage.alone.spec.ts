import { readStack, startNatsOf, stopNatsOf } from '@paymaster/devnet';
import { execute } from './support/call-data';
import { INCREMENT } from './support/demo-contract';
import { eventually, OBEYED_MS, PATIENCE_MS } from './support/eventually';
import { expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, whitelist, type FreshPaymaster } from './support/fresh-paymaster';
import { http, resultOf, type RpcAnswer } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { askSponsor, AS_SENT, LIMITS, SPONSORED } from './support/sponsor';
import type { WireOperation } from './support/wire-operation';

const stack = readStack();

interface Health {
  readonly status: string;
  readonly checks: Readonly<Record<string, { readonly status: string }>>;
}

let known: FreshPaymaster;
let neverAsked: FreshPaymaster;
let operation: WireOperation;

beforeAll(async () => {
  [known, neverAsked] = [await freshPaymaster(stack), await freshPaymaster(stack)];
  const account = await newSimpleAccount(stack, '0.6');
  const callData = execute({ to: stack.demoContract.address, data: INCREMENT });
  operation = { ...(await draftOperation(stack, account, { callData })), ...LIMITS };
});

afterAll(() => startNatsOf(stack));

const ask = ({ url }: FreshPaymaster): Promise<RpcAnswer> => askSponsor({ url, operation, mode: AS_SENT });

async function health(path = '/health'): Promise<Health & { http: number }> {
  const answer = await http({ url: `${stack.paymasterRpcMonitor}${path}`, method: 'GET', headers: {} });
  return { ...(JSON.parse(answer.text) as Health), http: answer.status };
}

/** The health check that is about NATS, whatever else its name says. */
function natsCheck({ checks }: Health): string | undefined {
  return Object.entries(checks).find(([name]) => /nats|messag|broker|polic/i.test(name))?.[1].status;
}

// One story in order: each part starts where the one before it ended.
describe('an outage of nats-server', () => {
  it('before: /health says ok and the gateway signs', async () => {
    // Whatever ran before may have left a price that is not believed yet.
    const before = await eventually(PATIENCE_MS, async () => {
      const now = await health();
      expect(now.status).toBe('ok');
      return now;
    });
    expect(natsCheck(before)).toBe('up');
    resultOf(await ask(known));
  });

  it('the gateway goes on signing from its snapshot, with and without estimation', async () => {
    await stopNatsOf(stack);
    resultOf(await ask(known));
    resultOf(await askSponsor({ url: known.url, operation, mode: SPONSORED }));
    for (let round = 0; round < 12; round++) {
      resultOf(await ask(known));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  });

  it('says so on /health, and stays ready and alive', async () => {
    const during = await eventually(PATIENCE_MS, async () => {
      const now = await health();
      expect(now.status).toBe('degraded');
      return now;
    });
    expect(['down', 'degraded']).toContain(natsCheck(during));
    await eventually(PATIENCE_MS, async () => expect((await health('/health/ready')).http).toBe(200));
    expect((await health('/health/live')).http).toBe(200);
  });

  it('a paymaster it has no snapshot of is refused with -32011 and may be asked again later', async () => {
    expectRpcError(await ask(neverAsked), { code: -32011 });
  });

  it('the dashboard still takes changes', async () => {
    await whitelist(stack, known.apiKey, ['add']);
  });

  it('restarted, it recovers by itself: healthy, knows every key, obeys what it missed', async () => {
    await startNatsOf(stack);
    await eventually(PATIENCE_MS, async () => expect((await health()).status).toBe('ok'));
    await eventually(PATIENCE_MS, async () => resultOf(await ask(neverAsked)));
    await eventually(PATIENCE_MS, async () => expectRpcError(await ask(known), { code: -32501 }));
  });

  it('after: a change is obeyed within a second again', async () => {
    await whitelist(stack, known.apiKey, ['increment']);
    await eventually(OBEYED_MS, async () => resultOf(await ask(known)));
  });
});
