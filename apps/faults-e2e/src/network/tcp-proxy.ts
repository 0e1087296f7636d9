import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Passage, type Weather } from './passage';

/** Stands between programs and a server, and is as bad a network as it is told to be. */
export class TcpProxy {
  /** Connections that were opened through it. */
  accepted = 0;
  private weather: Weather = { kind: 'pass' };
  private readonly sockets = new Set<Socket>();
  private readonly passages = new Set<Passage>();

  private constructor(
    private readonly server: Server,
    private readonly target: { host: string; port: number },
  ) {}

  /** Starts one on a free port of the loopback interface. @param targetUrl of the server behind it */
  static async start(targetUrl: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(targetUrl);
    const server = createServer();
    const proxy = new TcpProxy(server, { host: hostname, port: Number(port) });
    server.on('connection', (client) => proxy.accept(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.passages.size / 2;
  }

  /** A URL of the server behind it, led through this. */
  through(targetUrl: string): string {
    const url = new URL(targetUrl);
    url.host = `127.0.0.1:${this.port}`;
    return url.href.replace(/\/$/, '');
  }

  /** The network is like this from now on, for connections that are open too. */
  become(weather: Weather): void {
    this.weather = weather;
    if (weather.kind === 'drop') this.resetAll();
    for (const passage of this.passages) passage.become(weather);
  }

  /** Resets every connection that is open. */
  resetAll(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    this.resetAll();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    this.accepted += 1;
    if (this.weather.kind === 'drop') return void client.resetAndDestroy();
    const upstream = connect(this.target.port, this.target.host);
    const passages = [
      new Passage({ from: client, to: upstream, carries: 'requests', weather: this.weather }),
      new Passage({ from: upstream, to: client, carries: 'answers', weather: this.weather }),
    ];
    for (const passage of passages) this.passages.add(passage);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        for (const passage of passages) {
          passage.end();
          this.passages.delete(passage);
        }
        client.destroy();
        upstream.destroy();
      });
    }
  }
}
