import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { until } from '@paymaster/domain/testing';
import type { SmartContractView } from '../../programs/smart-contracts/smart-contract.view';
import { SmartContractsService } from '../../programs/smart-contracts/smart-contracts.service';
import { startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { contractBody, COUNTER_ABI, createPaymaster, type Keys } from '../../testing/requests';

const SDK = '/api/v2/public/sdk';
const LARGEST_BODY = 1_048_576;
/** Sixteen of these ABIs are the most that a paymaster may have. */
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

  /** Sends a request once or again and again, and reads no answer. */
  const open = (head: readonly string[], { body = '', everyMs }: { body?: string; everyMs?: number } = {}): Socket => {
    const request = `${[...head, 'host: a', '', ''].join('\r\n')}${body}`;
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    if (everyMs !== undefined) {
      const again = setInterval(() => socket.write(request), everyMs);
      socket.once('close', () => clearInterval(again));
    }
    sockets.push(socket.on('error', () => undefined).pause());
    return socket;
  };

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${SDK}${path}`, {
      ...init,
      headers: { ...keys, 'content-type': 'application/json' },
    });

  const statusOf = async (path: string, init?: RequestInit): Promise<number> => {
    const answer = await ask(path, init);
    await answer.arrayBuffer();
    return answer.status;
  };
  const post = (): Promise<number> =>
    statusOf('/smart-contract', { method: 'POST', body: JSON.stringify(contractBody()).padEnd(LARGEST_BODY) });

  it('is bounded for incomplete bodies: the oldest are given up for clients that send quickly', async () => {
    const head = [`POST ${SDK}/paymaster HTTP/1.1`, 'content-type: application/json'];
    const body = ' '.repeat(LARGEST_BODY - 1);
    const answers: string[] = [];
    for (let sent = 0; sent < 40; sent++) {
      open([...head, `content-length: ${LARGEST_BODY}`], { body })
        .once('data', (answer) => answers.push(String(answer)))
        .resume();
    }
    // 32 have room.
    await until(async () => answers.length >= 40 - 32);
    for (let sent = 0; sent < 20; sent++) expect(await post()).toBe(200);
    // On a busy machine the other requests may time out: then they get a 408.
    const refused = answers.filter((answer) => !answer.startsWith('HTTP/1.1 408 '));
    expect(refused.length).toBeLessThan(20);
    for (const answer of refused) expect(answer).toMatch(/^HTTP\/1.1 503 .*"statusCode":503/s);
  });

  it('does not include bodies that were refused unread, and making room does not end their requests', async () => {
    const refused: string[] = [];
    for (let sent = 0; sent < 40; sent++) {
      const head = [`POST ${SDK}/paymaster HTTP/1.1`, 'content-type: text/plain', `content-length: ${LARGEST_BODY}`];
      const socket = open(head, { body: ' ' });
      socket.once('data', (answer) => {
        refused.push(String(answer));
        socket.write(' '.repeat(LARGEST_BODY / 2));
      });
      socket.resume();
    }
    await until(async () => refused.length === 40);
    for (const answer of refused) expect(answer).toMatch(/^HTTP\/1.1 415 /);
    const head = [`POST ${SDK}/paymaster HTTP/1.1`, 'content-type: application/json'];
    const answers: string[] = [];
    for (let sent = 0; sent < 30; sent++) {
      open([...head, `content-length: ${LARGEST_BODY}`], { body: ' '.repeat(LARGEST_BODY - 1) })
        .once('data', (answer) => answers.push(String(answer)))
        .resume();
    }
    for (let sent = 0; sent < 20; sent++) expect(await post()).toBe(200);
    // On a busy machine these requests may themselves time out: then they get a 408.
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 503 '))).toEqual([]);
  });

  it('is freed for requests that wait behind another when their connection closes', async () => {
    const slow = [`GET ${SDK}/smart-contract HTTP/1.1`, `authToken: ${keys.authToken}`, `apiKey: ${keys.apiKey}`];
    const head = [`POST ${SDK}/paymaster HTTP/1.1`, 'content-type: application/json'];
    const waits = [...head, `content-length: ${LARGEST_BODY}`, 'host: a', '', ' '.repeat(LARGEST_BODY)].join('\r\n');
    let letGo: () => void = () => undefined;
    const held = new Promise<SmartContractView[]>((resolve) => (letGo = () => resolve([])));
    const list = jest.spyOn(dashboard.app.get(SmartContractsService), 'list').mockReturnValue(held);
    const accepted: Socket[] = [];
    (dashboard.app.getHttpServer() as Server).on('connection', (socket: Socket) => accepted.push(socket));
    try {
      for (let sent = 0; sent < 40; sent++) {
        const socket = open(slow, { body: waits });
        await until(async () => list.mock.calls.length > sent && (accepted[sent]?.bytesRead ?? 0) > LARGEST_BODY);
        socket.resetAndDestroy();
        await until(async () => accepted[sent]?.closed ?? false);
      }
      expect(list).toHaveBeenCalledTimes(40);
      expect(await post()).toBe(200);
    } finally {
      letGo();
      list.mockRestore();
    }
  });

  it('is bounded for lists of contracts that their clients do not read', async () => {
    const withAbis = async (count: number): Promise<Keys> => {
      const other = await createPaymaster(dashboard);
      for (let at = 0; at < count; at++) {
        const body = { ...contractBody(), abi: ABI };
        const { status } = await dashboard.call({ method: 'POST', path: '/smart-contract', ...other, body });
        expect(status).toBe(200);
      }
      return other;
    };
    const reader = await withAbis(1);
    const list = ['smart-contract', 'paymaster-policy/export'];
    // Requests of one account wait for each other.
    for (let one = 0; one < 3; one++) {
      const { authToken, apiKey } = await withAbis(16);
      // The kernel may buffer some 40 MB of a connection that the client does not read. Only the next answer then stays
      // in the process.
      open([`GET ${SDK}/${list[one % 2]} HTTP/1.1`, `authToken: ${authToken}`, `apiKey: ${apiKey}`], { everyMs: 300 });
    }
    const read = async (): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}${SDK}/smart-contract`, { headers: { ...reader } });
      await answer.arrayBuffer();
      return answer.status;
    };
    await until(async () => (await read()) === 503);
    expect(await statusOf('/paymaster-policy')).toBe(200);
    sockets.forEach((socket) => socket.destroy());
    await until(async () => (await read()) === 200);
  });
});
