import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** `ok`, or one way to misbehave. */
export const PRICE_SERVER_MODES = [
  'ok',
  'slow',
  'hang',
  'reset',
  'http429',
  'http500',
  'garbage',
  'hugeBody',
  'wrongShape',
  'stale',
  'negative',
  'zero',
  'factor',
  'dropOne',
] as const;
export type PriceServerMode = (typeof PRICE_SERVER_MODES)[number];

/** Everything that can be changed while it runs, by assignment or through `PUT /control`. */
export interface PriceServerState {
  mode: PriceServerMode;
  /** USD per whole unit by API id, as JSON numbers in text: `2412.07`, `1.2e-9`. */
  prices: Record<string, string>;
  /** Mode `slow`: milliseconds before the answer. */
  slowByMs: number;
  /** Mode `stale`: how old the stamps are; seconds. */
  staleBySeconds: number;
  /** Mode `factor`: prices are multiplied by it. */
  factor: number;
  /** Mode `dropOne`: the id that is missing in answers. */
  droppedId: string;
}

const INITIAL: PriceServerState = {
  mode: 'ok',
  prices: {},
  slowByMs: 1_000,
  staleBySeconds: 86_400,
  factor: 10,
  droppedId: '',
};

/**
 * A price API of CoinGecko's shape on the loopback interface, with prices set at run time, that misbehaves as a test
 * says. Tests change {@link state}; other processes send `PUT /control` with the members to change.
 */
export class PriceServer {
  readonly state: PriceServerState;
  /** Ids and headers of every price request, in order. */
  readonly requests: Array<{ ids: readonly string[]; headers: Readonly<Record<string, unknown>> }> = [];
  private readonly server: Server;

  private constructor(
    state: Partial<PriceServerState>,
    private readonly nowSeconds: () => number,
  ) {
    this.state = { ...INITIAL, ...state, prices: { ...state.prices } };
    this.server = createServer((request, response) => {
      this.serve(request, response).catch(() => response.destroy());
    });
  }

  /** Starts a server on a free port or on the given one. The test can also set its time, in unix seconds. */
  static async start(
    options: Partial<PriceServerState> & { port?: number; nowSeconds?: () => number } = {},
  ): Promise<PriceServer> {
    const { port = 0, nowSeconds = () => Date.now() / 1_000, ...state } = options;
    const server = new PriceServer(state, nowSeconds);
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return server;
  }

  /** The base URL for an `HttpPriceSource`. */
  get url(): string {
    return `${this.origin}/api/v3`;
  }

  /** Takes `PUT` with members of {@link PriceServerState}; prices are merged into those known. */
  get controlUrl(): string {
    return `${this.origin}/control`;
  }

  setPrice(apiId: string, usd: string): void {
    this.state.prices[apiId] = usd;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    response.setHeader('date', new Date(this.nowSeconds() * 1_000).toUTCString());
    if (url.pathname === '/control' && request.method === 'PUT') return this.control(request, response);
    if (!url.pathname.endsWith('/simple/price')) return send(response, 404, '{"error":"not found"}');
    const ids = (url.searchParams.get('ids') ?? '').split(',');
    this.requests.push({ ids, headers: request.headers });
    await this.answer(ids, response);
  }

  private async control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { prices, ...change } = JSON.parse(Buffer.concat(chunks).toString()) as Partial<PriceServerState>;
    Object.assign(this.state, change);
    Object.assign(this.state.prices, prices);
    send(response, 200, JSON.stringify(this.state));
  }

  private async answer(ids: readonly string[], response: ServerResponse): Promise<void> {
    const { mode, slowByMs } = this.state;
    switch (mode) {
      case 'hang':
        return;
      case 'reset':
        response.destroy();
        return;
      case 'http429':
        response.setHeader('retry-after', '60');
        return send(response, 429, '{"status":{"error_code":429}}');
      case 'http500':
        return send(response, 500, 'Internal Server Error');
      case 'garbage':
        return send(response, 200, '<html>It works</html>');
      case 'wrongShape':
        return send(response, 200, JSON.stringify(ids.map((id) => ({ id, current_price: 1 }))));
      case 'hugeBody':
        return send(response, 200, `{"padding":"${'x'.repeat(4_000_000)}"}`);
      case 'slow':
        await sleep(slowByMs, undefined, { ref: false });
        return send(response, 200, this.simplePrices(ids));
      case 'ok':
      case 'stale':
      case 'negative':
      case 'zero':
      case 'factor':
      case 'dropOne':
        return send(response, 200, this.simplePrices(ids));
    }
  }

  private simplePrices(ids: readonly string[]): string {
    const { mode, prices, droppedId, staleBySeconds } = this.state;
    const updatedAt = Math.floor(this.nowSeconds()) - (mode === 'stale' ? staleBySeconds : 0);
    const entries = ids
      .filter((id) => Object.hasOwn(prices, id) && !(mode === 'dropOne' && id === droppedId))
      .map((id) => `${JSON.stringify(id)}:{"usd":${this.price(prices[id] ?? '')},"last_updated_at":${updatedAt}}`);
    return `{${entries.join(',')}}`;
  }

  private price(text: string): string {
    const { mode, factor } = this.state;
    if (mode === 'zero') return '0';
    if (mode === 'negative') return `-${text}`;
    return mode === 'factor' ? String(Number(text) * factor) : text;
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
