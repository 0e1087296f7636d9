import type { Address, Hex } from '@paymaster/domain';
import { keccak256 } from 'ethers';
import type { Log } from '../providers/log';
import { wireHeader } from './blocks';
import { FakeRpcError, type FakeRpcMethod } from './fake-rpc-server';

/** A log as nodes answer it. */
export interface WireLog {
  address: Address;
  topics: Hex[];
  data: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  transactionHash: Hex;
  logIndex: Hex;
}

interface Filter {
  readonly address: Address[];
  readonly topics: [Hex[]];
  readonly blockHash?: Hex;
  readonly fromBlock?: Hex;
  readonly toBlock?: Hex;
}

/** The methods of an honest node with a chain of this many blocks, for a fake RPC server. */
export function fakeChainMethods(
  length: number,
  logsOf: (number: number) => readonly Log[] = () => [],
): Record<string, FakeRpcMethod> {
  const wireLogs = remembered((number): readonly WireLog[] =>
    logsOf(number).map((log, index) => ({
      ...{ address: log.address, topics: [...log.topics], data: log.data, transactionHash: log.transactionHash },
      ...{ blockNumber: quantity(number), blockHash: hashOf(number), logIndex: quantity(index) },
    })),
  );
  const header = remembered((number) => ({ ...wireHeader(number), logsBloom: bloomOf(wireLogs(number)) }));
  const numberOf = (hash: Hex) => numbers(0, length).find((number) => hashOf(number) === hash);
  return {
    eth_chainId: () => '0x1',
    eth_getBlockByNumber: ([which]) => {
      if (which === 'latest') return header(length);
      if (which === 'finalized') return header(Math.max(0, length - 2));
      return Number(which) > length ? null : header(Number(which));
    },
    eth_getBlockByHash: ([hash]) => {
      const number = numberOf(hash as Hex);
      return number === undefined ? null : header(number);
    },
    eth_getLogs: ([filter]) => {
      const { address, topics, blockHash, fromBlock, toBlock } = filter as Filter;
      const [first, last] = blockHash
        ? [numberOf(blockHash), numberOf(blockHash)]
        : [Number(fromBlock), Number(toBlock)];
      if (first === undefined || last === undefined || last > length) throw new FakeRpcError(-32000, 'unknown block');
      return numbers(first, last)
        .flatMap(wireLogs)
        .filter((log) => address.includes(log.address) && topics[0].includes(log.topics[0]!));
    },
    eth_getBlockReceipts: ([hash]) => {
      const number = numberOf(hash as Hex);
      if (number === undefined) return null;
      return wireLogs(number).map((log) => ({ transactionHash: log.transactionHash, logs: [log] }));
    },
  };
}

const hashOf = (number: number) => wireHeader(number).hash as Hex;
const quantity = (value: number): Hex => `0x${value.toString(16)}`;
const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

function remembered<T>(make: (number: number) => T): (number: number) => T {
  const made = new Map<number, T>();
  return (number) => {
    const known = made.get(number) ?? make(number);
    made.set(number, known);
    return known;
  };
}

/** The bloom filter of logs, as the yellow paper makes it (4.3.1). */
export function bloomOf(logs: ReadonlyArray<{ address: Hex; topics: readonly Hex[] }>): Hex {
  let bloom = 0n;
  for (const { address, topics } of logs)
    for (const item of [address, ...topics]) {
      const hash = BigInt(keccak256(item));
      for (const pair of [0n, 1n, 2n]) bloom |= 1n << ((hash >> (256n - 16n * (pair + 1n))) & 2_047n);
    }
  return `0x${bloom.toString(16).padStart(512, '0')}`;
}
