import { EventEmitter } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Where a Service's connections go. */
export interface Endpoint {
  /** The pod's name. */
  readonly name: string;
  readonly port: number;
}

/** Connections that did not come about, since the start. */
export interface BalancerCounts {
  /** Opened at another endpoint, because the first one took none. */
  readonly passedOn: number;
  /** Closed, because no endpoint took them. */
  readonly dropped: number;
}

/**
 * A Service and the Ingress before it, as TCP: new connections go round the ready endpoints, those that stand stay where
 * they are. A connection that an endpoint does not take goes to the next one, as Ingress controllers do (nginx:
 * `proxy_next_upstream error`); bytes that were sent are never sent again.
 */
export class Balancer {
  private endpoints: readonly Endpoint[] = [];
  private next = 0;
  private readonly routes = new Map<number, Endpoint>();
  private readonly counted = { passedOn: 0, dropped: 0 };
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (client: Socket) => this.accept(client));
  }

  static async start(): Promise<Balancer> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const balancer = new Balancer(server);
    server.listen(0, '127.0.0.1');
    await EventEmitter.once(server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get counts(): BalancerCounts {
    return { ...this.counted };
  }

  /** For new connections from now on. */
  setEndpoints(endpoints: readonly Endpoint[]): void {
    this.endpoints = [...endpoints];
  }

  /** Which pod the connection of a client's port goes to, while it stands. */
  podOf(clientPort: number): string | undefined {
    return this.routes.get(clientPort)?.name;
  }

  /** How many connections to a pod stand. */
  connectionsTo(name: string): number {
    return [...this.routes.values()].filter((endpoint) => endpoint.name === name).length;
  }

  async stop(): Promise<void> {
    const closed = EventEmitter.once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private accept(client: Socket): void {
    this.keep(client);
    client.on('error', () => client.destroy());
    const from = this.next++;
    const order = this.endpoints.map((_, index) => this.endpoints[(from + index) % this.endpoints.length]!);
    this.route(client, order);
  }

  private route(client: Socket, [endpoint, ...others]: readonly Endpoint[]): void {
    if (!endpoint || client.destroyed) {
      if (!client.destroyed) this.counted.dropped += 1;
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: endpoint.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.keep(server);
    server.once('error', () => {
      if (others.length > 0) this.counted.passedOn += 1;
      this.route(client, others);
    });
    server.once('connect', () => {
      server.removeAllListeners('error');
      this.join(client, server, endpoint);
    });
  }

  private join(client: Socket, server: Socket, endpoint: Endpoint): void {
    const { remotePort = 0 } = client;
    this.routes.set(remotePort, endpoint);
    // A reset of one side is a reset of the other, not an orderly end.
    server.on('error', () => client.resetAndDestroy());
    client.on('error', () => server.resetAndDestroy());
    server.on('close', () => client.destroySoon());
    client.on('close', () => {
      this.routes.delete(remotePort);
      server.destroySoon();
    });
    client.pipe(server);
    server.pipe(client);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }
}
