import { DependencyUnavailableError, type Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import type { AgreedRead } from '../providers/agreement';
import { fakeClock } from '../testing';
import { PAYMASTER_EVENTS } from './event-topics';
import { QuietStretches } from './quiet-stretch';
import { ServedContracts } from './served-contracts';

const v07 = { entryPoint: randomAddress(), paymaster: randomAddress() };
const blockOf = (number: number) => ({
  number: BigInt(number),
  hash: `0x${number.toString(16).padStart(64, '0')}` as Hex,
});

describe('QuietStretches', () => {
  let asked: string[];
  let deposits: string;
  let logsAt: number[];
  let answer: { ancestor?: string; failing?: RegExp; logs?: unknown; witness?: unknown };
  let clock: ReturnType<typeof fakeClock>;
  beforeEach(() => {
    [asked, logsAt, answer, deposits, clock] = [[], [], {}, 'd1'.repeat(32), fakeClock()];
  });

  const read = async <T>({ method, params, parse }: AgreedRead<T>): Promise<T> => {
    if (answer.failing?.test(method)) throw new DependencyUnavailableError('chain', 'too few agree');
    if (method === 'eth_getLogs') {
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: Hex; toBlock: Hex }];
      asked.push(`logs ${Number(fromBlock)} to ${Number(toBlock)}`);
      const inRange = logsAt.filter((number) => number >= Number(fromBlock) && number <= Number(toBlock));
      return parse('logs' in answer ? answer.logs : inRange.map(wireLog));
    }
    const [{ data }, { blockHash }] = params as [{ data: Hex }, { blockHash: Hex }];
    asked.push(`witness at ${Number(blockHash)}`);
    // The number of the ancestor is the first argument behind the code.
    const ancestor = /([0-9a-f]{64})0{62}60/.exec(data.slice(-64 * 7))?.[1] ?? '';
    return parse(answer.witness ?? `0x${'0'.repeat(64)}${answer.ancestor ?? ancestor}${deposits}`);
  };
  const wireLog = (number: number) => ({
    ...{ address: v07.paymaster, topics: [PAYMASTER_EVENTS.WithdrawalRequested, randomHex(32)], data: '0x' },
    ...{ blockNumber: `0x${number.toString(16)}`, blockHash: randomHex(32), transactionHash: randomHex(32) },
    logIndex: '0x0',
  });
  const open = (providerCount = 3) =>
    new QuietStretches({ read, providerCount }, new ServedContracts({ '0.7': v07 }), clock.clock);
  /** As settlement looks at a chain on which the books' blocks are. */
  const look = async (stretches: QuietStretches, after: number, upTo: number, mayBeQuiet = true) => {
    const stretch = await stretches.look({ after: blockOf(after), upTo: blockOf(upTo), mayBeQuiet });
    return stretch.kind === 'unproven' ? ((await stretches.lookBack()) ?? stretch) : stretch;
  };

  it('proves a stretch, and the next one with the deposits that it remembers', async () => {
    const stretches = open();
    expect(await look(stretches, 10, 20)).toEqual({ kind: 'quiet' });
    expect(asked).toEqual(['logs 11 to 20', 'witness at 20', 'witness at 10']);
    asked = [];
    expect(await look(stretches, 20, 30)).toEqual({ kind: 'quiet' });
    expect(asked).toEqual(['logs 11 to 30', 'witness at 30']);
    expect(stretches.certainUpTo).toBe(10n);
  });

  it.each<[string, number, number, boolean, number]>([
    ['of a single provider', 10, 20, true, 1],
    ['that is read anyway', 10, 20, false, 3],
    ['of one block', 10, 11, true, 3],
    ['that is longer than contracts know hashes', 10, 267, true, 3],
  ])('asks nothing about a stretch %s', async (_title, after, upTo, mayBeQuiet, providers) => {
    expect(await look(open(providers), after, upTo, mayBeQuiet)).toEqual({ kind: 'unproven' });
    expect(asked).toEqual([]);
  });

  it('proves nothing where a deposit changed or a log is there', async () => {
    const stretches = open();
    await look(stretches, 10, 20);
    deposits = 'd2'.repeat(32);
    expect(await look(stretches, 20, 30)).toEqual({ kind: 'unproven' });
    deposits = 'd1'.repeat(32);
    logsAt = [25];
    expect(await look(stretches, 20, 30)).toEqual({ kind: 'unproven' });
    logsAt = [];
    expect(await look(stretches, 20, 30)).toEqual({ kind: 'quiet' });
  });

  const confirmedAfterSeconds = async (stretches: QuietStretches, after: number) => {
    clock.advanceSeconds(15);
    return look(stretches, after, after + 1, false);
  };

  it('says where logs came late, while the blocks are read as well, and forgets what is read', async () => {
    const stretches = open();
    await look(stretches, 10, 20);
    await look(stretches, 20, 30);
    logsAt = [25];
    expect(await look(stretches, 30, 31, false)).toEqual({ kind: 'missed', above: 20n });
    expect(stretches.certainUpTo).toBe(10n);
    stretches.read(21n);
    expect(await look(stretches, 30, 31, false)).toEqual({ kind: 'unproven' });
    expect(await confirmedAfterSeconds(stretches, 30)).toEqual({ kind: 'unproven' });
    expect(stretches.certainUpTo).toBeUndefined();
    asked = [];
    await look(stretches, 30, 31, false);
    expect(asked).toEqual([]);
  });

  it('is certain only when a second read, 15 s later, found no logs either, however late it is', async () => {
    const stretches = open();
    await look(stretches, 10, 20);
    clock.advanceSeconds(14);
    await look(stretches, 20, 30);
    expect(stretches.certainUpTo).toBe(10n);
    clock.advanceSeconds(1);
    answer = { failing: /./ };
    expect(await look(stretches, 30, 31, false)).toEqual({ kind: 'unproven' });
    clock.advanceSeconds(40);
    expect(stretches.certainUpTo).toBe(10n);
    [answer, logsAt] = [{}, [15]];
    expect(await look(stretches, 30, 31, false)).toEqual({ kind: 'missed', above: 10n });
    logsAt = [];
    await look(stretches, 30, 31, false);
    expect(stretches.certainUpTo).toBeUndefined();
  });

  it('confirms with the proof of later blocks', async () => {
    const stretches = open();
    await look(stretches, 10, 20);
    clock.advanceSeconds(15);
    asked = [];
    expect(await look(stretches, 20, 30)).toEqual({ kind: 'quiet' });
    expect(asked).toEqual(['logs 11 to 30', 'witness at 30']);
    expect(stretches.certainUpTo).toBe(20n);
  });

  it('takes none of the blocks for quiet again that it was wrong about', async () => {
    const stretches = open();
    await look(stretches, 10, 20);
    await look(stretches, 20, 30);
    logsAt = [15];
    expect(await look(stretches, 30, 40)).toEqual({ kind: 'missed', above: 10n });
    logsAt = [];
    asked = [];
    for (const seconds of [0, 61]) {
      clock.advanceSeconds(seconds);
      expect(await look(stretches, 10, 40)).toEqual({ kind: 'unproven' });
    }
    expect(asked).toEqual([]);
    expect(await look(stretches, 30, 40)).toEqual({ kind: 'quiet' });
  });

  it('rests for a minute after it was wrong', async () => {
    const stretches = open();
    await look(stretches, 10, 20);
    logsAt = [15];
    await look(stretches, 20, 30);
    logsAt = [];
    stretches.read(11n);
    expect(await look(stretches, 30, 40)).toEqual({ kind: 'unproven' });
    clock.advanceSeconds(61);
    expect(await look(stretches, 30, 40)).toEqual({ kind: 'quiet' });
  });

  it('looks back where the proof fails half way', async () => {
    const stretches = open();
    await look(stretches, 10, 20);
    [answer, logsAt] = [{ failing: /eth_call/ }, [15]];
    expect(await look(stretches, 20, 30)).toEqual({ kind: 'missed', above: 10n });
  });

  it('has blocks read that it could not ask about for a minute', async () => {
    const stretches = open();
    await look(stretches, 10, 20);
    answer = { failing: /eth_getLogs/ };
    expect(await look(stretches, 20, 30)).toEqual({ kind: 'unproven' });
    clock.advanceSeconds(59);
    expect(await look(stretches, 30, 31, false)).toEqual({ kind: 'unproven' });
    clock.advanceSeconds(1);
    expect(await look(stretches, 31, 32, false)).toEqual({ kind: 'missed', above: 10n });
  });

  it('confirms stretches of another process in pieces, and proves nothing new meanwhile', async () => {
    const stretches = open();
    stretches.doubt([
      { after: 10n, upTo: 40n },
      { after: 500n, upTo: 530n },
      { after: 900n, upTo: 930n },
    ]);
    expect(stretches.certainUpTo).toBe(10n);
    expect(await look(stretches, 930, 940)).toEqual({ kind: 'unproven' });
    clock.advanceSeconds(15);
    expect(await look(stretches, 940, 950)).toEqual({ kind: 'unproven' });
    expect(stretches.certainUpTo).toBe(500n);
    logsAt = [905];
    expect(await look(stretches, 950, 960)).toEqual({ kind: 'missed', above: 900n });
    expect(asked).toEqual(['logs 11 to 522', 'logs 11 to 522', 'logs 501 to 960', 'witness at 960', 'witness at 950']);
  });

  it.each<[string, typeof answer]>([
    ['the first block is no ancestor', { ancestor: 'ab'.repeat(32) }],
    ['too few providers agree', { failing: /./ }],
  ])('rests for a minute when %s', async (_title, wrong) => {
    const stretches = open();
    answer = wrong;
    expect(await look(stretches, 10, 20)).toEqual({ kind: 'unproven' });
    [answer, asked] = [{}, []];
    expect(await look(stretches, 10, 20)).toEqual({ kind: 'unproven' });
    expect(asked).toEqual([]);
    clock.advanceSeconds(61);
    expect(await look(stretches, 10, 20)).toEqual({ kind: 'quiet' });
  });

  it.each<[string, typeof answer]>([
    ['logs are none', { logs: null }],
    ['a log is of another block', { logs: [wireLog(9)] }],
    ['a log is of another contract', { logs: [{ ...wireLog(12), address: randomAddress() }] }],
    ['the witness is too short', { witness: '0x00' }],
  ])('believes no answer where %s', async (_title, wrong) => {
    answer = wrong;
    await expect(look(open(), 10, 20)).rejects.toThrow(/eth_getLogs|eth_call/);
  });
});
