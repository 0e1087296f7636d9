import { randomAddress, randomHex, userOperationV07Builder } from '@paymaster/domain/testing';
import type { Hex } from '@paymaster/domain';
import { AbiCoder, id, zeroPadValue } from 'ethers';
import { readLanded, readReceipt, receiptOnChain, SEARCHED_BLOCKS } from './receipts';

const OPERATION = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
const REVERTED = id('UserOperationRevertReason(bytes32,address,uint256,bytes)');
const entryPoint = randomAddress();
const sender = randomAddress();
const paymaster = randomAddress();
const transactionHash = randomHex(32);
const coder = AbiCoder.defaultAbiCoder();
const topicOf = (address: string): string => zeroPadValue(address, 32);

const eventOf = (userOpHash: Hex, isSuccess = true) => ({
  ...{ address: entryPoint, transactionHash },
  topics: [OPERATION, userOpHash, topicOf(sender), topicOf(paymaster)],
  data: coder.encode(['uint256', 'bool', 'uint256', 'uint256'], [7n, isSuccess, 5_000n, 50n]),
});
const logOf = (data: string) => ({ address: sender, transactionHash, topics: [], data });

/** A node whose block has these logs. */
function nodeWith(logs: readonly unknown[], found: readonly unknown[]) {
  const asked: Array<readonly [string, readonly unknown[]]> = [];
  const answers: Readonly<Record<string, unknown>> = {
    eth_blockNumber: '0x2710',
    eth_getLogs: found,
    eth_getTransactionReceipt: { transactionHash, status: '0x1', logs },
  };
  const ask = async <T>(method: string, params: readonly unknown[], parse: (value: unknown) => T): Promise<T> => {
    asked.push([method, params]);
    return parse(answers[method]);
  };
  return { asked, node: { ask } };
}

describe('receiptOnChain', () => {
  const userOpHash = randomHex(32);
  const search = (node: ReturnType<typeof nodeWith>['node']) =>
    receiptOnChain(node, { userOpHash, entryPoints: [entryPoint], deadlineMs: Infinity });

  it('has the events of its own operation only, of a bundle of two', async () => {
    const other = eventOf(randomHex(32));
    const [of, ours] = [logOf('0x02'), eventOf(userOpHash)];
    const { node, asked } = nodeWith([logOf('0x01'), other, of, ours, logOf('0x03')], [ours]);
    expect(await search(node)).toMatchObject({
      ...{ userOpHash, entryPoint, sender, paymaster, nonce: '0x7', actualGasCost: '0x1388', actualGasUsed: '0x32' },
      ...{ success: true, reason: '0x', logs: [of, ours], receipt: { transactionHash } },
    });
    const [filter] = asked[1]![1] as [{ fromBlock: Hex }];
    expect(Number(filter.fromBlock)).toBe(10_000 - SEARCHED_BLOCKS);
  });

  it('says why an operation failed', async () => {
    const reverted = {
      ...{ address: entryPoint, transactionHash, topics: [REVERTED, userOpHash, topicOf(sender)] },
      data: coder.encode(['uint256', 'bytes'], [7n, '0x08c379a0']),
    };
    const failed = eventOf(userOpHash, false);
    const { node } = nodeWith([reverted, failed], [failed]);
    expect(await search(node)).toMatchObject({ success: false, reason: '0x08c379a0' });
  });

  it('is null for what no block has, and believes no transaction without the event', async () => {
    expect(await search(nodeWith([], []).node)).toBeNull();
    await expect(search(nodeWith([logOf('0x')], [eventOf(userOpHash)]).node)).rejects.toThrow('not in its transaction');
  });
});

describe('readReceipt', () => {
  const userOpHash = randomHex(32);
  const wanted = { userOpHash, entryPoints: [entryPoint] };
  const saying = (logs: readonly unknown[], changes: object = {}) => ({
    ...{ userOpHash, success: true, paymaster: null, receipt: { transactionHash, logs }, ...changes },
  });

  it('takes everything from the event, whatever the bundler says or leaves out', () => {
    const failed = eventOf(userOpHash, false);
    expect(readReceipt(saying([failed]), wanted)).toMatchObject({
      ...{ userOpHash, entryPoint, paymaster, sender, success: false, reason: '0x', receipt: { transactionHash } },
    });
    expect(readReceipt(null, wanted)).toBeNull();
  });

  it.each([
    ['of another operation', saying([eventOf(randomHex(32))])],
    ['of another contract', saying([{ ...eventOf(userOpHash), address: randomAddress() }])],
    ['without logs', saying([])],
    ['without a transaction', saying([eventOf(userOpHash)], { receipt: {} })],
    ['that is text', 'landed'],
  ])('is not believed when it is %s', (_title, value) => {
    expect(() => readReceipt(value, wanted)).toThrow();
  });
});

describe('readLanded', () => {
  const complete = { operation: userOperationV07Builder().build(), paymaster: undefined };
  const place = { transactionHash, blockHash: randomHex(32), blockNumber: '0x010' };
  const answer = { userOperation: { callData: null }, entryPoint, ...place };
  const read = (value: unknown, isWanted = true) =>
    readLanded(value, { read: () => complete, isWanted: (found) => isWanted && found === complete });

  it('writes the operation anew, whatever form the bundler gave it', () => {
    const found = read(answer);
    expect(found).toMatchObject({ ...place, blockNumber: '0x10', entryPoint });
    expect(found!.userOperation).toMatchObject({ sender: complete.operation.sender });
    expect(Object.values(found!.userOperation)).not.toContain(null);
  });

  it('is null for what is unknown or pending, and believes no other operation', () => {
    expect(read(null)).toBeNull();
    expect(read({ ...answer, transactionHash: null, blockHash: null })).toBeNull();
    expect(() => read(answer, false)).toThrow('another than was asked for');
    expect(() => read({ ...answer, userOperation: undefined })).toThrow();
  });
});
