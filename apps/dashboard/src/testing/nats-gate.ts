import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The way from one process to NATS, which can be closed while everybody else's stays open. */
export class NatsGate {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private natsUrl: URL | undefined;

  private constructor() {
    this.server = createServer((client) => this.passOn(client));
  }

  /** Starts closed. */
  static async start(): Promise<NatsGate> {
    const gate = new NatsGate();
    await new Promise<void>((resolve) => gate.server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  open(natsUrl: string): void {
    this.natsUrl = new URL(natsUrl);
  }

  /** Hangs up, and takes nobody in. */
  close(): void {
    this.natsUrl = undefined;
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.close();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private passOn(client: Socket): void {
    client.on('error', () => undefined);
    if (!this.natsUrl) return void client.destroy();
    const server = connect(Number(this.natsUrl.port), this.natsUrl.hostname);
    server.on('error', () => undefined);
    client.on('close', () => server.destroy()).pipe(server);
    server.on('close', () => client.destroy()).pipe(client);
    this.sockets.add(client);
    client.once('close', () => this.sockets.delete(client));
  }
}
