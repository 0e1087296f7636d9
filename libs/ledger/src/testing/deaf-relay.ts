import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A relay between a client and its server. It can drop the answers to one kind of request, and can be slow. */
export class DeafRelay {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  /** Requests with this text get no answer; everything after it on their connection is dropped too. */
  keepsAnswersTo: string | undefined;

  /** How long each new connection waits before anything goes through; milliseconds. */
  opensAfterMs = 0;

  private constructor(private readonly target: URL) {
    this.server = createServer((client) => this.relay(client));
  }

  static async start(targetUrl: string): Promise<DeafRelay> {
    const relay = new DeafRelay(new URL(targetUrl));
    await new Promise<void>((resolve) => relay.server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  /** The target's URL with this in front of it. */
  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private relay(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    let isDeaf = false;
    client.pause();
    const opening = setTimeout(() => client.resume(), this.opensAfterMs);
    client.on('close', () => clearTimeout(opening));
    client.on('data', (chunk) => {
      isDeaf ||= this.keepsAnswersTo !== undefined && chunk.includes(this.keepsAnswersTo);
      server.write(chunk);
    });
    server.on('data', (chunk) => isDeaf || client.write(chunk));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
