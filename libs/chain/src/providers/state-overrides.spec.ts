import { DependencyUnavailableError } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { FakeRpcError, FakeRpcServer, UNHURRIED } from '../testing';
import { ChainProvider } from './chain-provider';
import { CallRevertedError } from './eth-call';
import { StateOverridesUnsupportedError, supportsStateOverrides } from './state-overrides';

const WORD_ONE = `0x${'1'.padStart(64, '0')}`;

describe('eth_call with state overrides', () => {
  let first: FakeRpcServer;
  let second: FakeRpcServer;
  const to = randomAddress();
  const slot = `0x${'5'.padStart(64, '0')}` as const;
  const word = `0x${'7'.padStart(64, '0')}` as const;

  beforeEach(async () => {
    const methods = { eth_chainId: () => '0x1', eth_call: () => WORD_ONE };
    first = await FakeRpcServer.start(methods);
    second = await FakeRpcServer.start(methods);
  });
  afterEach(() => Promise.all([first.stop(), second.stop()]));

  const provider = () => new ChainProvider({ chainId: 1, rpcUrls: [first.url, second.url] }, UNHURRIED);
  const call = () => provider().ethCall({ to, data: '0x' }, (returned) => returned, { [to]: { code: '0x00' } });
  const refuse = (code: number, message: string) => () => {
    throw new FakeRpcError(code, message);
  };

  it('sends caller and overrides as nodes read them', async () => {
    const from = randomAddress();
    const overrides = { [to]: { code: '0x00', stateDiff: { [slot]: word }, balanceWei: 255n } } as const;
    await provider().ethCall({ from, to, data: '0x12' }, (returned) => returned, overrides);
    expect(first.calls.at(-1)).toEqual({
      method: 'eth_call',
      params: [
        { from, to, data: '0x12' },
        'latest',
        { [to]: { code: '0x00', stateDiff: { [slot]: word }, balance: '0xff' } },
      ],
    });
  });

  it('sends no third parameter without overrides', async () => {
    await provider().ethCall({ to, data: '0x' }, (returned) => returned);
    expect(first.calls.at(-1)?.params).toHaveLength(2);
  });

  it.each([
    ['geth', -32602, 'too many arguments, want at most 2'],
    ['hardhat', -32602, 'Invalid params'],
    ['a proxy', -32000, 'state overrides are not enabled'],
  ])('says that overrides are unsupported when every node refuses them as %s does', async (_title, code, message) => {
    first.methods['eth_call'] = refuse(code, message);
    second.methods['eth_call'] = refuse(code, message);
    await expect(call()).rejects.toThrow(StateOverridesUnsupportedError);
    expect(first.callsOf('eth_call')).toBe(1);
  });

  it('asks the next node when the first does not take overrides', async () => {
    first.methods['eth_call'] = refuse(-32602, 'too many arguments, want at most 2');
    await expect(call()).resolves.toBe(WORD_ONE);
  });

  it('does not report that while a node that may take them is down', async () => {
    first.methods['eth_call'] = refuse(-32602, 'too many arguments, want at most 2');
    second.mode = 'http500';
    await expect(call()).rejects.toThrow(DependencyUnavailableError);
  });

  it('takes a revert for a revert, and an outage for an outage', async () => {
    first.methods['eth_call'] = refuse(3, 'execution reverted');
    await expect(call()).rejects.toThrow(CallRevertedError);
    first.mode = 'http500';
    second.mode = 'reset';
    await expect(call()).rejects.toThrow(DependencyUnavailableError);
  });

  it('takes "invalid params" without overrides for a fault of the node', async () => {
    first.methods['eth_call'] = refuse(-32602, 'Invalid params');
    await expect(provider().ethCall({ to, data: '0x' }, (returned) => returned)).resolves.toBe(WORD_ONE);
    expect(second.callsOf('eth_call')).toBe(1);
  });
});

describe('supportsStateOverrides', () => {
  it.each([
    ['takes them', () => WORD_ONE, true],
    ['leaves them out without a word', () => '0x', false],
    [
      'refuses them',
      () => {
        throw new FakeRpcError(-32602, 'too many arguments, want at most 2');
      },
      false,
    ],
  ])('tells a node that %s', async (_title, answer, expected) => {
    const node = await FakeRpcServer.start({ eth_chainId: () => '0x1', eth_call: answer });
    try {
      const provider = new ChainProvider({ chainId: 1, rpcUrls: [node.url] }, UNHURRIED);
      await expect(supportsStateOverrides(provider)).resolves.toBe(expected);
    } finally {
      await node.stop();
    }
  });

  it('does not count an outage as an answer', async () => {
    const node = await FakeRpcServer.start();
    node.mode = 'http500';
    try {
      const provider = new ChainProvider({ chainId: 1, rpcUrls: [node.url] }, UNHURRIED);
      await expect(supportsStateOverrides(provider)).rejects.toThrow(DependencyUnavailableError);
    } finally {
      await node.stop();
    }
  });
});
