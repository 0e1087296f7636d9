import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Takes connections, as a broker does, and hangs up at once, or says nothing, as a broker does not. */
export class UnhelpfulBroker {
  /** Attempts so far. */
  connections = 0;
  /** From now on it says nothing, instead of hanging up. */
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

  /** Ends the connections it holds on to. */
  hangUp(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.hangUp();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
