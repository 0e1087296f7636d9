import { toQuantity } from '../json-rpc/parse';
import { FakeRpcError } from './fake-rpc-server';
import { Misbehaviour, type Misconduct, type Mutator, type Mutators, type ProxiedCall } from './lying-proxy';

const TAGS = new Set(['latest', 'pending', 'safe', 'finalized']);

/** Does not know the newest blocks; all other answers are true. */
export function staleHead(blocksBehind: number): Mutators {
  return headBehind(() => blocksBehind);
}

/** Heads that go up and down, like those of a pool in which some nodes lag: 0 to `most` blocks behind, in turn. */
export function backwardsHeads(most: number): Mutators {
  let asked = 0;
  return headBehind(() => asked++ % (most + 1));
}

/** Another chain's id, on the same blocks. */
export function wrongChainId(chainId: number): Mutators {
  return { eth_chainId: () => toQuantity(chainId), net_version: () => String(chainId) };
}

/** Addresses of a rollup's own contracts, by which a chain is recognised as a rollup. */
const OF_ROLLUPS = /^0x(42|00)0{34}[0-9a-f]{4}$/;

/** Claims that accounts without code have code: most tests need a sender, but no real account. */
export function everyAccountDeployed(): Mutators {
  return {
    eth_getCode: async (call) => {
      const code = await call.truth();
      const isOfRollups = OF_ROLLUPS.test(String(call.params[0]).toLowerCase());
      return code === '0x' && !isOfRollups ? '0x00' : code;
    },
  };
}

/** Every call of a contract that returns one word returns this one; `balanceOf` among them. */
export function swappedBalance(wei: bigint): Mutators {
  const word = `0x${wei.toString(16).padStart(64, '0')}`;
  return {
    eth_getBalance: () => toQuantity(wei),
    eth_call: async (call) => {
      const answer = await call.truth();
      return typeof answer === 'string' && answer.length === 66 ? word : answer;
    },
  };
}

/**
 * Leaves logs out of `eth_getLogs`, but not out of receipts, like a node whose index has gaps.
 *
 * @param isDropped which ones; `() => Math.random() < 0.01` for one in a hundred
 */
export function droppedLogs(isDropped: (log: unknown) => boolean): Mutators {
  return { eth_getLogs: onLogs((logs) => logs.filter((log) => !isDropped(log))) };
}

/** Every log of `eth_getLogs` twice. */
export function duplicatedLogs(): Mutators {
  return { eth_getLogs: onLogs((logs) => logs.flatMap((log) => [log, log])) };
}

/** Logs of other blocks, as if of an abandoned branch. */
export function logsOfAnotherBlock(): Mutators {
  const blockHash = `0x${'ab'.repeat(32)}`;
  return { eth_getLogs: onLogs((logs) => logs.map((log) => ({ ...(log as object), blockHash }))) };
}

/** Changes amounts in logs and receipts: the last word of the data of every log. */
export function alteredAmounts(wei: bigint): Mutators {
  const alter = (log: unknown): unknown => {
    const { data } = log as { data: string };
    return data.length < 66
      ? log
      : { ...(log as object), data: data.slice(0, -64) + wei.toString(16).padStart(64, '0') };
  };
  return {
    eth_getLogs: onLogs((logs) => logs.map(alter)),
    eth_getBlockReceipts: async (call) => {
      const receipts = (await call.truth()) as Array<{ logs: unknown[] }> | null;
      return receipts && receipts.map((receipt) => ({ ...receipt, logs: receipt.logs.map(alter) }));
    },
  };
}

/** Fees of long ago: base fee, gas price and tip of this height. */
export function oldFee(weiPerGas: bigint): Mutators {
  const fee = toQuantity(weiPerGas);
  const withFee: Mutator = async (call) => {
    const block = (await call.truth()) as object | null;
    return block && { ...block, baseFeePerGas: fee };
  };
  return {
    eth_gasPrice: () => fee,
    eth_maxPriorityFeePerGas: () => fee,
    eth_getBlockByNumber: withFee,
    eth_getBlockByHash: withFee,
  };
}

/** No answer to any call, or an answer that can't be read. */
export function misbehaves(kind: Misconduct, methods: readonly string[] = ['*']): Mutators {
  return Object.fromEntries(methods.map((method) => [method, () => new Misbehaviour(kind)]));
}

/** A ready answer to one method, whatever was asked: wrong types, wrong numbers. */
export function answers(method: string, result: unknown): Mutators {
  return { [method]: () => result };
}

function onLogs(change: (logs: readonly unknown[]) => readonly unknown[]): Mutator {
  return async (call) => {
    const logs = await call.truth();
    return Array.isArray(logs) ? change(logs) : logs;
  };
}

function headBehind(blocksBehind: () => number): Mutators {
  const lastKnown = async (call: ProxiedCall): Promise<number> =>
    Math.max(0, Number(await call.ask('eth_blockNumber', [])) - blocksBehind());
  const known: Mutator = async (call) => {
    const block = (await call.truth()) as { number?: string } | null;
    return block && Number(block.number) > (await lastKnown(call)) ? null : block;
  };
  return {
    eth_blockNumber: async (call) => toQuantity(await lastKnown(call)),
    eth_getBlockByNumber: async (call) => {
      const [block, ...others] = call.params;
      if (!TAGS.has(String(block))) return known(call);
      if (block === 'finalized' || block === 'safe') {
        const final = (await call.truth()) as { number: string };
        const lag = Number(await call.ask('eth_blockNumber', [])) - (await lastKnown(call));
        return call.truth([toQuantity(Math.max(0, Number(final.number) - lag)), ...others]);
      }
      return call.truth([toQuantity(await lastKnown(call)), ...others]);
    },
    eth_getBlockByHash: known,
    eth_getLogs: async (call) => {
      const { blockHash, toBlock } = call.params[0] as { blockHash?: string; toBlock?: string };
      const last = await lastKnown(call);
      if (blockHash) {
        const block = (await call.ask('eth_getBlockByHash', [blockHash, false])) as { number: string } | null;
        if (!block || Number(block.number) > last) throw new FakeRpcError(-32000, 'unknown block');
      } else if (toBlock && Number(toBlock) > last) {
        throw new FakeRpcError(-32000, 'block range extends beyond current head block');
      }
      return call.truth();
    },
    eth_getBlockReceipts: async (call) => {
      const receipts = (await call.truth()) as Array<{ blockNumber: string }> | null;
      return receipts?.[0] && Number(receipts[0].blockNumber) > (await lastKnown(call)) ? null : receipts;
    },
  };
}
