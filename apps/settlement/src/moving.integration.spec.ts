import type { ChainConfig } from '@paymaster/chain';
import type { PayingContract, SponsoredRequest, TokenPayment } from '@paymaster/chain/testing';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { openLedger } from '@paymaster/ledger';
import { UNHURRIED } from '@paymaster/ledger/testing';
import { Metrics } from '@paymaster/nest-kit';
import { showMoves } from './commands/moving';
import { WalletGauges } from './gauges/wallet-gauges';
import { SettlementWorld, type BooksUnderTest, type GrantedOperation } from './testing/settlement-world';

const FINALITY_DEPTH = 16;
/** The live operations at a time, half of them on each contract. */
const OPERATIONS = 200;
const LANDED_BEFORE = 20;
/** Of five operations one is paid by an allowance in a token and one by an approval in its batch. */
const WAYS: readonly (TokenPayment['way'] | undefined)[] = [
  undefined,
  'allowance',
  undefined,
  'batchApproval',
  undefined,
];
/** Operations of both contracts, so that a block and a bundle have operations of both. */
const BUNDLE = 4;
const DEPOSIT_WEI = 10n ** 18n;
const WITHDRAWAL_DELAY_SECONDS = 3_600;
const WITHDRAWAL_WINDOW_SECONDS = 7 * 86_400;
/** Less than the delay, as the gateway signs. */
const VALID_FOR_SECONDS = 3_000;

/** Of the EntryPoints that the first generation has a contract for. */
const VERSIONS = ['0.6', '0.7', '0.8'] as const;
type Version = (typeof VERSIONS)[number];
type PerVersion<T> = Readonly<Record<Version, T>>;

let world: SettlementWorld;
let books: BooksUnderTest;
let old: PerVersion<PayingContract>;
const wallets = Array.from({ length: 4 }, () => randomAddress());
let token: Address;
const feeReceiver = randomAddress();
/** Accounts that pay in the token, by the number of their first operation. Each has {@link DEPOSIT_WEI} of it at first. */
const payers = new Map<number, Address>();

beforeAll(async () => {
  world = await SettlementWorld.start();
  token = await world.chain.world.deployToken();
});
afterAll(() => world.stop());
beforeEach(async () => {
  books = await world.books(FINALITY_DEPTH);
});
afterEach(() => books.drop());

async function perVersion<T>(of: (version: Version) => Promise<T>): Promise<PerVersion<T>> {
  const made: Partial<Record<Version, T>> = {};
  for (const version of VERSIONS) made[version] = await of(version);
  return made as PerVersion<T>;
}

/** The contracts in use, filled. */
async function startFrom(generation: PayingContract['generation']): Promise<void> {
  payers.clear();
  old = await perVersion((version) => world.chain.deployBeside(version, generation));
  for (const version of VERSIONS) for (const wallet of wallets) await deposit(old[version], wallet);
  serve((version) => ({ paymaster: old[version].paymaster }));
}

/** Writes chains.json. The processes that read it are started again. */
function serve(contracts: (version: Version) => object): void {
  books.entryPoints = Object.fromEntries(
    VERSIONS.map((version) => [
      version,
      { entryPoint: world.chain.world.of(version).entryPoint, ...contracts(version) },
    ]),
  ) as ChainConfig['entryPoints'];
}

const encode = (name: string, args: readonly unknown[]): Hex =>
  world.chain.world.of('0.7').abi.encodeFunctionData(name, args) as Hex;

const deposit = ({ paymaster }: PayingContract, wallet: Address, amountWei = DEPOSIT_WEI) =>
  world.chain.send(paymaster, encode('depositFor', [wallet]), amountWei);

/** What `ledger moving` says. */
async function moving(): Promise<{ isDone: boolean; said: string }> {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const isDone = await showMoves({ books: books.books, sourceOf: () => books.source(), say }, books.chainConfig());
  return { isDone, said: said.join('\n') };
}

/** Sends the transactions that `ledger moving` prints, unchanged. Operators and owners send no other calls. */
async function follow(said: string, names: readonly string[], valueWei = 0n): Promise<number> {
  const steps = [...said.matchAll(/next: (\S+) sends to (0x\w{40}): (\w+)\(.*\n {10}data (0x\w+)/g)];
  const chosen = steps.filter(([, , , name]) => names.includes(name!));
  for (const [, who, to, , data] of chosen)
    await world.chain.send(to as Address, data!, valueWei, who === 'anybody' ? undefined : (who as Address));
  return chosen.length;
}

/** A live operation of the contract. */
const granted = (version: Version, contract: PayingContract, index: number, payment: Partial<SponsoredRequest> = {}) =>
  books.granted({
    ...{ version, contract, validForSeconds: VALID_FOR_SECONDS, ...payment },
    ...{ wallet: wallets[index % wallets.length]!, budget: `limit-${index % 4}` },
  });

/** Operations number `from` to `to`, of all versions and wallets in turn. */
async function grantedOperations(contracts: PerVersion<PayingContract>, [from, to]: readonly [number, number]) {
  const operations: GrantedOperation[] = [];
  for (let index = from; index < to; index++) {
    const version = VERSIONS[index % VERSIONS.length]!;
    operations.push(await granted(version, contracts[version], index, await paymentOf(contracts[version], index)));
  }
  return operations;
}

/** The same account pays for an operation of the old contract and for one of the new. */
async function paymentOf({ paymaster }: PayingContract, index: number): Promise<Partial<SponsoredRequest>> {
  const way = WAYS[index % WAYS.length];
  if (!way) return {};
  const place = index % (OPERATIONS / 2);
  const sender = payers.get(place) ?? (await world.chain.newAccount());
  if (!payers.has(place)) await world.chain.callToken(token, 'mint', [sender, DEPOSIT_WEI]);
  payers.set(place, sender);
  if (way === 'allowance') await world.chain.callToken(token, 'approve', [paymaster, DEPOSIT_WEI], sender);
  return { sender, payment: { way, token, feeReceiver } };
}

/**
 * Takes the tokens out of the contracts. Each account paid what its operations' wallets were charged, as the events of
 * the ledger tell once, and the receiver has all of it.
 */
async function expectTokensInBalance(contracts: readonly Address[]): Promise<void> {
  for (const contract of contracts) {
    await world.chain.send(contract, encode('withdrawTokens', [token, feeReceiver]));
    expect(await world.chain.tokenBalanceOf(token, contract)).toBe(0n);
  }
  const { rows } = await books.database.pool.query<Record<'sender' | 'charged' | 'told', string>>(
    `SELECT r.sender, sum(r.charged_wei) AS charged, sum((o.payload #>> '{tokenPayment,amount}')::numeric) AS told
       FROM ledger.reservations AS r
       LEFT JOIN ledger.outbox AS o ON o.kind = 'settled' AND o.payload ->> 'reservationId' = r.id::text
      WHERE r.mode = 'token' GROUP BY r.sender`,
  );
  expect(rows).toHaveLength(payers.size);
  for (const { sender, charged, told } of rows) {
    const paid = DEPOSIT_WEI - (await world.chain.tokenBalanceOf(token, sender as Address));
    expect([paid, BigInt(told)]).toEqual([BigInt(charged), BigInt(charged)]);
  }
  const all = rows.reduce((sum, { charged }) => sum + BigInt(charged), 0n);
  expect(await world.chain.tokenBalanceOf(token, feeReceiver)).toBe(all);
}

async function land(operations: readonly GrantedOperation[]): Promise<void> {
  for (const version of VERSIONS) {
    const own = operations.filter((operation) => operation.version === version);
    for (let first = 0; first < own.length; first += BUNDLE)
      await world.chain.handleOps(version, own.slice(first, first + BUNDLE));
  }
}

/** One after the other from both, so that bundles have operations of both. */
const mixed = <T>(some: readonly T[], others: readonly T[]): T[] =>
  Array.from({ length: Math.max(some.length, others.length) }, (_, at) => [some[at], others[at]])
    .flat()
    .filter((each) => each !== undefined);

/** Settlement is started again with what chains.json says, and goes as far as the chain. */
async function catchUp(): Promise<void> {
  await books.expireLeases();
  const { state } = await books.follower().catchUp();
  expect(state).toBe('leader');
}

async function untilFinal(): Promise<void> {
  await books.makeFinal();
  await catchUp();
}

async function outcomes(): Promise<Record<string, number>> {
  const { rows } = await books.database.pool.query<{ outcome: string; count: string }>(
    `SELECT concat_ws(' ', state, void_reason, CASE WHEN success THEN 'success' WHEN success = false THEN 'FAILED' END)
       AS outcome, count(*) FROM ledger.reservations GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, Number(count)]));
}

async function balancesOf(contract: Address): Promise<Record<Address, bigint>> {
  const balances = await books.books.finalBalances(31337);
  return Object.fromEntries(
    balances.filter((each) => each.contract === contract).map(({ wallet, balanceWei }) => [wallet, balanceWei]),
  );
}

/** The metric on which the alert is based. */
async function walletsThatAreLow(): Promise<number | undefined> {
  const metrics = new Metrics();
  new WalletGauges(metrics, books.database.pool, [{ config: books.chainConfig(), source: books.source() }]);
  const low = /^paymaster_funding_wallets_low\{chain="31337"\} (\d+)$/m.exec(await metrics.render());
  return low ? Number(low[1]) : undefined;
}

/** The third generation beside the old contracts, filled, followed and signed for. */
async function moved(): Promise<PerVersion<PayingContract>> {
  const next = await perVersion((version) => world.chain.deployBeside(version, 'third'));
  serve((version) => ({ paymaster: next[version].paymaster, drainingPaymasters: [old[version].paymaster] }));
  for (const version of VERSIONS) for (const wallet of wallets) await deposit(next[version], wallet);
  await untilFinal();
  return next;
}

describe.each(['first', 'second'] as const)('a move from the %s generation to the third', (generation) => {
  beforeEach(() => startFrom(generation));

  it(`is played with ${OPERATIONS} live operations on both: none fails, and the books equal the chain`, async () => {
    await untilFinal();
    await land(await grantedOperations(old, [0, LANDED_BEFORE]));
    const before = await grantedOperations(old, [0, OPERATIONS / 2]);

    // Settlement follows the next contracts before they are there. A stranger deposits first.
    const next: Partial<Record<Version, PayingContract>> = {};
    for (const version of VERSIONS) {
      const paymaster = await world.chain.world.nextAddress();
      serve((each) => ({
        paymaster: old[each].paymaster,
        ...(next[each] && { nextPaymaster: next[each].paymaster }),
        ...(each === version && { nextPaymaster: paymaster }),
      }));
      await untilFinal();
      expect(await books.differences()).toEqual([]);
      expect((await moving()).said).toContain('it is not deployed yet');
      next[version] = await world.chain.deployBeside(version, 'third');
      expect(next[version].paymaster).toBe(paymaster);
      await deposit(next[version], wallets[0]!, 1n);
    }
    const contracts = next as PerVersion<PayingContract>;
    await untilFinal();
    const filling = await moving();
    expect(filling.isDone).toBe(false);
    // The stranger's wei is in the first wallet of each; the others are told to deposit.
    expect(await follow(filling.said, ['depositFor'], DEPOSIT_WEI)).toBe(3 * (wallets.length - 1));
    for (const version of VERSIONS) await deposit(contracts[version], wallets[0]!);
    await untilFinal();
    expect(await moving()).toMatchObject({ isDone: true, said: expect.stringContaining('\n  0 of 4 wallets') });

    // The switch: gateways and settlement are started again with it, all operations of the old contracts are live.
    serve((version) => ({ paymaster: contracts[version].paymaster, drainingPaymasters: [old[version].paymaster] }));
    const gateway = openLedger({ databaseUrl: books.database.url, ...UNHURRIED });
    const after = await grantedOperations(contracts, [OPERATIONS / 2, OPERATIONS]);
    await gateway.close();
    await catchUp();
    const draining = await moving();
    expect(draining).toMatchObject({ isDone: false, said: expect.stringMatching(/in flight 0\.0*[1-9]/) });
    // The owners ask for all they have while it is in flight.
    expect(await follow(draining.said, ['requestWithdrawal'])).toBe(3 * wallets.length);
    expect((await moving()).said).not.toContain('EMPTY: 0x');

    const live = mixed(before, after);
    expect(await outcomes()).toEqual({ 'settled success': LANDED_BEFORE, open: OPERATIONS });
    await land(live.slice(0, 100));
    await catchUp();
    // Blocks are undone, and their operations land in the opposite order.
    const snapshot = await world.chain.rpc('evm_snapshot');
    await land(live.slice(100, 140));
    await catchUp();
    await world.chain.rpc('evm_revert', snapshot);
    await world.chain.rpc('evm_increaseTime', 2);
    await land(live.slice(100).reverse());
    await untilFinal();
    expect(await outcomes()).toEqual({ 'settled success': LANDED_BEFORE + OPERATIONS });
    expect(await books.heldAmounts()).toEqual({ wallets: 0n, budgets: 0n });
    expect(await books.differences()).toEqual([]);
    await expectTokensInBalance(VERSIONS.flatMap((version) => [old[version].paymaster, contracts[version].paymaster]));

    await world.chain.rpc('evm_increaseTime', WITHDRAWAL_DELAY_SECONDS);
    await untilFinal();
    const due = await moving();
    // The first generation has no fees beside the wallets' balances.
    const collects = generation === 'first' ? 'withdrawFees' : 'collectFees';
    expect(await follow(due.said, ['executeWithdrawal', collects, 'returnStranded'])).toBe(3 * wallets.length + 3);
    await catchUp();
    if (generation !== 'first') expect(await follow((await moving()).said, ['withdrawFees'])).toBe(3);
    expect((await moving()).isDone).toBe(false);
    await untilFinal();
    const empty = await moving();
    expect(empty.isDone).toBe(true);
    for (const version of VERSIONS)
      expect(empty.said).toContain(`EMPTY: ${old[version].paymaster} may be taken out of drainingPaymasters`);

    // The metric does not report these wallets as nearly empty.
    expect(await walletsThatAreLow()).toBe(0);

    serve((version) => ({ paymaster: contracts[version].paymaster }));
    await untilFinal();
    expect(await books.differences()).toEqual([]);
    expect(await moving()).toMatchObject({ isDone: true });
  });

  it('takes a signature for one contract for no signature of the other, in either direction', async () => {
    const next = await moved();
    for (const version of VERSIONS) {
      for (const [signedFor, sentTo] of [
        [old[version], next[version]],
        [next[version], old[version]],
      ] as const) {
        const signed = await granted(version, { ...signedFor, gasOf: generation }, 0);
        const paymasterAndData = String(signed.packed['paymasterAndData']);
        const redirected = { ...signed.packed, paymasterAndData: `${sentTo.paymaster}${paymasterAndData.slice(42)}` };
        const bundle = [{ ...signed, packed: redirected }];
        await expect(world.chain.handleOps(version, bundle)).rejects.toThrow('AA34 signature error');
        await land([signed]);
      }
    }
    await untilFinal();
    expect(await outcomes()).toEqual({ 'settled success': 6 });
    expect(await books.differences()).toEqual([]);
  });

  it('holds both where one operation is signed for the old and the new, and releases the one that did not land', async () => {
    const next = await moved();
    const onOld = await granted('0.7', old['0.7'], 0);
    const { sender, nonce } = onOld.operation;
    const again = { version: '0.7', contract: next['0.7'], wallet: onOld.wallet, sender, nonce } as const;
    const onNext = await books.granted({ ...again, budget: 'limit-0' });
    expect((await books.heldAmounts()).wallets).toBe(onOld.prechargeWei + onNext.prechargeWei);
    await land([onNext]);
    await catchUp();
    expect((await books.reservation(onOld.reservationId)).state).toBe('open');
    await untilFinal();
    expect(await outcomes()).toEqual({ 'settled success': 1, 'voided nonceUsed': 1 });
    expect(await books.heldAmounts()).toEqual({ wallets: 0n, budgets: 0n });
    expect(await balancesOf(old['0.7'].paymaster)).toMatchObject({ [onOld.wallet]: DEPOSIT_WEI });
    expect(await books.differences()).toEqual([]);
  });

  it('never takes money of a wallet in one contract for money of the same wallet in the other', async () => {
    const next = await moved();
    const [wallet] = wallets as [Address];
    await world.chain.send(old['0.7'].paymaster, encode('requestWithdrawal', [DEPOSIT_WEI]), 0n, wallet);
    await catchUp();
    await expect(granted('0.7', old['0.7'], 0)).rejects.toThrow();
    await land([await granted('0.7', next['0.7'], 0)]);
    await untilFinal();
    const [oldBalances, nextBalances] = [
      await balancesOf(old['0.7'].paymaster),
      await balancesOf(next['0.7'].paymaster),
    ];
    expect(oldBalances[wallet]).toBe(DEPOSIT_WEI);
    expect(nextBalances[wallet]).toBeLessThan(DEPOSIT_WEI);
    expect(await books.differences()).toEqual([]);
  });
});

describe.each(['second', 'third'] as const)('a contract of the %s generation', (generation) => {
  beforeEach(() => startFrom(generation));

  it('is emptied with what its operations left behind', async () => {
    const next = await moved();
    const [from, to] = [old['0.7'], next['0.7']];
    serve((version) => ({
      paymaster: version === '0.7' ? to.paymaster : old[version].paymaster,
      drainingPaymasters: version === '0.7' ? [from.paymaster] : [],
    }));
    const request = { version: '0.7', contract: from, wallet: wallets[0]!, unpaid: true } as const;
    await land([await books.granted(request)]);
    await untilFinal();
    const { said } = await moving();
    expect(said).toMatch(/stranded 0\.\d*[1-9]/);
    const recordedWei = BigInt(/unsettled (\S+) ETH/.exec(said)![1]!.replace('0.', '').padEnd(18, '0'));
    expect(await follow(said, ['returnStranded', 'requestWithdrawal'])).toBe(1 + wallets.length);

    // The window of the requests passes unused.
    await world.chain.rpc('evm_increaseTime', WITHDRAWAL_DELAY_SECONDS + WITHDRAWAL_WINDOW_SECONDS);
    await world.chain.mine(1);
    await catchUp();
    const ended = await moving();
    expect(ended.said).toContain('the request before has ended');
    expect(await follow(ended.said, ['executeWithdrawal'])).toBe(0);
    expect(await follow(ended.said, ['requestWithdrawal'])).toBe(wallets.length);
    await world.chain.rpc('evm_increaseTime', WITHDRAWAL_DELAY_SECONDS);
    await world.chain.mine(1);
    await catchUp();
    expect(await follow((await moving()).said, ['executeWithdrawal'])).toBe(wallets.length);
    await untilFinal();
    expect((await moving()).said).toContain('NOT EMPTY: 1 of 4 wallets');

    await world.chain.send(from.paymaster, encode('returnUnsettled', [wallets[0], recordedWei, 1_000n]));
    await world.chain.rpc('evm_increaseTime', 2 * WITHDRAWAL_WINDOW_SECONDS);
    await world.chain.send(from.paymaster, encode('creditUnsettled', [wallets[0]]));
    await untilFinal();
    expect(await follow((await moving()).said, ['requestWithdrawal'])).toBe(1);
    await world.chain.rpc('evm_increaseTime', WITHDRAWAL_DELAY_SECONDS);
    await world.chain.mine(1);
    await catchUp();
    expect(await follow((await moving()).said, ['executeWithdrawal', 'withdrawFees'])).toBe(1);
    await untilFinal();
    expect(await moving()).toMatchObject({ isDone: true, said: expect.stringContaining(`EMPTY: ${from.paymaster}`) });
    // The other contracts, which this test left out, still hold money.
    serve((version) => ({ paymaster: next[version].paymaster, drainingPaymasters: [old[version].paymaster] }));
    expect(await books.differences()).toEqual([]);
  });

  it('is not done while an operation may still land on the old contract, even when all money has left it', async () => {
    const next = await moved();
    serve((version) => ({
      paymaster: next[version].paymaster,
      drainingPaymasters: version === '0.7' ? [old[version].paymaster] : [],
    }));
    const { paymaster } = old['0.7'];
    const [wallet] = wallets as [Address];
    // Longer than the delay, which no gateway signs.
    const request = { version: '0.7', contract: old['0.7'], wallet } as const;
    await books.granted({ ...request, validForSeconds: 2 * WITHDRAWAL_DELAY_SECONDS });
    for (const each of wallets) await world.chain.send(paymaster, encode('requestWithdrawal', [DEPOSIT_WEI]), 0n, each);
    await world.chain.rpc('evm_increaseTime', WITHDRAWAL_DELAY_SECONDS);
    for (const each of wallets) await world.chain.send(paymaster, encode('executeWithdrawal', [each]), 0n, each);
    await untilFinal();
    const { isDone, said } = await moving();
    expect(isDone).toBe(false);
    expect(said).toContain(`wallet ${wallet}\n    old 0.0 ETH, in flight 0.0`);
    expect(said).toContain('next: nothing; operations under way land or expire');
    expect(said).toContain('NOT EMPTY: 1 of 4 wallets');

    await world.chain.rpc('evm_increaseTime', 2 * WITHDRAWAL_DELAY_SECONDS);
    await world.chain.mine(1);
    await untilFinal();
    expect(await moving()).toMatchObject({ isDone: true, said: expect.stringContaining(`EMPTY: ${paymaster}`) });
  });
});
