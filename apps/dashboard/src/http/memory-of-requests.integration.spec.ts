import { connect, type Socket } from 'node:net';
import { startDashboard, type DashboardUnderTest } from '../testing/dashboard-under-test';
import { contractBody, COUNTER_ABI, createPaymaster, type Keys } from '../testing/requests';

const SDK = '/api/v2/public/sdk';
const LARGEST_BODY = 1_048_576;
/** Sixteen of them are what a paymaster may have of ABIs, and more than the kernel takes of an unread connection. */
const ABI = COUNTER_ABI.padEnd(512 * 1_024);

describe('what requests keep of memory', () => {
  let dashboard: DashboardUnderTest;
  let keys: Keys;
  let port: number;
  let sockets: Socket[];

  beforeAll(async () => {
    dashboard = await startDashboard();
    keys = await createPaymaster(dashboard);
    await dashboard.app.listen(0, '127.0.0.1');
    port = Number(new URL(await dashboard.app.getUrl()).port);
  });
  beforeEach(() => (sockets = []));
  afterEach(() => sockets.forEach((socket) => socket.destroy()));
  afterAll(() => dashboard.stop());

  /** Sends a request and reads nothing. */
  const open = (head: readonly string[], body?: Buffer): void => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${[...head, 'host: a', '', ''].join('\r\n')}`);
      if (body) socket.write(body);
    });
    sockets.push(socket.on('error', () => undefined).pause());
  };

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${SDK}${path}`, {
      ...init,
      headers: { ...keys, 'content-type': 'application/json' },
    });

  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    const endsAtMs = performance.now() + 30_000;
    while (!(await condition())) {
      if (performance.now() > endsAtMs) throw new Error('it does not come to that');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  const statusOf = async (path: string, init?: RequestInit): Promise<number> => {
    const answer = await ask(path, init);
    await answer.arrayBuffer();
    return answer.status;
  };
  const post = (): Promise<number> =>
    statusOf('/smart-contract', { method: 'POST', body: JSON.stringify(contractBody()).padEnd(LARGEST_BODY) });

  it('is bounded over all bodies that are not complete, from whomever they come', async () => {
    const head = [`POST ${SDK}/paymaster HTTP/1.1`, 'content-type: application/json'];
    const unfinished = Buffer.alloc(LARGEST_BODY - 1, ' ');
    for (let sent = 0; sent < 40; sent++) open([...head, `content-length: ${LARGEST_BODY}`], unfinished);
    await until(async () => (await post()) === 503);
    expect(await statusOf('/paymaster')).toBe(200);
    sockets.forEach((socket) => socket.destroy());
    await until(async () => (await post()) === 200);
    for (let sent = 0; sent < 40; sent++) expect(await post()).toBe(200);
  });

  it('is bounded over all lists of contracts that nobody reads', async () => {
    const other = await createPaymaster(dashboard);
    for (let at = 0; at < 16; at++) {
      const body = { ...contractBody(), abi: ABI };
      const { status } = await dashboard.call({ method: 'POST', path: '/smart-contract', ...other, body });
      expect(status).toBe(200);
    }
    const list = ['smart-contract', 'paymaster-policy/export'];
    const head = [`authToken: ${other.authToken}`, `apiKey: ${other.apiKey}`];
    for (let sent = 0; sent < 8; sent++) open([`GET ${SDK}/${list[sent % 2]} HTTP/1.1`, ...head]);
    const listOther = async (): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}${SDK}/smart-contract`, { headers: { ...other } });
      await answer.arrayBuffer();
      return answer.status;
    };
    await until(async () => (await listOther()) === 503);
    expect(await statusOf('/paymaster-policy')).toBe(200);
    sockets.forEach((socket) => socket.destroy());
    await until(async () => (await listOther()) === 200);
  });
});
