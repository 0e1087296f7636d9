import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { UnexpectedAnswerError } from '../json-rpc/parse';
import { parseLog } from './log';

describe('parseLog', () => {
  const address = randomAddress();
  const wire = {
    address: address.toUpperCase().replace('0X', '0x'),
    topics: [randomHex(32), randomHex(32)],
    data: '0x1234',
    blockNumber: '0x11',
    blockHash: randomHex(32),
    transactionHash: randomHex(32),
    transactionIndex: '0x0',
    logIndex: '0x2',
    removed: false,
  };

  it('gives the event with its address in lower case', () => {
    const { topics, data, blockHash, transactionHash } = wire;
    const place = { blockNumber: 17n, blockHash, transactionHash, logIndex: 2n };
    expect(parseLog(wire)).toEqual({ address, topics, data, ...place });
  });

  it.each([
    ['a pending event', { blockNumber: null, blockHash: null }],
    ['an event that was removed', { removed: true }],
    ['data that are no bytes', { data: '0x123' }],
    ['a topic of 31 bytes', { topics: [randomHex(31)] }],
    ['five topics', { topics: Array.from({ length: 5 }, () => randomHex(32)) }],
    ['an address that is none', { address: '0x1' }],
  ])('does not believe %s', (_title, changes) => {
    expect(() => parseLog({ ...wire, ...changes })).toThrow(UnexpectedAnswerError);
  });
});
