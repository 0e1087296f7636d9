import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Accepts connections like a broker, but then closes them at once, or stays silent. */
export class UnhelpfulBroker {
  /** The number of connections so far. */
  connections = 0;
  /** From now on it stays silent instead of closing connections. */
  holdsOn = false;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.connections += 1;
    socket.on('error', () => undefined);
    if (!this.holdsOn) return void socket.destroy();
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  });

  static async start(): Promise<UnhelpfulBroker> {
    const broker = new UnhelpfulBroker();
    await new Promise<void>((resolve) => broker.server.listen(0, '127.0.0.1', resolve));
    return broker;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Closes the connections that it keeps. */
  hangUp(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.hangUp();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
