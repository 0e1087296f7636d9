import { createPublicClient, custom, type Chain } from 'viem';
import { entryPoint07Abi, entryPoint07Address, toSmartAccount } from 'viem/account-abstraction';
import { parseChains, type ChainConfig } from '@paymaster/chain';
import { randomAddress } from '@paymaster/domain/testing';
import { FeeMarket } from '@paymaster/gas';
import { checkGasBounds, type Verdict } from '@paymaster/policy';
import { randomFrom } from '../../../../proofs/siphon/adversary';
import { altoPrices, type AltoPrices } from './testing/alto-prices';
import { feeHistories, quietAfter, type FeeHistory } from './testing/fee-histories';
import { PricedNode } from './testing/priced-node';

/** Moments of each chain at which every client asks. */
const MOMENTS = 2_000;
/** How long a user looks at an operation before he signs it, at most. */
const MOST_DELAY_MS = 30_000;
/** The same of a user who reads every word, or looks for his hardware wallet. */
const LONG_DELAY_MS = 120_000;
/** How long the gateway has been running when the first client asks. */
const WARM_UP_MS = 240_000;
/** How often {@link FeeMarket} asks the bundler. */
const BUNDLER_MS = 15_000;
/** The code of a node that is asked for blocks that it does not have. */
const OUT_OF_BOUNDS = -32602;
/** The part of honest suggestions that may be refused. */
const MOST_REFUSED = 0.001;

interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Imported without their types, because these name types that only browsers have. */
const { createSmartAccountClient } = jest.requireActual<{
  createSmartAccountClient(options: object): { prepareUserOperation(wanted: object): Promise<Fees> };
}>('permissionless');
const { createPimlicoClient } = jest.requireActual<{
  createPimlicoClient(options: object): {
    getUserOperationGasPrice(): Promise<Readonly<Record<keyof AltoPrices, Fees>>>;
  };
}>('permissionless/clients/pimlico');
const chains = jest.requireActual<Readonly<Record<FeeHistory['chain'], Chain>>>('viem/chains');

interface Moment {
  readonly head: number;
  readonly judgedAtMs: number;
}

type Prices = ReadonlyMap<number, AltoPrices>;
const BUNDLERS = ['none', 'alto', 'Pimlico'] as const;
type Bundler = (typeof BUNDLERS)[number];

/** A client with its own defaults. */
interface Client {
  readonly name: string;
  /** The bundler whose prices the client reads, and to which it sends; it knows no other bundler. */
  readonly bundler: Bundler;
  readonly suggest: (head: number) => Promise<Fees>;
}

const headAt = ({ blocks, blockMs }: FeeHistory, atMs: number): number =>
  Math.min(blocks.length - 1, Math.floor(atMs / blockMs));

function configOf({ chain, chainId, blockMs, node }: FeeHistory): ChainConfig {
  const entryPoints = { '0.7': { entryPoint: entryPoint07Address, paymaster: randomAddress() } };
  const urls = { rpcUrls: ['http://127.0.0.1:1'], bundlerUrl: 'http://127.0.0.1:2' };
  const blockTimeSeconds = Math.max(1, blockMs / 1_000);
  const rollup = { geth: 'none', bor: 'none', opGeth: 'opStack', nitro: 'arbitrum' }[node];
  const file = { chainId, name: chain, ...urls, entryPoints, blockTimeSeconds, rollup };
  return parseChains({ chains: [file] })[0]!;
}

/**
 * Clients ask at times spread evenly over the whole history, the same ones whatever the delay; the gateway judges each
 * request a little later.
 */
function momentsOf(history: FeeHistory, mostDelayMs: number): readonly Moment[] {
  const random = randomFrom(history.chainId);
  const lastMs = history.blocks.length * history.blockMs - LONG_DELAY_MS;
  return Array.from({ length: MOMENTS }, (_, index) => {
    const atMs = WARM_UP_MS + ((lastMs - WARM_UP_MS) * index) / MOMENTS;
    return { head: headAt(history, atMs), judgedAtMs: atMs + random() * mostDelayMs };
  });
}

/** The answers of both bundlers whenever a client or the gateway asks. */
async function pricesOf(history: FeeHistory, node: PricedNode): Promise<Readonly<Record<Bundler, Prices>>> {
  const heads = new Set(momentsOf(history, 0).map(({ head }) => head));
  const { refreshMs } = new Judge(history, { node, prices: new Map() }).market;
  const everyMs = refreshMs * Math.ceil(BUNDLER_MS / refreshMs);
  for (let atMs = 0; atMs < history.blocks.length * history.blockMs; atMs += everyMs) heads.add(headAt(history, atMs));
  return { none: new Map(), ...(await altoPrices(history, { node, heads })) };
}

async function clientsOf(
  history: FeeHistory,
  node: PricedNode,
  prices: Readonly<Record<Bundler, Prices>>,
): Promise<readonly Client[]> {
  let now = 0;
  const chain = chains[history.chain];
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> =>
    node.answer(now, method, params as readonly unknown[]);
  const client = createPublicClient({ chain, transport: custom({ request }), cacheTime: 0 });
  const account = await toSmartAccount({
    ...{ client, entryPoint: { abi: entryPoint07Abi, address: entryPoint07Address, version: '0.7' } },
    getAddress: async () => randomAddress(),
  } as never);
  const wallet = (bundler: Bundler, speed?: keyof AltoPrices): Client['suggest'] => {
    const bundlerTransport = custom({ request: async () => prices[bundler].get(now) });
    const pimlico = createPimlicoClient({ chain, transport: bundlerTransport });
    const estimateFeesPerGas = speed && (async () => (await pimlico.getUserOperationGasPrice())[speed]);
    const userOperation = { ...(estimateFeesPerGas && { estimateFeesPerGas }) };
    const { prepareUserOperation } = createSmartAccountClient({
      client,
      chain,
      account,
      bundlerTransport,
      userOperation,
    });
    return () => prepareUserOperation({ callData: '0x', parameters: ['fees'] });
  };
  const clients: Client[] = [
    { name: 'viem', bundler: 'none', suggest: () => client.estimateFeesPerGas() },
    { name: 'viem and permissionless', bundler: 'none', suggest: wallet('none') },
    ...(['alto', 'Pimlico'] as const).flatMap((bundler) =>
      (['slow', 'standard', 'fast'] as const).map((speed): Client => {
        return { name: `permissionless with ${bundler}, ${speed}`, bundler, suggest: wallet(bundler, speed) };
      }),
    ),
  ];
  // What a client suggests follows from the newest block.
  return clients.map((each) => {
    const suggested = new Map<number, Promise<Fees>>();
    const suggest = (head: number): Promise<Fees> => {
      const fees = suggested.get(head) ?? each.suggest((now = head));
      suggested.set(head, fees);
      return fees;
    };
    return { ...each, suggest };
  });
}

/** The gateway's judge of fees, moved through a history. */
class Judge {
  private nowMs = 0;
  private refreshedMs = 0;
  private readonly config: ChainConfig;
  readonly market: FeeMarket;

  constructor(
    private readonly history: FeeHistory,
    { node, prices }: { node: PricedNode; prices: Prices },
  ) {
    this.config = configOf(history);
    const ask = async <T>(method: string, params: readonly unknown[], parse: (value: unknown) => T): Promise<T> =>
      parse(node.answer(this.head(), method, params));
    const asked = async () => {
      const told = prices.get(this.head())?.fast.maxPriorityFeePerGas;
      return told === undefined ? undefined : BigInt(told);
    };
    const onFault = (error: unknown): void => {
      if ((error as { code?: unknown }).code !== OUT_OF_BOUNDS) throw error;
    };
    const sources = { providers: [{ ask }], bundler: { askedPriorityFeeWei: asked } };
    this.market = new FeeMarket(this.config, sources, { clock: () => this.nowMs, onFault });
  }

  /** Lets time pass, in which the background reads. */
  async moveTo(atMs: number): Promise<void> {
    for (; this.refreshedMs <= atMs; this.refreshedMs += this.market.refreshMs) {
      this.nowMs = this.refreshedMs;
      await this.market.refresh();
    }
    this.nowMs = atMs;
  }

  judge({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Verdict {
    const baseFeePerGas = BigInt(this.history.blocks[this.head()]!.baseFeeWei);
    return checkGasBounds({
      ...{ maxFeePerGas, maxPriorityFeePerGas, baseFeePerGas, bounds: this.config.bounds },
      limits: { callGasLimit: 1n, verificationGasLimit: 1n, preVerificationGas: 1n },
      ...{ maxPreVerificationGas: 1n, handWrittenVerificationGas: 1n },
      ...{ maxPriorityFeePerGasWei: this.market.maxPriorityFeePerGasWei(baseFeePerGas) },
      allowEqualFees: false,
    });
  }

  private head(): number {
    return headAt(this.history, this.nowMs);
  }
}

interface Refused {
  readonly client: string;
  /** How long users took at most. */
  readonly mostDelayMs: number;
  readonly field: keyof Fees;
  readonly text: string;
  /** With the limit that the refusal names. */
  readonly passesAfterwards: boolean;
}

/** The bundlers and the clients of each chain, which are the same for every gateway. */
const known = new Map<FeeHistory, ReturnType<typeof findOthers>>();

async function findOthers(history: FeeHistory) {
  const node = new PricedNode(history);
  const prices = await pricesOf(history, node);
  return { prices, clients: await clientsOf(history, node, prices) };
}

/**
 * What is refused of the suggestions of every client to users who take at most so long. All delays in one walk, because
 * most of it is what the gateway reads meanwhile.
 */
async function refusalsOf(
  history: FeeHistory,
  own: PricedNode,
  delaysMs: readonly number[],
): Promise<readonly Refused[]> {
  const moments = delaysMs
    .flatMap((mostDelayMs) => momentsOf(history, mostDelayMs).map((moment) => ({ ...moment, mostDelayMs })))
    .sort((one, other) => one.judgedAtMs - other.judgedAtMs);
  if (!known.has(history)) known.set(history, findOthers(history));
  const { prices, clients } = await known.get(history)!;
  const refused: Refused[] = [];
  for (const bundler of BUNDLERS) {
    const judge = new Judge(history, { node: own, prices: prices[bundler] });
    for (const { head, judgedAtMs, mostDelayMs } of moments) {
      await judge.moveTo(judgedAtMs);
      for (const client of clients) {
        if (client.bundler !== bundler) continue;
        const fees = await client.suggest(head);
        const verdict = judge.judge(fees);
        if (verdict.allowed) continue;
        const { field, value, limit } = verdict.details as { field: keyof Fees; value: string; limit: string };
        refused.push({
          ...{ client: client.name, mostDelayMs, field },
          text: `${field} of ${value} at block ${head}, limit ${limit}`,
          passesAfterwards: judge.judge({ ...fees, [field]: BigInt(limit) }).allowed,
        });
      }
    }
  }
  return refused;
}

const histories = feeHistories(1);

const [mainnet] = histories as [FeeHistory];
/** Of the gateway's node, in blocks. */
const RESTARTS_EVERY = 100;

describe.each<[string, FeeHistory, number?]>([
  ...histories.map((history): [string, FeeHistory] => [history.chain, history]),
  ['mainnet, then a day of empty blocks', quietAfter(mainnet)],
  ['mainnet, while the node restarts and has no old blocks', mainnet, RESTARTS_EVERY],
])('fees on %s', (_name, history, restartEveryBlocks) => {
  let all: readonly Refused[];
  beforeAll(async () => {
    all = await refusalsOf(history, new PricedNode(history, restartEveryBlocks), [MOST_DELAY_MS, LONG_DELAY_MS]);
  });
  const ofDelay = (delayMs: number) => all.filter(({ mostDelayMs }) => mostDelayMs === delayMs);

  it('are hardly ever refused to honest clients, who pass with the limit that is named', () => {
    const refused = ofDelay(MOST_DELAY_MS);
    expect(refused.filter(({ passesAfterwards }) => !passesAfterwards)).toEqual([]);
    const of = (name: string) => refused.filter(({ client }) => client === name);
    const tooMany = [...new Set(refused.map(({ client }) => client))]
      .filter((name) => of(name).length > MOST_REFUSED * MOMENTS)
      .map((name) => `${name}: ${of(name).length}, as ${of(name)[0]?.text}`);
    expect(tooMany).toEqual([]);
  });

  // The base fee may have doubled since. Then the operation cannot be included, and to refuse it is right.
  it('have a tip that a user of two minutes may still pay', () => {
    const refused = ofDelay(LONG_DELAY_MS);
    expect(refused.filter(({ field }) => field === 'maxPriorityFeePerGas')).toEqual([]);
  });
});

it('passes suggestions while the base fee doubles within six blocks', async () => {
  const [history] = histories.filter(({ chain }) => chain === 'mainnet') as [FeeHistory];
  const node = new PricedNode(history);
  const [viem] = (await clientsOf(history, node, { none: new Map(), alto: new Map(), Pimlico: new Map() })) as [Client];
  const judge = new Judge(history, { node, prices: new Map() });
  const doubled = history.blocks.flatMap(({ baseFeeWei }, head) =>
    (history.blocks[head + 6]?.baseFeeWei ?? 0) > 2 * baseFeeWei ? [head] : [],
  );
  expect(doubled.length).toBeGreaterThan(10);
  for (const head of doubled) {
    await judge.moveTo((head + 6) * history.blockMs);
    expect(judge.judge(await viem.suggest(head))).toMatchObject({ allowed: true });
  }
});
