import { faker } from '@faker-js/faker';
import { DependencyUnavailableError, ENTRY_POINT_VERSIONS, type Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { AgreedChain, type AgreedChainOptions } from '../providers/agreed-chain';
import { lies, lyingProxy, type LyingProxy, type Mutators } from '../testing';
import { SponsoredChain } from '../testing/sponsored-chain';
import { UNHURRIED } from '../testing/unhurried';
import { BlockSource, type BlockEvents } from './block-source';

const BUNDLES = 60;
/** Of its newest blocks so many are read over each liar. */
const READ = 31;
/** Calls per block: its header, its receipts if money moved, and its share of a request for many blocks. */
const MOST_CALLS_PER_BLOCK = 2.2;

describe('BlockSource over providers that lie', () => {
  let chain: SponsoredChain;
  let proxies: LyingProxy[];
  let truth: readonly BlockEvents[];
  let faults: Error[];

  beforeAll(async () => {
    chain = await SponsoredChain.start();
    proxies = await Promise.all([0, 1, 2].map(() => lyingProxy(chain.url)));
    await makeHistory();
    truth = await read([chain.url]);
  });
  beforeEach(() => {
    faults = [];
  });
  afterEach(() => proxies.forEach((proxy) => proxy.beHonest()));
  afterAll(async () => {
    await Promise.all((proxies ?? []).map((proxy) => proxy.stop()));
    await chain?.stop();
  });

  it('has a history worth lying about', () => {
    const kinds = truth.flatMap(({ events }) => events.map(({ kind }) => kind));
    expect(truth.length).toBeGreaterThan(BUNDLES);
    expect(kinds.filter((kind) => kind === 'operation').length).toBeGreaterThan(BUNDLES);
    expect(kinds.filter((kind) => kind === 'nonceUsed').length).toBeGreaterThan(BUNDLES / 10);
    expect(kinds.filter((kind) => kind === 'deposited').length).toBeGreaterThan(BUNDLES / 10);
  });

  const anyOf = (probability: number) => () => faker.number.float() < probability;

  describe('one of three', () => {
    it.each<[string, () => Mutators]>([
      ['lags 50 blocks behind', () => lies.staleHead(50)],
      ['lets its heads go backwards', () => lies.backwardsHeads(10)],
      ['serves another chain', () => lies.wrongChainId(5)],
      ['tells other balances', () => lies.swappedBalance(10n ** 30n)],
      ['tells other amounts', () => lies.alteredAmounts(1n)],
      ['drops 2 % of the logs', () => lies.droppedLogs(anyOf(0.02))],
      ['drops all logs', () => lies.droppedLogs(() => true)],
      ['doubles logs', () => lies.duplicatedLogs()],
      ['gives logs of other blocks', () => lies.logsOfAnotherBlock()],
      ['tells old fees', () => lies.oldFee(1n)],
      ['answers 429', () => lies.misbehaves('http429')],
      ['hangs', () => lies.misbehaves('hang')],
      ['breaks connections', () => lies.misbehaves('reset')],
      ['answers what is no JSON', () => lies.misbehaves('invalidJson')],
      ['answers without end', () => lies.misbehaves('hugeBody')],
      ['answers numbers for logs', () => lies.answers('eth_getLogs', [1, 2, 3])],
      ['answers words for receipts', () => lies.answers('eth_getBlockReceipts', 'all of them')],
      ['answers nothing for blocks', () => lies.answers('eth_getBlockByNumber', null)],
    ])('that %s changes nothing', async (_title, lie) => {
      const [liar] = faker.helpers.shuffle([0, 1, 2]);
      proxies[liar!]!.lie(lie());
      const { source, agreed } = follow(urls());
      const head = await source.head();
      expect(head).toEqual(truth.at(-1)!.block);
      expect(await source.blocks(head.number - BigInt(READ - 1), head.number)).toEqual(truth.slice(-READ));
      expect(await balance(agreed, head.hash)).toBe(await trueBalance());
      expect((await source.final()).number).toBe(head.number - 2n);
    });

    it.each([1, 2, 5, 20, 50])('that lags %d blocks never holds the head up, nor makes it go back', async (lag) => {
      const { source } = follow(urls());
      proxies[0]!.lie(lies.staleHead(lag));
      const heads = [];
      for (let reads = 0; reads < 5; reads += 1) heads.push((await source.head()).number);
      expect(new Set(heads)).toEqual(new Set([truth.at(-1)!.block.number]));
    });

    it('that hangs does not delay reads until their deadline', async () => {
      const { source, agreed } = follow(urls());
      proxies[0]!.lie(lies.misbehaves('hang'));
      for (const ask of [() => source.head(), () => source.final(), () => balance(agreed, truth.at(-1)!.block.hash)]) {
        const startedAt = performance.now();
        await ask();
        expect(performance.now() - startedAt).toBeLessThan(30_000);
      }
    });
  });

  describe('two of three', () => {
    it.each<[string, Mutators, Mutators]>([
      ['tell other amounts', lies.alteredAmounts(1n), lies.alteredAmounts(2n)],
      ['are gone', lies.misbehaves('reset'), lies.misbehaves('reset')],
      ['tell other amounts and are gone', lies.alteredAmounts(1n), lies.misbehaves('http429')],
      ['serve another chain', lies.wrongChainId(5), lies.wrongChainId(5)],
    ])('that %s: nothing is read', async (_title, first, second) => {
      const { source } = follow(urls(), { totalTimeoutMs: 1_000 });
      proxies[0]!.lie(first);
      proxies[2]!.lie(second);
      const [busy] = truth.filter(({ events }) => events.some(({ kind }) => kind === 'operation')).slice(-1);
      await expect(source.blocks(busy!.block.number, busy!.block.number)).rejects.toBeInstanceOf(
        DependencyUnavailableError,
      );
    });

    it('that report other balances: no balance is returned', async () => {
      const { agreed } = follow(urls());
      proxies[0]!.lie(lies.swappedBalance(1n));
      proxies[1]!.lie(lies.swappedBalance(2n));
      await expect(balance(agreed, truth.at(-1)!.block.hash)).rejects.toBeInstanceOf(DependencyUnavailableError);
    });
  });

  describe('dropped and doubled logs', () => {
    it.each<[string, number, number]>([
      ['the only provider drops 2 %', 1, 0.02],
      ['the only provider drops half', 1, 0.5],
      ['the only provider drops all', 1, 1],
      ['each of three drops 2 %, others than the others', 3, 0.02],
      ['each of three drops a fifth, others than the others', 3, 0.2],
    ])(`${BUNDLES} blocks and more, %s: none is missed`, async (_title, providers, probability) => {
      for (const proxy of proxies) proxy.lie(lies.droppedLogs(anyOf(probability)));
      expect(await read(urls().slice(0, providers))).toEqual(truth);
      if (probability > 0.02) expect(faults.map(String).join()).toMatch(/eth_getLogs/);
    });

    it('the only provider doubles every log: none counts twice', async () => {
      proxies[0]!.lie(lies.duplicatedLogs());
      expect(await read(urls().slice(0, 1))).toEqual(truth);
    });

    it('the only provider drops logs from receipts too: nothing is read', async () => {
      const withoutLogs: Mutators = {
        ...lies.droppedLogs(() => true),
        eth_getBlockReceipts: async (call) =>
          ((await call.truth()) as Array<{ logs: unknown[] }>).map((receipt) => ({
            ...receipt,
            logs: receipt.logs.slice(1),
          })),
      };
      proxies[0]!.lie(withoutLogs);
      await expect(read(urls().slice(0, 1))).rejects.toBeInstanceOf(DependencyUnavailableError);
      expect(faults.map(String).join()).toContain('leaves out logs that the header knows of');
    });
  });

  it.each([
    [1, 1],
    [3, 2],
  ])('catches up over %d providers with few questions to as many as must agree, %d', async (providers, needed) => {
    const before = questions();
    const blocks = await read(urls().slice(0, providers));
    expect((questions() - before) / blocks.length / needed).toBeLessThan(MOST_CALLS_PER_BLOCK);
  });

  const questions = () => proxies.flatMap(({ calls }) => [...calls.values()]).reduce((sum, calls) => sum + calls, 0);
  const urls = () => proxies.map(({ url }) => url);

  function follow(rpcUrls: string[], options: AgreedChainOptions = {}): { source: BlockSource; agreed: AgreedChain } {
    const onFault = (error: Error): void => void faults?.push(error);
    const agreed = new AgreedChain(
      { chainId: 31337, rpcUrls, finality: { tag: 'finalized' } },
      { ...UNHURRIED, hedgeMs: 100, ...options, onFault },
    );
    return { agreed, source: new BlockSource(agreed, { entryPoints: chain.entryPoints }, { onFault }) };
  }

  async function read(rpcUrls: string[]): Promise<readonly BlockEvents[]> {
    // No provider hangs here, so a slow one is waited for and no other is asked too.
    const { source } = follow(rpcUrls, { hedgeMs: 60_000 });
    const { number: head } = await source.head();
    const blocks: BlockEvents[] = [];
    for (let from = 0n; from <= head; from += 200n)
      blocks.push(...(await source.blocks(from, from + 199n < head ? from + 199n : head)));
    return blocks;
  }

  async function balance(agreed: AgreedChain, blockHash: Hex): Promise<bigint> {
    const { paymaster, abi } = chain.world.of('0.7');
    const data = abi.encodeFunctionData('balanceOf', [chain.world.wallet]) as Hex;
    return BigInt(await agreed.callAt(blockHash, { to: paymaster, data }));
  }

  const trueBalance = () => balance(follow([chain.url]).agreed, truth.at(-1)!.block.hash);

  /**
   * Bundles of one to three operations; the sender of every tenth operation pays itself. Deposits are in between, three
   * of them in one block.
   */
  async function makeHistory(): Promise<void> {
    const sender = await chain.newAccount();
    for (let bundle = 0; bundle < BUNDLES; bundle += 1) {
      const version = faker.helpers.arrayElement(ENTRY_POINT_VERSIONS);
      const count = faker.number.int({ min: 1, max: 3 });
      const operations = await Promise.all(Array.from({ length: count }, () => chain.sponsored({ version, sender })));
      if (bundle % 5 === 0) operations.push(await chain.selfPaid({ version, sender }));
      await chain.handleOps(version, operations);
      if (bundle % 10 === 0) await chain.depositTogether(version, [randomAddress(), randomAddress(), randomAddress()]);
      if (bundle % 20 === 0) await chain.mine(5);
    }
  }
});
