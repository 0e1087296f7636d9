import { ChainProvider, TokenAnswerError } from '@paymaster/chain';
import { FakeRpcError, FakeRpcServer, UNHURRIED } from '@paymaster/chain/testing';
import { DependencyUnavailableError, type Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { AbiCoder } from 'ethers';
import { TokenReader } from './token-reader';

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

describe('TokenReader', () => {
  const token = randomAddress();
  const [account, spender] = [randomAddress(), randomAddress()];
  let node: FakeRpcServer;
  let provider: ChainProvider;
  let reader: TokenReader;

  beforeEach(async () => {
    node = await FakeRpcServer.start({ eth_chainId: () => '0x1' });
    provider = new ChainProvider(
      { chainId: 1, rpcUrls: [node.url] },
      { ...UNHURRIED, breaker: { failureThreshold: 1, openMs: 60_000 } },
    );
    reader = new TokenReader(provider);
  });
  afterEach(() => node.stop());

  const answers = (returned: unknown) => (node.methods['eth_call'] = () => returned);

  it('encodes calls by the ABI, with a bound on gas', async () => {
    answers(word(7n));
    await expect(reader.allowance({ token, owner: account, spender })).resolves.toBe(7n);
    const arguments_ = AbiCoder.defaultAbiCoder().encode(['address', 'address'], [account, spender]);
    expect(node.calls.at(-1)?.params).toEqual([
      { to: token, data: `0xdd62ed3e${arguments_.slice(2)}`, gas: '0x7a120' },
      'latest',
    ]);
  });

  it('reads balances, decimals and symbols', async () => {
    answers(word(2n ** 256n - 1n));
    await expect(reader.balanceOf({ token, account })).resolves.toBe(2n ** 256n - 1n);
    answers(word(255n));
    await expect(reader.decimals(token)).resolves.toBe(255);
    answers(AbiCoder.defaultAbiCoder().encode(['string'], ['USDC']));
    await expect(reader.symbol(token)).resolves.toBe('USDC');
  });

  it.each<[string, (reads: TokenReader) => Promise<unknown>, Hex]>([
    ['no balance', (reads) => reads.balanceOf({ token, account }), '0x'],
    ['a balance of two words', (reads) => reads.balanceOf({ token, account }), `0x${'00'.repeat(64)}`],
    ['256 decimals', (reads) => reads.decimals(token), word(256n)],
    ['a symbol that is none', (reads) => reads.symbol(token), '0x12'],
  ])("takes %s for the token's fault, and goes on using the node", async (_title, read, returned) => {
    answers(returned);
    await expect(read(reader)).rejects.toThrow(TokenAnswerError);
    expect(provider.status()[0]?.state).toBe('usable');
  });

  it("counts a revert as the token's fault", async () => {
    node.methods['eth_call'] = () => {
      throw new FakeRpcError(3, 'execution reverted');
    };
    await expect(reader.decimals(token)).rejects.toThrow(TokenAnswerError);
  });

  it("does not count a node's fault as the token's", async () => {
    answers('yes');
    await expect(reader.decimals(token)).rejects.toThrow(DependencyUnavailableError);
  });
});
