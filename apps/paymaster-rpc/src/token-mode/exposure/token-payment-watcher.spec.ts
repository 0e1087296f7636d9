import { ChainProvider, type Block } from '@paymaster/chain';
import { FakeRpcError, FakeRpcServer } from '@paymaster/chain/testing';
import { CANONICAL_ENTRY_POINTS, type Address, type Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { encodeAbiParameters, parseAbi, toEventSelector, type AbiEvent } from 'viem';
import { until } from '../../testing/until';
import { TokenExposure, type ExposedOperation } from './token-exposure';
import type { TokenPaidOperation } from './token-payment-logs';
import { TokenPaymentWatcher } from './token-payment-watcher';

const EVENTS = parseAbi([
  'event UserOperationPrecharged(bytes32 indexed userOpHash, address indexed fundingWallet, uint256 prechargeWei)',
  'event UserOperationPaidInToken(bytes32 indexed userOpHash, address indexed token, address indexed sender, address feeReceiver, uint256 charged, uint256 refunded)',
  'event TokenPaymentDue(bytes32 indexed userOpHash, address indexed token, address indexed sender, uint256 due, bool callsSucceeded)',
  'event PostOpRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
  'event UserOperationPrefundTooLow(bytes32 indexed userOpHash, address indexed sender, uint256 nonce)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

const entryPoint = CANONICAL_ENTRY_POINTS['0.7'];
const paymaster = randomAddress();
const [fundingWallet, sender, token] = [randomAddress(), randomAddress(), randomAddress()];
const CHAIN = { chainId: 31337, blockTimeSeconds: 12, entryPoints: { '0.7': { entryPoint, paymaster } } };
const CONFIRMATIONS = 5;
const NOW = 1_800_000_000;

interface WireLog {
  readonly address: Address;
  readonly topics: Hex[];
  readonly data: Hex;
}

/** A node's chain: which logs each block has, and how the node misbehaves. */
class ScriptedNode {
  readonly blocks = new Map<number, WireLog[]>();
  maxRange = Infinity;
  maxLogs = Infinity;
  down = false;
  /** Fails for whoever asks for it. */
  broken = 0;
  /** Blocks it has not heard of yet, and is silent about. */
  behindOf = 0;

  getLogs(params: readonly unknown[]): unknown {
    const [filter] = params as [{ address: Address[]; topics: (Hex[] | Hex | null)[]; fromBlock: Hex; toBlock: Hex }];
    if (this.down) throw new FakeRpcError(-32000, 'the node is down');
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
    if (to - from + 1 > this.maxRange) throw new FakeRpcError(-32005, 'the range is too large');
    if (from <= this.broken && this.broken <= to) throw new FakeRpcError(-32000, 'the block is broken');
    const known = [...this.blocks].filter(([number]) => number >= from && number <= to && number < this.behindBlock());
    const found = known.flatMap(([number, logs]) =>
      logs
        .filter((log) => filter.address.includes(log.address))
        .filter((log) =>
          filter.topics.every((wanted, index) => !wanted || [wanted].flat().includes(log.topics[index] as Hex)),
        )
        .map((log, index) => wireLog(log, number, index)),
    );
    if (found.length > this.maxLogs) throw new FakeRpcError(-32005, 'too many logs');
    return found;
  }

  private behindBlock(): number {
    return this.behindOf || Infinity;
  }
}

describe('TokenPaymentWatcher', () => {
  let server: FakeRpcServer;
  let node: ScriptedNode;
  let head: Block;
  let exposure: TokenExposure;
  let watcher: TokenPaymentWatcher;
  let dues: Array<TokenPaidOperation & { dueWei: bigint }>;
  let faults: unknown[];

  beforeEach(async () => {
    node = new ScriptedNode();
    server = await FakeRpcServer.start({
      eth_chainId: () => '0x7a69',
      eth_getLogs: (params) => node.getLogs(params),
    });
    const provider = new ChainProvider(
      { chainId: 31337, rpcUrls: [server.url] },
      {
        ...{ callTimeoutMs: 60_000, totalTimeoutMs: 60_000, maxAttempts: 1 },
        breaker: { failureThreshold: 1_000, openMs: 1 },
      },
    );
    exposure = new TokenExposure();
    [dues, faults] = [[], []];
    watcher = new TokenPaymentWatcher(exposure, { latest: () => head, ageSeconds: () => 0 }, provider, CHAIN, {
      onDue: (due) => void dues.push(due),
      onFault: (fault) => void faults.push(fault),
    });
    headIs(1_000);
    await watcher.catchUp();
  });

  afterEach(async () => {
    watcher.stop();
    await server.stop();
  });

  /** One block is a second here, whatever the chain's configuration says. */
  const headIs = (number: number): void =>
    void (head = { number: BigInt(number), timestampSeconds: NOW + number - 1_000, baseFeePerGasWei: 1n });
  const readAt = async (number: number): Promise<void> => {
    headIs(number);
    await watcher.catchUp();
  };
  const sign = (nonce = 1n): ExposedOperation => {
    const operation = { fundingWallet, entryPoint, sender, nonce };
    exposure.reserve({
      ...operation,
      token,
      prechargeWei: 10n,
      validUntilSeconds: NOW + 300,
      capWei: 100n,
      senderCapWei: 100n,
    });
    return operation;
  };
  const standing = () => exposure.of({ fundingWallet, token });
  const isBlocked = (): boolean => {
    try {
      sign(99n);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ reason: 'SENDER_BLOCKED_IN_TOKEN_MODE' });
      return true;
    }
  };
  const land = (block: number, logs: WireLog[]): void => void node.blocks.set(block, logs);

  it('asks nobody while nothing is live', async () => {
    for (let number = 1_001; number < 1_010; number++) await readAt(number);
    expect(server.callsOf('eth_getLogs')).toBe(0);
  });

  it('asks once per new head while something is live, and not at all when it has ended', async () => {
    sign();
    await readAt(1_001);
    await readAt(1_001);
    expect(server.callsOf('eth_getLogs')).toBe(1);
    exposure.paid({ fundingWallet, entryPoint, sender, nonce: 1n });
    await readAt(1_002);
    expect(server.callsOf('eth_getLogs')).toBe(1);
  });

  it('releases what was paid when it is confirmed, not before', async () => {
    sign();
    land(1_001, landed('paid'));
    await readAt(1_001 + CONFIRMATIONS - 1);
    expect(standing().holds).toBe(1);
    await readAt(1_001 + CONFIRMATIONS);
    expect(standing()).toEqual({ liveWei: 0n, dueWei: 0n, holds: 0 });
    expect(dues).toEqual([]);
  });

  it('keeps holding what was paid in a block that vanished', async () => {
    sign();
    land(1_001, landed('paid'));
    await readAt(1_002);
    node.blocks.clear();
    await readAt(1_001 + CONFIRMATIONS);
    expect(standing().holds).toBe(1);
    land(1_007, landed('taken'));
    await readAt(1_007);
    expect(standing()).toEqual({ liveWei: 0n, dueWei: 10n, holds: 0 });
  });

  it.each([
    ['the paymaster says that calls reverted', 'due', false],
    ['the paymaster says that calls succeeded', 'taken', true],
    ['postOp was undone', 'postOpReverted', true],
    ['the prefund was too low', 'prefundTooLow', false],
  ] as const)('counts a due at once when %s', async (_title, how, blocks) => {
    sign();
    land(1_001, landed(how));
    await readAt(1_001);
    expect(standing()).toEqual({ liveWei: 0n, dueWei: 10n, holds: 0 });
    expect(dues).toMatchObject([{ sender, nonce: 1n, fundingWallet, dueWei: 10n, blockNumber: 1_001n }]);
    expect(isBlocked()).toBe(blocks);
  });

  it('counts a due once, though it reads the block again until it is confirmed', async () => {
    sign(1n);
    sign(2n);
    land(1_001, landed('due'));
    for (let number = 1_001; number < 1_010; number++) await readAt(number);
    expect(dues).toHaveLength(1);
    expect(standing()).toEqual({ liveWei: 10n, dueWei: 10n, holds: 1 });
  });

  it("leaves alone what is another wallet's, sender's, nonce's or EntryPoint's", async () => {
    sign();
    const others = [
      landed('taken', { fundingWallet: randomAddress() }),
      landed('taken', { sender: randomAddress() }),
      landed('taken', { nonce: 2n }),
      landed('paid', { nonce: 2n }),
    ];
    others.forEach((logs, index) => land(1_001 + index, logs));
    // Another paymaster's operation of the same account whose postOp was undone.
    land(1_005, landed('postOpReverted').slice(1));
    await readAt(1_020);
    expect(standing()).toEqual({ liveWei: 10n, dueWei: 0n, holds: 1 });
  });

  it('leaves a sponsored operation of the same nonce to expire', async () => {
    sign();
    land(1_001, landed('sponsored'));
    await readAt(1_020);
    expect(standing().holds).toBe(1);
    expect(dues).toEqual([]);
  });

  it('ends what can no longer land, once the chain was read to a confirmed block past its end', async () => {
    sign();
    await readAt(1_331);
    expect(standing().holds).toBe(1);
    await readAt(1_331 + CONFIRMATIONS);
    expect(standing().holds).toBe(0);
  });

  it('holds everything while the node is down, then finds the due that landed meanwhile', async () => {
    sign();
    land(1_100, landed('taken'));
    node.down = true;
    for (const number of [1_050, 1_400, 2_000]) {
      headIs(number);
      await expect(watcher.catchUp()).rejects.toThrow('cannot be read');
    }
    expect(standing().holds).toBe(1);
    node.down = false;
    await readAt(2_001);
    expect(standing()).toEqual({ liveWei: 0n, dueWei: 10n, holds: 0 });
    expect(isBlocked()).toBe(true);
  });

  it('reads in ranges the node takes, without a gap', async () => {
    sign(1n);
    sign(2n);
    land(1_003, landed('due', { nonce: 1n }));
    land(1_120, landed('due', { nonce: 2n }));
    node.maxRange = 60;
    for (let attempt = 0; attempt < 4 && dues.length < 2; attempt++) {
      headIs(1_130 + attempt);
      await watcher.catchUp().catch(() => undefined);
    }
    expect(dues.map(({ nonce }) => nonce)).toEqual([1n, 2n]);
  });

  it('finds what a node said late, while it is no further behind than the confirmations', async () => {
    sign();
    land(1_001, landed('taken'));
    node.behindOf = 1_001;
    await readAt(1_003);
    expect(standing().holds).toBe(1);
    node.behindOf = 0;
    await readAt(1_004);
    expect(standing().dueWei).toBe(10n);
  });

  it('asks again when an operation is told only in part', async () => {
    sign();
    const whole = landed('paid');
    land(1_001, whole.slice(0, -1));
    headIs(1_010);
    await expect(watcher.catchUp()).rejects.toThrow('are incomplete');
    expect(standing().holds).toBe(1);
    land(1_001, whole);
    await readAt(1_011);
    expect(standing().holds).toBe(0);
  });

  it('reads on past a block that strangers filled with events of the EntryPoint', async () => {
    sign();
    const flood = Array.from({ length: 600 }, () =>
      event(entryPoint, 'PostOpRevertReason', [randomHex(32), randomAddress()], [1n, `0x${'00'.repeat(2_048)}`]),
    );
    land(1_001, [...flood, ...landed('taken')]);
    await readAt(1_001);
    expect(standing()).toEqual({ liveWei: 0n, dueWei: 10n, holds: 0 });
  });

  it('asks the EntryPoint for as few operations at a time as the node answers', async () => {
    for (let nonce = 1n; nonce <= 10n; nonce++) sign(nonce);
    for (let nonce = 1n; nonce <= 10n; nonce++)
      node.blocks.set(1_000 + Number(nonce), landed('postOpReverted', { nonce }));
    node.maxLogs = 10;
    await readAt(1_010);
    expect(standing()).toEqual({ liveWei: 0n, dueWei: 100n, holds: 0 });
  });

  describe('when one block cannot be read', () => {
    const BROKEN = 1_003;
    const attempt = async (number: number): Promise<void> => {
      headIs(number);
      await watcher.catchUp().catch(() => undefined);
    };

    beforeEach(() => {
      sign(1n);
      sign(2n);
      node.broken = BROKEN;
      land(BROKEN, landed('taken', { nonce: 1n }));
      land(BROKEN + 40, landed('due', { nonce: 2n }));
    });

    it('leaves it out after some tries and says so; what landed in it expires', async () => {
      for (let number = 1_050; number < 1_070; number++) await attempt(number);
      expect(faults).toMatchObject([{ message: expect.stringContaining(`block ${BROKEN} cannot be read`) }]);
      expect(dues.map(({ nonce }) => nonce)).toEqual([2n]);
      expect(standing()).toEqual({ liveWei: 10n, dueWei: 10n, holds: 1 });
      for (let number = 1_400; number < 1_420; number++) await attempt(number);
      expect(standing()).toEqual({ liveWei: 0n, dueWei: 10n, holds: 0 });
    });

    it('does not leave it out while nothing else can be read either', async () => {
      node.down = true;
      for (let number = 1_050; number < 1_100; number++) await attempt(number);
      [node.down, node.broken] = [false, 0];
      for (let number = 1_100; number < 1_110; number++) await attempt(number);
      expect(faults).toEqual([]);
      expect(dues.map(({ nonce }) => nonce)).toEqual([1n, 2n]);
    });
  });

  it('waits for a head', async () => {
    const waiting = new TokenPaymentWatcher(
      exposure,
      {
        latest: () => {
          throw new Error('no head yet');
        },
        ageSeconds: () => Infinity,
      },
      new ChainProvider({ chainId: 31337, rpcUrls: [server.url] }),
      CHAIN,
    );
    await expect(waiting.catchUp()).resolves.toBeUndefined();
  });

  it('sees in the background what landed, and rests when it is stopped', async () => {
    sign();
    land(1_001, landed('due'));
    headIs(1_001);
    watcher.start();
    await until('it is seen', () => dues.length > 0);
    watcher.stop();
    expect(dues).toHaveLength(1);
  });
});

type How = 'paid' | 'due' | 'taken' | 'postOpReverted' | 'prefundTooLow' | 'sponsored';

/** The logs of one landed operation, in their order on chain; the EntryPoint's UserOperationEvent is the last. */
function landed(how: How, changes: Partial<ExposedOperation> = {}): WireLog[] {
  const operation = { fundingWallet, sender, nonce: 1n, ...changes };
  const hash = randomHex(32);
  const own: Record<How, WireLog[]> = {
    paid: [event(paymaster, 'UserOperationPaidInToken', [hash, token, operation.sender], [paymaster, 5n, 1n])],
    due: [event(paymaster, 'TokenPaymentDue', [hash, token, operation.sender], [5n, false])],
    taken: [event(paymaster, 'TokenPaymentDue', [hash, token, operation.sender], [5n, true])],
    postOpReverted: [event(entryPoint, 'PostOpRevertReason', [hash, operation.sender], [operation.nonce, '0x1234'])],
    prefundTooLow: [event(entryPoint, 'UserOperationPrefundTooLow', [hash, operation.sender], [operation.nonce])],
    sponsored: [],
  };
  return [
    event(paymaster, 'UserOperationPrecharged', [hash, operation.fundingWallet], [10n]),
    ...own[how],
    event(entryPoint, 'UserOperationEvent', [hash, operation.sender, paymaster], [operation.nonce, true, 1n, 1n]),
  ];
}

function event(address: Address, name: string, indexed: readonly Hex[], values: readonly unknown[]): WireLog {
  const abi = EVENTS.find((one) => one.name === name) as AbiEvent;
  const unindexed = abi.inputs.filter((input) => !input.indexed);
  return {
    address,
    topics: [toEventSelector(abi), ...indexed.map((value): Hex => `0x${value.slice(2).padStart(64, '0')}`)],
    data: encodeAbiParameters(unindexed, values),
  };
}

function wireLog(log: WireLog, block: number, index: number): object {
  const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
  return {
    ...log,
    blockNumber: `0x${block.toString(16)}`,
    blockHash: word(block),
    transactionHash: word(block * 1_000),
    logIndex: `0x${index.toString(16)}`,
  };
}
