import { join } from 'node:path';
import { Commands } from '@paymaster/devnet';
import { ENTRY_POINT_VERSIONS, isPackedVersion, type Address, type EntryPointVersion } from '@paymaster/domain';
import { loadConfig } from '@paymaster/nest-kit';
import { BooksConfig } from '../config/books.config';
import { SettlementWorld, type BooksUnderTest } from '../testing/settlement-world';
import { reconcileChain } from '../reconciliation/reconcile-chain';
import { withBooks } from './command-context';
import { resumeChain } from './resume';
import { showUnsettled } from './unsettled';

const FINALITY_DEPTH = 16;

const commands = new Commands(join(__dirname, '..'));
let world: SettlementWorld;
let books: BooksUnderTest;
let chainsFile: string;

beforeAll(async () => {
  world = await SettlementWorld.start();
  chainsFile = world.writeChainsFile({ finalityDepth: FINALITY_DEPTH });
});
afterAll(() => Promise.all([commands.stop(), world.stop()]));
beforeEach(async () => {
  books = await world.books(FINALITY_DEPTH);
});
afterEach(() => books.drop());

const env = () => ({ DATABASE_URL: books.database.url, CHAINS_FILE: chainsFile, LEASE_TTL_SECONDS: '60' });

const ledger = (...args: string[]) => commands.run('ledger.cli.ts', args, env());

async function resume(yes: boolean): Promise<{ goesOn: boolean; said: string[] }> {
  const said: string[] = [];
  const goesOn = await withBooks(loadConfig(BooksConfig, env()), (context) =>
    resumeChain({ ...context, say: (line) => said.push(line) }, { chain: context.chains[0]!, yes }),
  );
  return { goesOn, said };
}

/** Books that are halted by a reorganisation deeper than their window; what they had applied is undone on chain. */
async function halt(depth: number): Promise<Awaited<ReturnType<BooksUnderTest['granted']>>> {
  const { catchUp } = books.follower({ windowBlocks: 4 });
  await books.makeFinal();
  await catchUp();
  const operation = await books.granted();
  const to = await world.chain.rpc('evm_snapshot');
  await books.land(operation);
  await world.chain.mine(depth - 1);
  await catchUp();
  await world.chain.rpc('evm_revert', to);
  await world.chain.rpc('evm_increaseTime', 3);
  await world.chain.mine(depth + 2);
  expect((await catchUp()).state).toBe('halted');
  return operation;
}

describe('ledger resume', () => {
  it('says what it would undo and changes nothing, then does it', async () => {
    const operation = await halt(6);
    const { head } = (await books.books.cursor(31337))!;
    const announcement = `This will undo 6 blocks of the books, ${head.number - 5n} to ${head.number}, clear the halt, and let settlement go on from block ${head.number - 6n}.`;

    const dry = await resume(false);
    expect(dry).toEqual({
      goesOn: true,
      said: [
        expect.stringMatching(/^Chain 31337 is halted: the chain does not meet the books/),
        expect.stringMatching(/^Books: head \d+ \(0x[0-9a-f]{64}\), final \d+ \(0x/),
        announcement,
        'Nothing was changed. Add --yes to do it.',
      ],
    });
    expect((await books.books.cursor(31337))?.head).toEqual(head);

    expect((await resume(true)).said).toEqual([
      ...dry.said.slice(0, 3),
      `Chain 31337 goes on from block ${head.number - 6n}.`,
    ]);
    const { catchUp } = books.follower({ windowBlocks: 4 });
    await books.land(operation);
    await books.makeFinal();
    expect((await catchUp()).state).toBe('leader');
    expect((await books.reservation(operation.reservationId)).state).toBe('settled');
    expect(await books.differences()).toEqual([]);
  });

  it('refuses where the chain has another final block', async () => {
    await halt(FINALITY_DEPTH + 2);
    const { goesOn, said } = await resume(true);
    expect(goesOn).toBe(false);
    expect(said).toContainEqual(expect.stringMatching(/^The chain does not have our final block \d+/));
    expect((await books.books.cursor(31337))?.haltedReason).not.toBeNull();
  });

  it('does nothing to a chain that is not halted, or that has no books', async () => {
    expect((await resume(true)).said).toEqual([expect.stringMatching(/never opened/)]);
    await books.follower().catchUp();
    expect(await resume(true)).toEqual({ goesOn: true, said: [expect.stringMatching(/is not halted/)] });
  });
});

describe('the ledger command', () => {
  it('reconciles, verifies and shows, and names what differs', async () => {
    await books.makeFinal();
    await books.follower().catchUp();
    expect(await ledger('reconcile', '--chain', '31337')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/wallets compared\.\nBooks and chain agree\.\n$/),
    });
    expect(await ledger('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('Every balance') });
    expect(await ledger('status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/31337 {2}test {2}head \d+/),
    });

    expect(await ledger('moving', '--chain', '31337')).toMatchObject({
      code: 0,
      stdout: 'Chain 31337: chains.json names no nextPaymaster and no drainingPaymasters.\n',
    });

    const { wallet } = world.chain.world;
    await books.database.pool.query(
      'UPDATE ledger.wallets SET balance_wei = balance_wei + 7 WHERE wallet = $1 AND contract = $2',
      [wallet, world.chain.world.of('0.7').paymaster],
    );
    const reconciled = await ledger('reconcile', '--chain', '31337');
    expect(reconciled.code).toBe(1);
    expect(reconciled.stdout).toMatch(new RegExp(`^DIFFERS  balance of ${wallet}`, 'm'));
    const { rows } = await books.database.pool.query('SELECT agrees FROM ledger.reconciliations ORDER BY id');
    expect(rows.slice(-2)).toEqual([{ agrees: true }, { agrees: false }]);
    expect(await ledger('verify')).toMatchObject({ code: 1, stdout: expect.stringContaining('DIFFERS') });
  });

  it.each([
    [['dance'], 'dance is not a command.'],
    [['resume', '--chain', '5'], 'chains.json does not name chain 5.'],
  ])('%j is answered with what is wrong and the help', async (args, problem) => {
    const { code, stdout, stderr } = await ledger(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
    expect(stderr).toContain('resume --chain N [--yes]');
  });

  it('helps without any configuration', async () => {
    expect(await commands.run('ledger.cli.ts', ['--help'], {})).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('resume --chain N [--yes]'),
    });
  });
});

describe('reconciliation', () => {
  it('finds a deposit in the EntryPoint that is less than what is owed', async () => {
    await books.makeFinal();
    await books.follower().catchUp();
    const source = books.source();
    const { entryPoint } = world.chain.world.of('0.8');
    const robbed = {
      ...source,
      callAt: async (...[blockHash, call]: Parameters<typeof source.callAt>) =>
        call.to === entryPoint ? (`0x${'0'.repeat(64)}` as const) : source.callAt(blockHash, call),
    };
    const { findings } = await reconcileChain({ books: books.books, chain: books.chainConfig(), source: robbed });
    expect(findings).toEqual([
      expect.objectContaining({ what: expect.stringContaining(entryPoint) as string, found: '0 wei' }),
    ]);
  });
});

describe('ledger unsettled', () => {
  const TWENTY_DAYS_SECONDS = 20 * 86_400;

  async function unsettled(): Promise<{ isDone: boolean; said: string }> {
    const said: string[] = [];
    const isDone = await withBooks(loadConfig(BooksConfig, env()), (context) =>
      showUnsettled({ ...context, say: (line) => said.push(line) }, books.chainConfig()),
    );
    return { isDone, said: said.join('\n') };
  }

  /** Sends the calls of these names that were said, as the owner, who is anybody too. @returns the names */
  async function follow(said: string, calls: readonly string[]): Promise<string[]> {
    const steps = [...said.matchAll(/sends to (0x\S+): (\w+)\(.*\n\s+data (0x\S+)/g)];
    const wanted = steps.filter(([, , call]) => calls.includes(call!));
    for (const [, to, , data] of wanted) await world.chain.send(to as Address, data!);
    return wanted.map(([, , call]) => call!);
  }

  async function balanceWei(version: EntryPointVersion): Promise<bigint> {
    const { paymaster } = world.chain.world.of(version);
    const balances = await books.books.finalBalances(31337);
    return balances.find(({ contract, wallet }) => contract === paymaster && wallet === world.chain.world.wallet)!
      .balanceWei;
  }

  it.each(ENTRY_POINT_VERSIONS.filter(isPackedVersion))(
    'works out what the owner sends, until the wallet has all that the EntryPoint did not take: v%s',
    async (version) => {
      const { catchUp } = books.follower();
      const untilFinal = async () => {
        await books.makeFinal();
        await catchUp();
      };
      await untilFinal();
      expect(await unsettled()).toMatchObject({ isDone: true, said: expect.stringContaining('Nothing is unsettled.') });
      const beforeWei = await balanceWei(version);
      const freeing = ['returnStranded', 'returnUnsettled'];

      // The first is stated alone, so that only the later two are left.
      for (let failed = 0; failed < 3; failed++) {
        await books.land(await books.granted({ version, unpaid: true }));
        if (failed > 0) continue;
        await untilFinal();
        expect(await follow((await unsettled()).said, freeing)).toEqual(freeing);
      }
      // Neither of these leaves anything: one pays, the other's calls revert and `postOp` notes what is due.
      await books.land(await books.granted({ version }));
      await books.land(await books.granted({ version, unpaid: true, reverts: true }));
      await untilFinal();
      const { isDone, said } = await unsettled();
      expect(isDone).toBe(false);
      expect(said.match(/the EntryPoint took/g)).toHaveLength(2);
      expect(said).toMatch(/creditUnsettled\(0x\w+\), from 20\S+ on/);
      const [stated] = said.match(/returnUnsettled\([^)]+\)/)!;
      expect(await follow(said, freeing)).toEqual(freeing);
      await untilFinal();
      expect((await unsettled()).said).not.toContain(stated);

      await world.chain.rpc('evm_increaseTime', TWENTY_DAYS_SECONDS);
      await world.chain.mine(1);
      await untilFinal();
      const due = (await unsettled()).said;
      expect(due).toMatch(/creditUnsettled\(0x\w+\), now/);
      expect(await follow(due, ['creditUnsettled'])).toEqual(['creditUnsettled']);
      await untilFinal();
      expect((await unsettled()).isDone).toBe(true);

      const { rows } = await books.database.pool.query<{ wei: string }>(
        `SELECT sum(coalesce((SELECT r.actual_gas_cost_wei FROM ledger.unpaid_operations u
                               WHERE u.reservation_id = r.id AND u.budgets IS NULL), r.charged_wei)) AS wei FROM ledger.reservations r`,
      );
      expect(beforeWei - (await balanceWei(version))).toBe(BigInt(rows[0]!.wei));
      expect(await books.differences()).toEqual([]);
    },
  );

  it('states nothing where the records do not add up, as after an owner stated a part by hand', async () => {
    const { catchUp } = books.follower();
    await books.makeFinal();
    await catchUp();
    const { paymaster, abi } = world.chain.world.of('0.7');
    const operation = await books.granted({ unpaid: true });
    await books.land(operation);
    await world.chain.send(paymaster, abi.encodeFunctionData('returnUnsettled', [operation.wallet, 3n, 2n]));
    await books.makeFinal();
    await catchUp();
    const { isDone, said } = await unsettled();
    expect(isDone).toBe(false);
    expect(said).toContain('it is not plain for which operations');
    expect(said).not.toContain('returnUnsettled(');
  });

  it.each([
    ['second', /returnUnsettled\(.*, after creditUnsettled: it would start the wait of the statement before anew$/m],
    ['third', /returnUnsettled\([^)]*\), once: it is shown until its block is final$/m],
  ] as const)('warns where a new statement delays an earlier one: contracts of the %s generation', async (of, said) => {
    const { wallet } = world.chain.world;
    const contract = await world.chain.deployBeside('0.7', of);
    const { entryPoint, abi } = world.chain.world.of('0.7');
    const { paymaster } = contract;
    books.entryPoints = { '0.7': { entryPoint, paymaster } };
    await world.chain.send(paymaster, abi.encodeFunctionData('depositFor', [wallet]), 10n ** 18n);
    const { catchUp } = books.follower();
    const fail = async () => {
      await books.makeFinal();
      await catchUp();
      await books.land(await books.granted({ unpaid: true, contract }));
      await books.makeFinal();
      await catchUp();
    };
    await fail();
    expect(await follow((await unsettled()).said, ['returnUnsettled'])).toHaveLength(1);
    await fail();
    expect((await unsettled()).said).toMatch(said);
  });
});
