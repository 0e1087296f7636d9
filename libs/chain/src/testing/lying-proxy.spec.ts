import { FakeRpcServer } from './fake-rpc-server';
import * as lies from './lies';
import { lyingProxy, type LyingProxy } from './lying-proxy';

const HEAD = 100;

describe('lyingProxy', () => {
  let node: FakeRpcServer;
  let proxy: LyingProxy;

  beforeAll(async () => {
    const block = (number: number) => ({ number: `0x${number.toString(16)}`, baseFeePerGas: '0x64' });
    node = await FakeRpcServer.start({
      eth_chainId: () => '0x1',
      eth_blockNumber: () => `0x${HEAD.toString(16)}`,
      eth_getBlockByNumber: ([which]) => {
        if (which === 'finalized') return block(HEAD - 2);
        return which === 'latest' ? block(HEAD) : Number(which) > HEAD ? null : block(Number(which));
      },
      eth_getLogs: () => [
        { logIndex: '0x0', data: '0x' },
        { logIndex: '0x1', data: `0x${'1'.repeat(64)}` },
      ],
      eth_call: () => `0x${'2'.repeat(64)}`,
    });
    proxy = await lyingProxy(node.url);
  });
  afterEach(() => proxy.beHonest());
  afterAll(async () => {
    await proxy.stop();
    await node.stop();
  });

  const post = (body: unknown, timeoutMs = 60_000) =>
    fetch(proxy.url, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(timeoutMs) });
  const ask = async (method: string, ...params: unknown[]) => {
    const answer = (await (await post({ jsonrpc: '2.0', id: 7, method, params })).json()) as Record<string, unknown>;
    expect(answer['id']).toBe(7);
    return answer['error'] ?? answer['result'];
  };
  const headNumber = async () =>
    Number(((await ask('eth_getBlockByNumber', 'latest', false)) as { number: string }).number);

  it('passes on its target’s answers until it is told to lie, also errors and batches', async () => {
    expect(await ask('eth_chainId')).toBe('0x1');
    expect(await ask('eth_nothing')).toMatchObject({ code: -32601 });
    const batch = await post([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' })));
    expect(await batch.json()).toMatchObject([
      { id: 1, result: '0x1' },
      { id: 2, result: '0x1' },
    ]);
  });

  it('changes its lies at run time', async () => {
    proxy.lie(lies.wrongChainId(5));
    expect(await ask('eth_chainId')).toBe('0x5');
    proxy.lie(lies.staleHead(30));
    expect(await ask('eth_chainId')).toBe('0x1');
    expect(await headNumber()).toBe(70);
    expect(await ask('eth_getBlockByNumber', '0x47', false)).toBeNull();
    expect(await ask('eth_getLogs', { fromBlock: '0x1', toBlock: '0x47' })).toMatchObject({ code: -32000 });
  });

  it('lets heads go backwards', async () => {
    proxy.lie(lies.backwardsHeads(2));
    expect([await headNumber(), await headNumber(), await headNumber(), await headNumber()]).toEqual([
      100, 99, 98, 100,
    ]);
  });

  it('drops and doubles logs, and swaps amounts and fees', async () => {
    proxy.lie(lies.droppedLogs((log) => (log as { logIndex: string }).logIndex === '0x0'));
    expect(await ask('eth_getLogs', {})).toHaveLength(1);
    proxy.lie(lies.duplicatedLogs());
    expect(await ask('eth_getLogs', {})).toHaveLength(4);
    proxy.lie({ ...lies.swappedBalance(9n), ...lies.oldFee(3n), ...lies.alteredAmounts(8n) });
    expect(BigInt((await ask('eth_call')) as string)).toBe(9n);
    expect(await ask('eth_getBlockByNumber', 'latest', false)).toMatchObject({ baseFeePerGas: '0x3' });
    expect(await ask('eth_getLogs', {})).toMatchObject([{ data: '0x' }, { data: `0x${'8'.padStart(64, '0')}` }]);
  });

  it('misbehaves on the wire', async () => {
    proxy.lie(lies.misbehaves('http429'));
    expect((await post({ id: 1, method: 'eth_chainId' })).status).toBe(429);
    proxy.lie(lies.misbehaves('invalidJson', ['eth_chainId']));
    await expect(ask('eth_chainId')).rejects.toThrow();
    expect(await ask('eth_blockNumber')).toBe('0x64');
    proxy.lie(lies.misbehaves('reset'));
    await expect(ask('eth_chainId')).rejects.toThrow();
    for (const kind of ['hang', 'hugeBody'] as const) {
      proxy.lie(lies.misbehaves(kind));
      const endless = post({ id: 1, method: 'eth_chainId' }, 1_000).then((answer) => answer.text());
      await expect(endless).rejects.toThrow('timeout');
    }
  });
});
