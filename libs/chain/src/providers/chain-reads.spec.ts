import { DependencyUnavailableError, type Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { FakeRpcError, FakeRpcServer, UNHURRIED } from '../testing';
import { ChainProvider } from './chain-provider';
import { MethodUnsupportedError } from './eth-call';

describe('ChainProvider', () => {
  let node: FakeRpcServer;
  let provider: ChainProvider;
  beforeEach(async () => {
    node = await FakeRpcServer.start({ eth_chainId: () => '0x1' });
    provider = new ChainProvider({ chainId: 1, rpcUrls: [node.url] }, UNHURRIED);
  });
  afterEach(() => node.stop());

  describe('touchedSlots', () => {
    const call = { to: randomAddress(), data: '0x' as Hex };

    it('gives every slot with its contract', async () => {
      const [address, slot, other] = [randomAddress(), randomHex(32), randomHex(32)];
      node.methods['eth_createAccessList'] = () => ({
        accessList: [
          { address, storageKeys: [slot, other] },
          { address: randomAddress(), storageKeys: [] },
        ],
        gasUsed: '0x1',
      });
      await expect(provider.touchedSlots(call)).resolves.toEqual([
        { address, slot },
        { address, slot: other },
      ]);
    });

    it.each([
      ['nothing', null],
      ['no list', { accessList: {} }],
      ['a slot that is no word', { accessList: [{ address: randomAddress(), storageKeys: ['0x1'] }] }],
      ['a contract that is none', { accessList: [{ address: '0x1', storageKeys: [] }] }],
    ])('does not believe %s', async (_title, answer) => {
      node.methods['eth_createAccessList'] = () => answer;
      await expect(provider.touchedSlots(call)).rejects.toThrow(DependencyUnavailableError);
    });
  });

  it.each([
    ['geth', -32601, 'the method eth_createAccessList does not exist/is not available'],
    ['a provider', -32004, 'unsupported'],
    ['another', -32000, 'Unsupported method: eth_createAccessList'],
  ])('says when no node has the method, as %s puts it', async (_title, code, message) => {
    node.methods['eth_createAccessList'] = () => {
      throw new FakeRpcError(code, message);
    };
    await expect(provider.touchedSlots({ to: randomAddress(), data: '0x' })).rejects.toThrow(MethodUnsupportedError);
  });

  it('bounds the gas of a call if asked to', async () => {
    node.methods['eth_call'] = () => '0x';
    await provider.ethCall({ to: randomAddress(), data: '0x', gas: 500_000n }, () => undefined);
    expect(node.calls.at(-1)?.params[0]).toMatchObject({ gas: '0x7a120' });
  });

  it('reads a word of storage in full length, whatever the node leaves out', async () => {
    node.methods['eth_getStorageAt'] = () => '0x2a';
    const word = await provider.storageAt({ address: randomAddress(), slot: randomHex(32) });
    expect(word).toBe(`0x${'2a'.padStart(64, '0')}`);
  });
});
