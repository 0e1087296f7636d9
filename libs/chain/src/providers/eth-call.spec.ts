import { randomAddress } from '@paymaster/domain/testing';
import { JsonRpcResponseError, JsonRpcTransportError } from '../json-rpc/json-rpc-errors';
import { FakeRpcError, FakeRpcServer, UNHURRIED } from '../testing';
import { ChainProvider } from './chain-provider';
import { CallRevertedError, isRevert } from './eth-call';

const answer = (code: number, message: string) => new JsonRpcResponseError('node', code, message, undefined);

describe('isRevert', () => {
  it.each([
    ["geth's revert", 3, 'execution reverted'],
    ['geth out of gas', -32000, 'out of gas'],
    ['geth on an opcode', -32000, 'invalid opcode: INVALID'],
    ['geth on the stack', -32000, 'stack underflow (0 <=> 2)'],
    ['geth on init code', -32000, 'max code size exceeded'],
    ["anvil's halt", -32003, 'EVM error StackUnderflow'],
    ["Nethermind's revert", -32015, 'VM execution error.'],
    ["Nethermind's revert, in words only", -32000, 'VM execution error.'],
    ['Nethermind out of gas', -32015, 'OutOfGas'],
    ['Nethermind on the stack', -32000, 'StackUnderflow'],
    ['Nethermind on an opcode', -32000, 'BadInstruction'],
    ["hardhat's revert", -32603, 'VM Exception while processing transaction: invalid opcode'],
  ])('knows %s', (_title, code, message) => {
    expect(isRevert(answer(code, message))).toBe(true);
  });

  it.each([
    ['a limit of requests', answer(-32005, 'too many requests')],
    ['a node that broke off late', answer(-32000, 'execution aborted (timeout = 5s)')],
    ['an internal error', answer(-32603, 'Internal error')],
    ['a state that is gone', answer(-32000, 'missing trie node')],
    ['no answer', new JsonRpcTransportError('timeout', 'node', 'no answer within 2000 ms')],
  ])('does not take %s for one', (_title, error) => {
    expect(isRevert(error)).toBe(false);
  });

  it("never counts Nethermind's reverts against the node", async () => {
    const node = await FakeRpcServer.start({
      eth_chainId: () => '0x1',
      eth_call: () => {
        throw new FakeRpcError(-32015, 'VM execution error.', 'Reverted 0x08c379a0');
      },
    });
    try {
      const provider = new ChainProvider({ chainId: 1, rpcUrls: [node.url] }, UNHURRIED);
      for (let round = 0; round < 12; round++)
        await expect(provider.ethCall({ to: randomAddress(), data: '0x' }, () => undefined)).rejects.toMatchObject({
          name: CallRevertedError.name,
          data: 'Reverted 0x08c379a0',
        });
      expect(provider.status()).toMatchObject([{ state: 'usable' }]);
    } finally {
      await node.stop();
    }
  });
});
