import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { Balancer, type Endpoint } from './balancer';
import { ClientConnection, RequestLost } from './client-connection';
import { Load } from './load';

const GET = Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
const servers: Server[] = [];
let balancer: Balancer;

beforeEach(async () => {
  balancer = await Balancer.start();
});
afterEach(async () => {
  await balancer.stop();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A pod that answers with its name. */
async function pod(name: string): Promise<Endpoint & { server: Server }> {
  const server = createServer((_request, response) => void response.end(name));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { name, server, port: (server.address() as AddressInfo).port };
}

const ask = async (client: ClientConnection): Promise<string> =>
  (await client.send(GET, { timeoutMs: 10_000, late: () => undefined })).body;
const open = (): Promise<ClientConnection> => ClientConnection.open(balancer.port, 10_000);
async function askOnce(): Promise<string> {
  const client = await open();
  const answer = await ask(client);
  client.close();
  return answer;
}

describe('Balancer', () => {
  it('sends new connections around, and leaves those that stand where they are', async () => {
    const [one, two] = [await pod('one'), await pod('two')];
    balancer.setEndpoints([one, two]);
    expect(new Set([await askOnce(), await askOnce()])).toEqual(new Set(['one', 'two']));
    const kept = await open();
    const first = await ask(kept);
    expect(balancer.podOf(kept.port)).toBe(first);
    balancer.setEndpoints([first === 'one' ? two : one]);
    expect(await ask(kept)).toBe(first);
    expect(await askOnce()).not.toBe(first);
    kept.close();
  });

  it('passes a connection on that a pod does not take, and counts it', async () => {
    const [gone, there] = [await pod('gone'), await pod('there')];
    await new Promise((resolve) => gone.server.close(resolve));
    servers.splice(0, 1);
    balancer.setEndpoints([gone, there]);
    expect([await askOnce(), await askOnce()]).toEqual(['there', 'there']);
    expect(balancer.counts).toEqual({ passedOn: 1, dropped: 0 });
  });

  it('drops what nobody takes', async () => {
    await expect(askOnce()).rejects.toThrow(RequestLost);
    expect(balancer.counts.dropped).toBe(1);
  });

  it('never sends anything twice: what was on its way to a pod that breaks off is lost', async () => {
    let asked = 0;
    const breaking = createTcpServer((socket: Socket) => {
      socket.once('data', () => {
        asked += 1;
        socket.resetAndDestroy();
      });
    });
    await new Promise<void>((resolve) => breaking.listen(0, '127.0.0.1', resolve));
    balancer.setEndpoints([{ name: 'breaking', port: (breaking.address() as AddressInfo).port }]);
    await expect(ask(await open())).rejects.toThrow(new RequestLost('connection lost'));
    expect(asked).toBe(1);
    await new Promise((resolve) => breaking.close(resolve));
  });
});

describe('Load', () => {
  it('says of each request whether its answer was right, over kept and over new connections', async () => {
    balancer.setEndpoints([await pod('right'), await pod('wrong')]);
    const check = ({ body }: { body: string }): void => {
      if (body !== 'right') throw new Error(body);
    };
    const next = () => ({ bytes: GET, check });
    const pace = { perSecond: 100, connections: 4, newEach: 4, patienceMs: 10_000 };
    const load = new Load({ ...pace, port: balancer.port, next });
    load.start();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await load.stop();
    const kinds = new Set(load.outcomes.map(({ connection, failure }) => `${connection} ${failure ?? 'answered'}`));
    expect(kinds).toEqual(
      new Set(['kept answered', 'kept wrong answer: wrong', 'new answered', 'new wrong answer: wrong']),
    );
  });
});
