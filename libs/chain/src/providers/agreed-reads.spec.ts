import { DependencyUnavailableError, RequestTimedOutError, type Hex } from '@paymaster/domain';
import { FakeRpcError, FakeRpcServer, fakeClock, UNHURRIED, type FakeRpcMethod } from '../testing';
import { wireHeader } from '../testing/blocks';
import { AgreedChain } from './agreed-chain';
import { AgreedReads } from './agreed-reads';
import { NotAgreedError } from './not-agreed.error';

const HEAD = 1_000;
const ACCOUNT = `0x${'22'.repeat(20)}` as const;
const CALL = { to: `0x${'11'.repeat(20)}` as const, data: '0x' as Hex };
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const parse = (returned: unknown) => BigInt(returned as string);

describe('AgreedReads', () => {
  let providers: FakeRpcServer[] = [];
  const time = fakeClock();
  afterEach(async () => {
    await Promise.all(providers.map((provider) => provider.stop()));
  });

  /** Three providers; the first is changed as given. */
  const start = async (...changes: ReadonlyArray<Record<string, FakeRpcMethod>>): Promise<AgreedReads> => {
    providers = await Promise.all(
      [0, 1, 2].map((index) => FakeRpcServer.start({ ...honest(HEAD), ...(changes[index] ?? {}) })),
    );
    const chain = { chainId: 1, rpcUrls: providers.map(({ url }) => url), finality: { tag: 'finalized' as const } };
    return new AgreedReads(new AgreedChain(chain, { ...UNHURRIED, retryAfterMs: 1 }), time.clock);
  };

  it('takes number, time and base fee of the newest block that enough providers know', async () => {
    const reads = await start();
    await expect(reads.block('latest')).resolves.toEqual({
      number: BigInt(HEAD),
      timestampSeconds: 2 * HEAD,
      baseFeePerGasWei: 7n,
    });
  });

  it.each([
    ['lags 50 blocks', honest(HEAD - 50)],
    ['is 5,000 blocks ahead', honest(HEAD + 5_000)],
    ['names another base fee', { eth_getBlockByNumber: () => ({ ...header(HEAD), baseFeePerGas: '0x1' }) }],
    ['serves another chain', { eth_chainId: () => '0x2' }],
    ['has no state', refuses('eth_call', 'eth_getCode', 'eth_getStorageAt')],
    ['lies about state', lies()],
  ])('changes nothing where one of three %s', async (_what, change) => {
    const reads = await start(change);
    const block = await reads.block('latest');
    expect([block.number, block.baseFeePerGasWei]).toEqual([BigInt(HEAD), 7n]);
    expect(await reads.ethCall(CALL, parse)).toBe(5n);
    expect(await reads.code(ACCOUNT)).toBe('0x60');
    expect(await reads.storageAt({ address: ACCOUNT, slot: word(0) })).toBe(word(3));
  });

  it('asks no provider for a request whose deadline is over, and gives up at the deadline', async () => {
    const reads = await start();
    await reads.block('latest');
    const asked = () => providers.reduce((sum, provider) => sum + provider.callsOf('eth_getCode'), 0);
    await expect(reads.code(ACCOUNT, performance.now())).rejects.toThrow(RequestTimedOutError);
    expect(asked()).toBe(0);
    for (const provider of providers) provider.mode = 'hang';
    await expect(reads.code(ACCOUNT, performance.now() + 200)).rejects.toThrow(RequestTimedOutError);
    for (const provider of providers) provider.mode = 'ok';
    for (let read = 0; read < 5; read++) expect(await reads.code(ACCOUNT)).toBe('0x60');
    expect(reads.status().map(({ state }) => state)).toEqual(['usable', 'usable', 'usable']);
  });

  it('fails if two of three lie in different ways', async () => {
    const reads = await start(lies(1), lies(2));
    for (const read of [
      reads.ethCall(CALL, parse),
      reads.code(ACCOUNT),
      reads.storageAt({ address: ACCOUNT, slot: word(0) }),
    ]) {
      await expect(read).rejects.toThrow(NotAgreedError);
    }
  });

  it('takes a time for the pending block that two of three reach', async () => {
    const pendingAt = (timestamp: number) => ({
      eth_getBlockByNumber: (params: readonly unknown[]) =>
        params[0] === 'pending' ? { ...header(HEAD + 1), timestamp: toHex(timestamp) } : header(HEAD),
    });
    const reads = await start(pendingAt(9_000_000), pendingAt(2_010), pendingAt(2_008));
    expect((await reads.block('pending')).timestampSeconds).toBe(2_010);
  });

  it('refuses a head that cannot be true', async () => {
    const reads = await start();
    const isFalse = () => {
      throw new DependencyUnavailableError('chain', 'it cannot be true');
    };
    await expect(reads.block('latest', isFalse)).rejects.toThrow('it cannot be true');
  });

  it('reads at the newest block that it knows, for two seconds', async () => {
    const reads = await start();
    const looks = () => providers[0]!.callsOf('eth_getBlockByNumber');
    await reads.ethCall(CALL, parse);
    await reads.code(ACCOUNT);
    expect(looks()).toBe(1);
    const blocks = providers.flatMap(({ calls }) => calls.map(({ params }) => (params[1] as object) ?? {}));
    expect(blocks).toContainEqual({ blockHash: header(HEAD).hash });
    time.advanceSeconds(2);
    await reads.code(ACCOUNT);
    expect(looks()).toBe(2);
  });

  it('reads a newer block if an account had no code, at most four times a second', async () => {
    let head = HEAD;
    const deploys = {
      ...honest(HEAD),
      eth_getBlockByNumber: (params: readonly unknown[]) => honest(head)['eth_getBlockByNumber']!(params),
      eth_getCode: ([, at]: readonly unknown[]) =>
        (at as { blockHash: Hex }).blockHash === header(HEAD).hash ? '0x' : '0x60',
    };
    const reads = await start(deploys, deploys, deploys);
    await reads.block('latest');
    head = HEAD + 1;
    expect(await reads.code(ACCOUNT)).toBe('0x');
    time.advanceSeconds(0.25);
    expect(await reads.code(ACCOUNT)).toBe('0x60');
  });
});

function header(number: number) {
  return { ...wireHeader(number), baseFeePerGas: '0x7' };
}

function honest(head: number): Record<string, FakeRpcMethod> {
  const known = (params: readonly unknown[]) => {
    const [block] = params as [string];
    const number = block.startsWith('0x') && block.length < 20 ? Number(block) : head;
    return number > head ? null : header(number);
  };
  return {
    eth_chainId: () => '0x1',
    eth_getBlockByNumber: known,
    eth_call: () => word(5),
    eth_getCode: () => '0x60',
    eth_getStorageAt: () => word(3),
  };
}

function lies(salt = 1): Record<string, FakeRpcMethod> {
  return {
    eth_call: () => word(100 + salt),
    eth_getCode: () => `0x61${salt}0`,
    eth_getStorageAt: () => word(200 + salt),
  };
}

function refuses(...methods: readonly string[]): Record<string, FakeRpcMethod> {
  const refuse = () => {
    throw new FakeRpcError(-32000, 'missing trie node');
  };
  return Object.fromEntries(methods.map((method) => [method, refuse]));
}

function toHex(value: number): Hex {
  return `0x${value.toString(16)}`;
}
