import { DependencyUnavailableError, type Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { AgreedChain } from '../providers/agreed-chain';
import type { Log } from '../providers/log';
import { FakeRpcError, FakeRpcServer, UNHURRIED, type FakeRpcMethod } from '../testing';
import { bloomOf, fakeChainMethods, type WireLog } from '../testing/fake-chain';
import { logOf, word } from '../testing/log.builder';
import { IncompleteOperationError } from './assemble-events';
import { BlockSource, ChainMovedError } from './block-source';
import { ENTRY_POINT_EVENTS, PAYMASTER_EVENTS } from './event-topics';

const LENGTH = 300;
const wallet = randomAddress();
const v07 = { entryPoint: randomAddress(), paymaster: randomAddress() };
const deposit = (amountWei: number) =>
  logOf(v07.paymaster, [PAYMASTER_EVENTS.FundsDeposited, wallet, randomAddress()], [amountWei]);
const foreignOperation = () =>
  logOf(
    v07.entryPoint,
    [ENTRY_POINT_EVENTS.UserOperationEvent, randomHex(32), randomAddress(), randomAddress()],
    [5, 1, 500, 50],
  );

describe('BlockSource', () => {
  let nodes: FakeRpcServer[] = [];
  let faults: Error[] = [];

  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    nodes = [];
    faults = [];
  });

  /** A source that reads this many nodes of a chain whose blocks have these logs. */
  const start = async (logs: Readonly<Record<number, readonly Log[]>>, count = 1): Promise<BlockSource> => {
    const methods = fakeChainMethods(LENGTH, (number) => logs[number] ?? []);
    nodes = await Promise.all(Array.from({ length: count }, () => FakeRpcServer.start(methods)));
    const onFault = (error: Error) => void faults.push(error);
    const config = { chainId: 1, rpcUrls: nodes.map(({ url }) => url), finality: { tag: 'finalized' as const } };
    const chain = new AgreedChain(config, { ...UNHURRIED, hedgeMs: 60_000, retryAfterMs: 1, onFault });
    return new BlockSource(chain, { entryPoints: { '0.7': v07 } }, { onFault });
  };
  const wrap = (method: string, change: (answer: unknown, params: readonly unknown[]) => unknown): void => {
    for (const { methods } of nodes) {
      const honest = methods[method]!;
      methods[method] = (params) => change(honest(params), params);
    }
  };
  const onLogs = (change: (log: WireLog) => unknown) => wrap('eth_getLogs', (logs) => (logs as WireLog[]).map(change));
  const replace = (method: string, answer: FakeRpcMethod) => nodes.forEach(({ methods }) => (methods[method] = answer));
  const calls = (method: string) => nodes.reduce((sum, node) => sum + node.callsOf(method), 0);
  const read = (source: BlockSource, from: number, to: number) => source.blocks(BigInt(from), BigInt(to));

  it('gives every block of a range once, linked and in order, with its events', async () => {
    const source = await start({ 7: [deposit(1), deposit(2)], 299: [deposit(3)], 300: [foreignOperation()] });
    const blocks = await read(source, 5, 300);
    expect(blocks.map(({ block }) => block.number)).toEqual(
      Array.from({ length: 296 }, (_, index) => BigInt(index + 5)),
    );
    blocks.slice(1).forEach(({ block }, index) => expect(block.parentHash).toBe(blocks[index]!.block.hash));
    const found = blocks.flatMap(({ block, events }) => events.map(({ kind }) => [block.number, kind]));
    expect(found).toEqual([
      [7n, 'deposited'],
      [7n, 'deposited'],
      [299n, 'deposited'],
      [300n, 'nonceUsed'],
    ]);
    expect(Object.keys(blocks[0]!.block)).toEqual(['number', 'hash', 'parentHash', 'timeSeconds']);
  });

  it('gives nothing for an empty range', async () => {
    expect(await read(await start({}), 6, 5)).toEqual([]);
  });

  it('asks for final blocks in ranges, and for each later one by its hash', async () => {
    const source = await start({});
    await read(source, 201, 300);
    const filters = nodes[0]!.calls
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ params }) => Object.keys(params[0] as object).slice(2));
    expect(filters).toEqual([['fromBlock', 'toBlock'], ['blockHash'], ['blockHash']]);
  });

  describe('ranges', () => {
    const answersAtMost = (blocks: number, refuse: () => unknown) =>
      wrap('eth_getLogs', (logs, [filter]) => {
        const { fromBlock, toBlock } = filter as { fromBlock?: string; toBlock?: string };
        return fromBlock && Number(toBlock) - Number(fromBlock) >= blocks ? refuse() : logs;
      });
    const busy = Object.fromEntries(Array.from({ length: 250 }, (_, number) => [number, [deposit(number + 1)]]));

    it('are halved when they are refused, and grow only slowly again', async () => {
      const source = await start(busy);
      answersAtMost(13, () => {
        throw new FakeRpcError(-32005, 'query returned more than 10000 results');
      });
      expect((await read(source, 0, 249)).flatMap(({ events }) => events)).toHaveLength(250);
      const before = calls('eth_getLogs');
      await read(source, 0, 249);
      expect(calls('eth_getLogs') - before).toBeLessThan(40);
    });

    it('are halved when the answer is too long', async () => {
      const source = await start(busy);
      const tooMuch = 'x'.repeat(16_800_000);
      answersAtMost(13, () => tooMuch);
      expect((await read(source, 0, 19)).flatMap(({ events }) => events)).toHaveLength(20);
    });

    it('of single blocks are read from receipts when logs are refused', async () => {
      const source = await start({ 7: [deposit(1)] });
      replace('eth_getLogs', () => {
        throw new FakeRpcError(-32000, 'logs are not kept');
      });
      expect((await read(source, 7, 8)).map(({ events }) => events.length)).toEqual([1, 0]);
    });

    it('are not halved when the node is gone', async () => {
      const source = await start({});
      await source.final();
      wrap('eth_getLogs', () => {
        throw new FakeRpcError(undefined, 'crashed');
      });
      await expect(read(source, 0, 99)).rejects.toBeInstanceOf(DependencyUnavailableError);
      expect(calls('eth_getLogs')).toBeLessThan(4);
    });
  });

  describe('an answer of eth_getLogs', () => {
    it.each<[string, (log: WireLog) => unknown]>([
      ['of another contract', (log) => ({ ...log, address: randomAddress() })],
      ['of another event', (log) => ({ ...log, topics: [randomHex(32)] })],
      ['of another block', (log) => ({ ...log, blockHash: randomHex(32) })],
      ['of a removed block', (log) => ({ ...log, removed: true })],
      [
        'with a wallet that the header does not know',
        (log) => ({ ...log, topics: [log.topics[0], ...[1, 2].map(word)] }),
      ],
      ['without topics', (log) => ({ ...log, topics: [] })],
      ['with five topics', (log) => ({ ...log, topics: Array(5).fill(log.topics[0]) })],
      ['at no place', (log) => ({ ...log, logIndex: word(2n ** 250n) })],
      ['at a wrong place', (log) => ({ ...log, logIndex: 0 })],
      ['of half a byte', (log) => ({ ...log, data: '0x123' })],
      ['that is none', () => null],
    ])('with a log %s is refused', async (_title, change) => {
      const source = await start({ 7: [deposit(1)] });
      onLogs(change);
      await expect(read(source, 7, 7)).rejects.toBeInstanceOf(DependencyUnavailableError);
    });

    it.each([null, {}, 'logs', 7, [[]]])('%j is refused', async (nonsense) => {
      const source = await start({ 7: [deposit(1)] });
      replace('eth_getLogs', () => nonsense);
      await expect(read(source, 7, 7)).rejects.toBeInstanceOf(DependencyUnavailableError);
    });

    it('with two logs at one place is refused, with one log twice it counts once', async () => {
      const source = await start({ 7: [deposit(1)] });
      wrap('eth_getLogs', (logs) => [...(logs as WireLog[]), ...(logs as WireLog[])]);
      expect((await read(source, 7, 7))[0]!.events).toHaveLength(1);
      wrap('eth_getLogs', (logs) => (logs as WireLog[]).map((log, at) => ({ ...log, data: word(at) })));
      await expect(read(source, 7, 7)).rejects.toBeInstanceOf(DependencyUnavailableError);
    });
  });

  describe('logs that did not come', () => {
    it('of our contract are found in the receipts, and reported', async () => {
      const source = await start({ 7: [deposit(1), deposit(2)] });
      wrap('eth_getLogs', (logs) => (logs as WireLog[]).slice(1));
      expect((await read(source, 7, 7))[0]!.events).toHaveLength(2);
      expect(faults.map(({ message }) => message)).toEqual(['block 7: eth_getLogs gave 1 logs, the receipts 2']);
    });

    it('of an EntryPoint are found too, with a single provider', async () => {
      const source = await start({ 7: [foreignOperation(), foreignOperation()] });
      wrap('eth_getLogs', (logs) => (logs as WireLog[]).slice(1));
      expect((await read(source, 7, 7))[0]!.events).toHaveLength(2);
    });

    it('of an EntryPoint are believed from several providers that agree, without their receipts', async () => {
      const source = await start({ 7: [foreignOperation()], 8: [] }, 3);
      await read(source, 7, 8);
      expect(calls('eth_getBlockReceipts')).toBe(0);
    });

    it('did not exist if the receipts do not have them: the filter only matched by chance', async () => {
      const source = await start({});
      const bloom = bloomOf([deposit(1)].map(({ address, topics }) => ({ address, topics })));
      const other = { transactionHash: randomHex(32), ...{ address: v07.paymaster, topics: [randomHex(32)] } };
      wrap('eth_getBlockByNumber', (header) => ({ ...(header as object), logsBloom: bloom }));
      await expect(read(source, 7, 7)).rejects.toBeInstanceOf(DependencyUnavailableError);
      expect(faults.at(-1)!.message).toContain('leaves out logs');
      // Other logs that set the same bits: an event of our contract that we do not read, and an event of a foreign
      // contract.
      const { topics } = deposit(1);
      wrap('eth_getBlockByNumber', (header) => ({
        ...(header as object),
        logsBloom: bloomOf([other, { address: other.transactionHash, topics }]),
      }));
      replace('eth_getBlockReceipts', ([blockHash]) => [
        {
          transactionHash: other.transactionHash,
          logs: [other, { ...other, address: randomAddress(), topics: [...topics, other.transactionHash] }].map(
            (log, logIndex) => ({ ...log, data: '0x', blockHash, blockNumber: '0x7', logIndex: `0x${logIndex}` }),
          ),
        },
      ]);
      expect((await read(source, 7, 7))[0]!.events).toEqual([]);
    });

    it('cannot be ruled out where nodes have no receipts: nothing is read', async () => {
      const source = await start({ 7: [deposit(1)] });
      for (const { methods } of nodes) delete methods['eth_getBlockReceipts'];
      await expect(read(source, 7, 7)).rejects.toBeInstanceOf(DependencyUnavailableError);
      expect((await read(source, 8, 9)).length).toBe(2);
    });

    it.each<[string, unknown]>([
      ['are null', null],
      ['are a number', 7],
      ['are empty', []],
      ['have no logs', [{ transactionHash: randomHex(32) }]],
      ['are of nothing', [{ logs: [] }]],
    ])('leave nothing to read when receipts %s', async (_title, receipts) => {
      const source = await start({ 7: [deposit(1)] });
      replace('eth_getBlockReceipts', () => receipts);
      await expect(read(source, 7, 7)).rejects.toBeInstanceOf(DependencyUnavailableError);
    });

    it.each<[string, (log: WireLog) => object]>([
      ['another block', () => ({ blockHash: randomHex(32) })],
      ['another number', () => ({ blockNumber: '0x8' })],
      ['another transaction', () => ({ transactionHash: randomHex(32) })],
    ])('are not taken from receipts with logs of %s', async (_title, change) => {
      const source = await start({ 7: [deposit(1)] });
      wrap('eth_getBlockReceipts', (receipts) =>
        (receipts as Array<{ logs: WireLog[] }>).map((receipt) => ({
          ...receipt,
          logs: receipt.logs.map((log) => ({ ...log, ...change(log) })),
        })),
      );
      await expect(read(source, 7, 7)).rejects.toBeInstanceOf(DependencyUnavailableError);
    });
  });

  it('says so when the chain is reorganised while it is read', async () => {
    const source = await start({});
    wrap('eth_getBlockByNumber', (header, [which]) =>
      Number(which) === 8 ? { ...(header as object), parentHash: randomHex(32) } : header,
    );
    await expect(read(source, 5, 10)).rejects.toBeInstanceOf(ChainMovedError);
  });

  it('has no block above the head', async () => {
    await expect(read(await start({}), 299, 301)).rejects.toThrow('chain 1 has no block 301 yet');
  });

  it('gives no part of an operation', async () => {
    const precharged: readonly [Hex, Hex, Hex] = [PAYMASTER_EVENTS.UserOperationPrecharged, randomHex(32), wallet];
    const source = await start({ 7: [logOf(v07.paymaster, precharged, [5])] });
    await expect(read(source, 7, 7)).rejects.toBeInstanceOf(IncompleteOperationError);
  });
});
