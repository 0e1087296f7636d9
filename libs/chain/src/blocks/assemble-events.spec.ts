import type { Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { UnexpectedAnswerError } from '../json-rpc/parse';
import type { Log } from '../providers/log';
import { logOf } from '../testing/log.builder';
import { assembleEvents, IncompleteOperationError } from './assemble-events';
import { ENTRY_POINT_EVENTS, PAID_IN_TOKEN, PAYMASTER_EVENTS } from './event-topics';
import { ServedContracts } from './served-contracts';

const PRECHARGE = 1_000n;

describe('assembleEvents', () => {
  const v06 = { entryPoint: randomAddress(), paymaster: randomAddress() };
  const v07 = { entryPoint: randomAddress(), paymaster: randomAddress() };
  const contracts = new ServedContracts({ '0.6': v06, '0.7': v07 });
  const assemble = (logs: readonly Log[]) => assembleEvents(logs, contracts);

  /** The logs of one landed operation, in their order. */
  const landed = ({ at = 0, of = v07, transactionHash = randomHex(32), userOpHash = randomHex(32) } = {}) => {
    const wallet = randomAddress();
    const sender = randomAddress();
    const place = (index: number) => ({ transactionHash, logIndex: BigInt(at + index) });
    const { UserOperationPrecharged, UserOperationSponsored, UserOperationSponsoredFormerly, TokenPaymentDue } =
      PAYMASTER_EVENTS;
    const token = randomAddress();
    const { UserOperationEvent, PostOpRevertReason, UserOperationPrefundTooLow } = ENTRY_POINT_EVENTS;
    const { paymaster, entryPoint } = of;
    return {
      ...{ wallet, sender, userOpHash, transactionHash, token },
      precharged: logOf(paymaster, [UserOperationPrecharged, userOpHash, wallet], [PRECHARGE], place(0)),
      sponsored: logOf(paymaster, [UserOperationSponsored, userOpHash, wallet], [600, 50], place(1)),
      formerly: logOf(
        paymaster,
        [UserOperationSponsoredFormerly, userOpHash, wallet, sender],
        [600, 400, 50],
        place(1),
      ),
      due: logOf(paymaster, [TokenPaymentDue, userOpHash, token, sender], [5, 0], place(2)),
      paid: logOf(paymaster, [PAID_IN_TOKEN, userOpHash, token, sender], [9, 70, 30], place(2)),
      taken: logOf(paymaster, [TokenPaymentDue, userOpHash, token, sender], [5, 1], place(2)),
      reverted: logOf(entryPoint, [PostOpRevertReason, userOpHash, sender], [5, 64, 0], place(1)),
      tooLow: logOf(entryPoint, [UserOperationPrefundTooLow, userOpHash, sender], [5], place(2)),
      event: logOf(entryPoint, [UserOperationEvent, userOpHash, sender, paymaster], [5, 1, 500, 50], place(3)),
      foreign: logOf(entryPoint, [UserOperationEvent, userOpHash, sender, randomAddress()], [5, 1, 500, 50], place(3)),
    };
  };

  it.each([
    ['the third generation', 'sponsored'],
    ['the generations before', 'formerly'],
  ] as const)('makes one event of an operation, at the place of its UserOperationEvent: %s', (_which, settled) => {
    const { precharged, [settled]: said, event, wallet, sender, userOpHash, transactionHash } = landed();
    expect(assemble([event, precharged, said])).toEqual([
      {
        kind: 'operation',
        ...{ logIndex: 3, transactionHash, contract: v07.paymaster, wallet, userOpHash, sender, nonce: 5n },
        ...{ entryPoint: v07.entryPoint, entryPointVersion: '0.7', success: true },
        ...{ prechargeWei: PRECHARGE, chargedWei: 600n, actualGasCostWei: 500n, actualGasUsed: 50n },
        paidInToken: null,
      },
    ]);
  });

  it.each(['reverted', 'tooLow'] as const)('charges the whole precharge where postOp was undone: %s', (undone) => {
    const { [undone]: word, precharged, event } = landed();
    const events = assemble([precharged, word, event]);
    expect(events).toMatchObject([{ kind: 'operation', chargedWei: PRECHARGE }]);
    // What validation took in tokens is kept, and no event tells how much.
    expect(events[0]).not.toHaveProperty('paidInToken');
  });

  it('reports no missing token payment if nothing is due', () => {
    const { precharged, sponsored, event } = landed();
    expect(assemble([precharged, sponsored, event])[0]).not.toHaveProperty('unpaid');
  });

  it('says in which token the sender paid, and how much, if the contract that charged the wallet says so', () => {
    const { precharged, sponsored, paid, event, token } = landed();
    expect(assemble([precharged, sponsored, paid, event])).toMatchObject([{ paidInToken: { token, amount: 70n } }]);
    for (const other of [[], [{ ...paid, address: v06.paymaster }]]) {
      expect(assemble([precharged, sponsored, ...other, event])).toMatchObject([{ paidInToken: null }]);
    }
  });

  it.each(['due', 'taken'] as const)('says that the payment in a token is missing: %s', (why) => {
    const { precharged, sponsored, event, token, [why]: log } = landed({ of: v06 });
    const unpaid = { isTaken: why === 'taken', token };
    expect(assemble([precharged, sponsored, log, event])).toMatchObject([{ chargedWei: 600n, unpaid }]);
  });

  it('reads a reverted postOp as tokens taken away, and a prefund too low as undone calls', () => {
    const { precharged, reverted, tooLow, event } = landed();
    const unpaid = (logs: readonly Log[]) => assemble([precharged, ...logs, event])[0];
    expect(unpaid([reverted])).toMatchObject({ unpaid: { isTaken: true } });
    expect(unpaid([tooLow])).toMatchObject({ unpaid: { isTaken: false } });
    expect(unpaid([reverted, tooLow])).toMatchObject({ unpaid: { isTaken: false } });
  });

  describe('two contracts of one EntryPoint', () => {
    const [draining, next] = [randomAddress(), randomAddress()];
    const both = new ServedContracts({ '0.7': { ...v07, nextPaymaster: next, drainingPaymasters: [draining] } });

    it.each([
      ['that is signed for', v07.paymaster],
      ['that drains', draining],
      ['that comes next', next],
    ])('books an operation with the contract %s', (_which, paymaster) => {
      const { event, precharged, sponsored, wallet } = landed({ of: { ...v07, paymaster } });
      expect(assembleEvents([precharged, sponsored, event], both)).toMatchObject([
        { kind: 'operation', contract: paymaster, wallet, chargedWei: 600n },
      ]);
    });

    it('never uses events of one contract for an operation that the other paid', () => {
      const { precharged, sponsored, event } = landed();
      const ofDraining = (log: Log): Log => ({ ...log, address: draining });
      expect(() => assembleEvents([ofDraining(precharged), sponsored, event], both)).toThrow(
        'its UserOperationPrecharged is missing',
      );
      expect(() => assembleEvents([precharged, ofDraining(sponsored), event], both)).toThrow(
        'its events contradict each other',
      );
    });
  });

  it('accepts both events for one operation', () => {
    const { reverted, tooLow, precharged, event } = landed();
    expect(assemble([precharged, reverted, tooLow, event])).toMatchObject([{ chargedWei: PRECHARGE }]);
  });

  it('keeps the order of the block, whatever order the logs come in', () => {
    const transactionHash = randomHex(32);
    const [first, second] = [landed({ at: 0, transactionHash }), landed({ at: 10, transactionHash })];
    const deposit = logOf(v07.paymaster, [PAYMASTER_EVENTS.FundsDeposited, first.wallet, first.sender], [7], {
      logIndex: 5n,
    });
    const logs = [second.event, deposit, first.event, second.precharged, first.sponsored, first.precharged];
    expect(assemble([...logs, second.sponsored])).toMatchObject([
      { kind: 'operation', sender: first.sender },
      { kind: 'deposited', wallet: first.wallet, amountWei: 7n },
      { kind: 'operation', sender: second.sender },
    ]);
  });

  it('reports whether the operation’s calls reverted', () => {
    const { precharged, sponsored, event } = landed();
    const { data } = logOf(v07.entryPoint, [ENTRY_POINT_EVENTS.UserOperationEvent], [5, 0, 500, 50]);
    const reverted = { ...event, data };
    expect(assemble([precharged, sponsored, event])).toMatchObject([{ success: true }]);
    expect(assemble([precharged, sponsored, reverted])).toMatchObject([{ success: false }]);
  });

  it('puts back what the contract returned of an unsettled precharge, not what was recorded', () => {
    const wallet = randomAddress();
    const returned = logOf(v07.paymaster, [PAYMASTER_EVENTS.UnsettledPrechargeReturned, wallet], [900, 7]);
    expect(assemble([returned])).toMatchObject([{ kind: 'returned', wallet, amountWei: 7n }]);
  });

  it('reports the nonce of an operation that another paymaster paid for', () => {
    const { foreign, sender, transactionHash } = landed();
    const { entryPoint } = v07;
    expect(assemble([foreign])).toEqual([
      { kind: 'nonceUsed', logIndex: 3, transactionHash, contract: entryPoint, entryPoint, sender, nonce: 5n },
    ]);
  });

  it("does not take another version's paymaster for ours on this EntryPoint", () => {
    const { sender, userOpHash } = landed();
    const { UserOperationEvent } = ENTRY_POINT_EVENTS;
    const event = logOf(v06.entryPoint, [UserOperationEvent, userOpHash, sender, v07.paymaster], [5, 1, 500, 50]);
    expect(assemble([event])).toMatchObject([{ kind: 'nonceUsed', entryPoint: v06.entryPoint }]);
  });

  describe('an operation that is not whole', () => {
    it.each<[string, (logs: ReturnType<typeof landed>) => readonly Log[]]>([
      ['without its UserOperationPrecharged', ({ sponsored, event }) => [sponsored, event]],
      ['without any event of ours', ({ event }) => [event]],
      ['without its UserOperationEvent', ({ precharged, sponsored }) => [precharged, sponsored]],
      ['only precharged', ({ precharged }) => [precharged]],
      ['only settled', ({ sponsored }) => [sponsored]],
      ['neither settled nor undone', ({ precharged, event }) => [precharged, event]],
      [
        'precharged twice',
        ({ precharged, sponsored, event }) => [precharged, { ...precharged, logIndex: 9n }, sponsored, event],
      ],
      [
        'settled twice',
        ({ precharged, sponsored, event }) => [precharged, sponsored, { ...sponsored, logIndex: 9n }, event],
      ],
      ['due without being settled', ({ precharged, due, event }) => [precharged, due, event]],
      ['undone, and due all the same', ({ precharged, reverted, due, event }) => [precharged, reverted, due, event]],
      ['only due', ({ due }) => [due]],
      ['due, and paid for by others', ({ due, foreign }) => [due, foreign]],
      [
        'due to another contract of ours',
        ({ precharged, sponsored, due, event }) => [precharged, sponsored, { ...due, address: v06.paymaster }, event],
      ],
      [
        'due of another sender',
        ({ precharged, sponsored, event, ...logs }) => [
          ...[precharged, sponsored, event],
          { ...logs.due, topics: [...logs.due.topics.slice(0, 3), `0x${'0'.repeat(24)}${randomAddress().slice(2)}`] },
        ],
      ],
      ['paid for by others too', ({ precharged, sponsored, foreign }) => [precharged, sponsored, foreign]],
      [
        'precharged in another transaction',
        ({ precharged, sponsored, event }) => [{ ...precharged, transactionHash: randomHex(32) }, sponsored, event],
      ],
      [
        'precharged by another contract of ours',
        ({ precharged, sponsored, event }) => [{ ...precharged, address: v06.paymaster }, sponsored, event],
      ],
      [
        'undone on another EntryPoint',
        ({ precharged, reverted, event }) => [precharged, { ...reverted, address: v06.entryPoint }, event],
      ],
    ])('%s is an error, not a guess', (_title, of) => {
      expect(() => assemble(of(landed()))).toThrow(IncompleteOperationError);
    });

    it.each<[string, Partial<Log>]>([
      ['another wallet', { topics: wallets(1) }],
      ['another sender', { topics: wallets(2) }],
    ])('whose settlement names %s is an error', (_title, { topics }) => {
      const { precharged, sponsored, formerly, event } = landed();
      for (const said of [sponsored, formerly].filter((log) => topics!.length <= log.topics.length)) {
        const mixed = said.topics.map((own, index) => topics![index] ?? own);
        expect(() => assemble([precharged, { ...said, topics: mixed }, event])).toThrow(IncompleteOperationError);
      }
    });

    it.each([
      ['and refund are not the precharge', 'formerly', '259'],
      ['is more than the precharge', 'sponsored', '3e9'],
    ] as const)('whose charge %s is an error', (_why, settled, charge) => {
      const { precharged, [settled]: said, event } = landed();
      const data = said.data.replace(/258/, charge) as Hex;
      expect(data).not.toBe(said.data);
      expect(() => assemble([precharged, { ...said, data }, event])).toThrow(IncompleteOperationError);
    });

    it('on v0.6 needs its UserOperationSponsored: a postOp that reverts there takes the bundle with it', () => {
      const { precharged, event } = landed({ of: v06 });
      expect(() => assemble([precharged, event])).toThrow(IncompleteOperationError);
    });
  });

  it.each<[string, (log: Log) => Partial<Log>]>([
    ['less data', ({ data }) => ({ data: data.slice(0, -2) as Hex })],
    ['more data', ({ data }) => ({ data: `${data}00` as Hex })],
    ['a topic less', ({ topics }) => ({ topics: topics.slice(0, -1) })],
    ['an address of 32 bytes', ({ topics }) => ({ topics: [topics[0]!, randomHex(32), topics[2]!] })],
  ])('a deposit with %s is not one', (_title, change) => {
    const deposit = logOf(v07.paymaster, [PAYMASTER_EVENTS.FundsDeposited, randomAddress(), randomAddress()], [7]);
    expect(assemble([deposit])).toHaveLength(1);
    expect(() => assemble([{ ...deposit, ...change(deposit) }])).toThrow(UnexpectedAnswerError);
  });
});

/** Topics that differ only at `index`. */
function wallets(index: number): Hex[] {
  const topics: Hex[] = [];
  topics[index + 1] = `0x${'0'.repeat(24)}${randomAddress().slice(2)}`;
  return topics;
}
