import { CallRevertedError, JsonRpcResponseError, type ChainProvider } from '@paymaster/chain';
import { DependencyUnavailableError, InvalidParamsError, type Hex } from '@paymaster/domain';
import { id } from 'ethers';
import type { Caller } from '../../../callers/caller';
import { ChainReadFailedError, MethodNotFoundError } from '../../../platform/errors/rpc-errors';
import type { Dialect, JsonSchema, ParamDocument, RpcMethod } from '../../json-rpc/rpc-method';
import { inTurnOf } from '../../../decide/limits/in-turn';
import { parseQuantity, type RawQuantity } from '../../user-operation/quantity';
import { address, bytes, quantity } from '../common/primitives';
import type { PlainRequest } from '../common/plain-request';
import { BUNDLER_ERRORS } from '../erc7769';

/** The most gas that a call of a client may use: as much as a large operation. */
const MOST_CALL_GAS = 10_000_000n;
/** The longest range of blocks in which an operation is looked for. */
const MOST_BLOCKS = 2_000n;
const USER_OPERATION_EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');

const newestBlock: ParamDocument = {
  name: 'block',
  required: false,
  schema: { enum: ['latest', 'pending', null], description: 'latest or pending: older blocks are not read here' },
};
const callFields = {
  from: address,
  data: bytes,
  input: bytes,
  ...{ value: quantity, gas: quantity, gasPrice: quantity, maxFeePerGas: quantity, maxPriorityFeePerGas: quantity },
  ...{ type: { type: 'string' }, nonce: quantity, accessList: { type: 'array', maxItems: 0 } },
} as const;
const call: JsonSchema = {
  title: 'Call',
  type: 'object',
  description: 'a call of a contract: to, data, from, value, gas',
  required: ['to'],
  additionalProperties: false,
  properties: { to: address, ...callFields },
};
/** Without `to`, `data` is code that runs and returns: so SDKs compute addresses and check signatures of accounts to be. */
const callOrCode: JsonSchema = {
  ...call,
  title: 'CallOrCode',
  description: 'a call of a contract: to, data, from, value, gas; or, without to, of the code in data',
  required: [],
  properties: { ...callFields, to: { anyOf: [address, { type: 'null' }] } },
};
const account: ParamDocument = { name: 'address', required: true, schema: address };
const count: JsonSchema = { ...quantity, description: 'a number of blocks, at most 100' };
const percentiles: JsonSchema = { type: 'array', maxItems: 10, items: { type: 'number', minimum: 0, maximum: 100 } };
const topic: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description: 'a topic: 32 bytes' };
const logFilter: JsonSchema = {
  title: 'OperationLogFilter',
  type: 'object',
  description: "a filter for one operation's UserOperationEvent: its EntryPoint, [the event, its hash], and blocks",
  required: ['topics'],
  additionalProperties: false,
  properties: {
    address: { anyOf: [address, { type: 'array', maxItems: 4, items: address }] },
    topics: {
      type: 'array',
      minItems: 2,
      maxItems: 4,
      items: { anyOf: [topic, { type: 'array', minItems: 1, maxItems: 1, items: topic }, { type: 'null' }] },
    },
    fromBlock: { type: 'string', maxLength: 66 },
    toBlock: { type: 'string', maxLength: 66 },
  },
};

interface Read {
  readonly name: string;
  readonly params?: readonly ParamDocument[];
  /** The params that are sent to the node. */
  readonly forward?: (params: readonly unknown[], caller: Caller) => readonly unknown[] | Promise<readonly unknown[]>;
}

/**
 * What the SDKs read of a chain at the address of their bundler, and nothing else: a key is no free node. Clients see
 * the state of the newest block, without overrides.
 */
const READS: readonly Read[] = [
  { name: 'eth_blockNumber' },
  { name: 'eth_gasPrice' },
  { name: 'eth_maxPriorityFeePerGas' },
  { name: 'net_version' },
  {
    name: 'eth_call',
    params: [{ name: 'call', required: true, schema: callOrCode }, newestBlock],
    forward: cappedCall,
  },
  {
    name: 'eth_estimateGas',
    params: [{ name: 'call', required: true, schema: call }, newestBlock],
    forward: cappedCall,
  },
  { name: 'eth_getCode', params: [account, newestBlock], forward: atNewest(1) },
  { name: 'eth_getBalance', params: [account, newestBlock], forward: atNewest(1) },
  { name: 'eth_getTransactionCount', params: [account, newestBlock], forward: atNewest(1) },
  {
    name: 'eth_getBlockByNumber',
    params: [newestBlock, { name: 'full', required: false, schema: { enum: [false, null] } }],
    forward: ([block]) => [block ?? 'latest', false],
  },
  {
    name: 'eth_feeHistory',
    params: [
      { name: 'count', required: true, schema: count },
      { ...newestBlock, required: true },
      { name: 'percentiles', required: false, schema: percentiles },
    ],
    forward: ([blocks, newest, wanted]) => [boundedCount(blocks), newest ?? 'latest', wanted ?? []],
  },
  {
    name: 'eth_getLogs',
    params: [{ name: 'filter', required: true, schema: logFilter }],
    forward: ([filter], caller) => operationLogs(filter as LogFilter, caller),
  },
];

function atNewest(position: number): NonNullable<Read['forward']> {
  return (params) => [...params.slice(0, position), params[position] ?? 'latest'];
}

/** Fields that make a node check coins, or that it does not know, are left out. */
function cappedCall([asked, block]: readonly unknown[]): readonly unknown[] {
  const { to, from, data, input, value, gas } = asked as Record<string, RawQuantity>;
  const quantity = (sent: RawQuantity, field: string) =>
    parseQuantity(sent, { field: `params[0].${field}`, bits: 256 });
  const bytes = data ?? input;
  if (!to && !bytes)
    throw new InvalidParamsError('params[0].to', 'params[0].to is missing, and there is no params[0].data.');
  if (typeof bytes === 'string' && bytes.length % 2 !== 0) {
    throw new InvalidParamsError('params[0].data', 'params[0].data must be bytes: an even number of hex digits.');
  }
  const [sentGas, valueWei] = [quantity(gas, 'gas'), quantity(value, 'value')];
  const most = sentGas === 0n || sentGas > MOST_CALL_GAS ? MOST_CALL_GAS : sentGas;
  const given = { ...(to && { to }), from, data: bytes, ...(valueWei > 0n && { value: hexOf(valueWei) }) };
  return [{ ...given, gas: hexOf(most) }, block ?? 'latest'];
}

function boundedCount(blocks: unknown): Hex {
  const wanted = parseQuantity(blocks as string | number, { field: 'params[0]', bits: 64 });
  if (wanted >= 1n && wanted <= 100n) return hexOf(wanted);
  throw new InvalidParamsError('params[0]', 'params[0] must be 1 to 100 blocks.');
}

interface LogFilter {
  readonly address?: string | readonly string[];
  readonly topics: ReadonlyArray<string | readonly string[] | null>;
  readonly fromBlock?: string;
}

/** Clients ask from block 0, or from a hundred blocks ago, to the newest: the range is cut to what nodes take. */
async function operationLogs(filter: LogFilter, { chain, deadlineMs }: Caller): Promise<readonly unknown[]> {
  const [event, hash] = filter.topics.map((one) => (Array.isArray(one) ? one[0] : one)) as Array<string | null>;
  const entryPoints = Object.values(chain.config.entryPoints).map(({ entryPoint }) => entryPoint as string);
  const asked = [filter.address ?? entryPoints].flat().map((one) => one.toLowerCase());
  if (event?.toLowerCase() !== USER_OPERATION_EVENT || !hash || !asked.every((one) => entryPoints.includes(one))) {
    const sentence = "must ask for one operation's UserOperationEvent of an EntryPoint that is served here";
    throw new InvalidParamsError('params[0].topics', `params[0].topics ${sentence}.`);
  }
  const head = await chain.reads.ask('eth_blockNumber', [], (value) => BigInt(value as string), { deadlineMs });
  const first = head > MOST_BLOCKS ? head - MOST_BLOCKS : 0n;
  const wanted = /^0x[0-9a-f]+$/i.test(filter.fromBlock ?? '') ? BigInt(filter.fromBlock as string) : 0n;
  const fromBlock = hexOf(wanted < first ? first : wanted > head ? head : wanted);
  return [{ address: asked, topics: [event, hash], fromBlock, toBlock: 'latest' }];
}

const hexOf = (value: bigint | string | number): Hex => `0x${BigInt(value).toString(16)}`;

function readMethod({ name, params = [], forward = (sent) => sent }: Read): RpcMethod<PlainRequest> {
  return {
    name,
    summary: 'A read of the chain, where the operator allows it (`chainReads`).',
    params,
    result: { name: 'result', schema: {} },
    refusals: ['request', 'caller', 'bundlerUse'],

    parse(sent, caller) {
      if (!caller.chain.config.chainReads) throw new MethodNotFoundError(name);
      return { mode: 'none', caller, params: sent };
    },

    async answer({ caller, params: sent }) {
      const { chain } = caller;
      const forwarded = await forward(sent, caller);
      return inTurnOf(chain.readTurns, caller, () => readChain(chain.reads, { name, params: forwarded, caller }));
    },
  };
}

async function readChain(
  provider: Pick<ChainProvider, 'ask'>,
  { name, params, caller }: { name: string; params: readonly unknown[]; caller: Caller },
): Promise<unknown> {
  try {
    const unsupported = (error: unknown) =>
      error instanceof JsonRpcResponseError
        ? new ChainReadFailedError(error.code, error.rpcMessage, undefined)
        : undefined;
    return await provider.ask(name, params, (value) => value, { deadlineMs: caller.deadlineMs, unsupported });
  } catch (error) {
    // A node's refusal is passed on, and does not count as a fault of the node. userop computes an account's address
    // from the revert data of a call.
    if (error instanceof CallRevertedError) throw new ChainReadFailedError(3, error.message, error.data);
    if (error instanceof ChainReadFailedError) throw error;
    throw error instanceof DependencyUnavailableError ? error : new DependencyUnavailableError('chain', 'no answer');
  }
}

/** The methods by which SDKs read the chain at their bundler's address. */
export const chainReads: Dialect = { name: 'chain reads', errors: BUNDLER_ERRORS, methods: READS.map(readMethod) };
