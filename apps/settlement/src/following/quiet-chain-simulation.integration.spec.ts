import { faker } from '@faker-js/faker';
import { lies } from '@paymaster/chain/testing';
import type { Address } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { ProvidersWorld } from '../testing/providers-world';

const FINALITY_DEPTH = 4;
const WINDOW_BLOCKS = 16;
const ROUNDS = Number(process.env['QUIET_ROUNDS'] ?? 60);

const world = ProvidersWorld.forThisFile({ finalityDepth: FINALITY_DEPTH });

it('a quiet chain is in the books as it is, after random events, faults, reorganisations and leaders', async () => {
  const { abi, paymaster } = world.chain.world.of('0.7');
  const wallets = Array.from({ length: 4 }, randomAddress);
  const call = (name: string, wallet: Address, args: unknown[] = []) =>
    world.chain.send(paymaster, abi.encodeFunctionData(name, args), 0n, wallet);
  const cursor = async () => (await world.books.books.cursor(31337))!;
  const follow = () => world.following(world.proxies, { windowBlocks: WINDOW_BLOCKS });
  const number = async () => Number(await world.chain.rpc('eth_blockNumber'));
  const any = <T>(of: readonly T[]) => faker.helpers.arrayElement(of);

  await world.chain.depositTogether('0.7', wallets);
  let under = follow();
  await under.catchUp();
  const told: string[] = [];
  let skipped = 0;

  /** Faults of each kind, for some steps. Logs that all providers lack are shown before time passes. */
  const faults: Array<() => Promise<void> | void> = [
    () => world.proxies.forEach((proxy) => proxy.lie(lies.droppedLogs(() => true))),
    () => world.proxies.forEach((proxy) => proxy.lie(lies.droppedLogs(() => true))),
    () => world.proxies.slice(0, 2).forEach((proxy) => proxy.lie(lies.droppedLogs(() => faker.datatype.boolean()))),
    () => any(world.proxies).lie(lies.staleHead(faker.number.int({ min: 1, max: 12 }))),
    () => world.proxies.slice(1).forEach((proxy) => proxy.lie(lies.staleHead(faker.number.int({ min: 1, max: 12 })))),
    () => any(world.proxies).lie(lies.backwardsHeads(6)),
    () => any(world.proxies).lie(lies.misbehaves('reset', ['eth_getLogs', 'eth_call'])),
    () => world.proxies.slice(1).forEach((proxy) => proxy.lie(lies.misbehaves('reset', ['eth_getLogs']))),
    () => world.proxies.slice(1).forEach((proxy) => proxy.lie(lies.misbehaves('reset', ['eth_call']))),
    () => world.proxies.slice(1).forEach((proxy) => proxy.lie(lies.logsOfAnotherBlock())),
  ];
  const beHonest = () => world.proxies.forEach((proxy) => proxy.beHonest());
  const events: Array<() => Promise<unknown>> = [
    ...Array.from({ length: 4 }, () => () => world.chain.mine(faker.number.int({ min: 1, max: 9 }))),
    () => world.chain.depositTogether('0.7', [any(wallets)]),
    () => call('requestWithdrawal', any(wallets), [1n]),
    () => call('cancelWithdrawal', any(wallets)).catch(() => undefined),
    () => changeLeader(),
  ];
  const changeLeader = async () => {
    if (faker.datatype.boolean()) await under.follower.stop();
    else await world.books.expireLeases();
    told.push(...under.told);
    under = follow();
  };
  /** Enough time passes for all blocks to be final and for all pauses to end. */
  const settleDown = async () => {
    beHonest();
    await under.catchUp();
    world.passSeconds(faker.number.int({ min: 1, max: 70 }));
    await under.catchUp();
    const at = BigInt(await number());
    await world.books.makeFinal();
    while ((await cursor()).final.number < at) {
      // Another process asks for the final block at once.
      await changeLeader();
      for (const seconds of [61, 0]) {
        await under.catchUp();
        world.passSeconds(seconds);
      }
    }
  };

  const look = async () => {
    const { number: before } = (await cursor()).head;
    const step = await under.follower.step().catch(() => undefined);
    expect(step?.cursor?.haltedReason ?? null).toBeNull();
    const after = step?.cursor?.head.number ?? before;
    if (after > before + 1n && !(await world.books.books.blockAt(31337, after - 1n))) skipped += 1;
  };
  /** The chain goes back to a block that is not final, and on from there. */
  const undo = async (snapshot: { id: unknown; at: bigint }) => {
    const { head, final } = await cursor();
    if (snapshot.at < final.number || head.number - snapshot.at > WINDOW_BLOCKS) return;
    await world.chain.rpc('evm_revert', snapshot.id);
    await world.chain.rpc('evm_increaseTime', 3);
    await world.chain.mine(faker.number.int({ min: 1, max: 20 }));
  };

  for (let round = 0; round < ROUNDS; round++) {
    if (faker.number.int(2) === 0) await settleDown();
    if (faker.number.int(2) === 0) beHonest();
    if (faker.number.int(1) === 0) await any(faults)();
    const snapshot = { id: await world.chain.rpc('evm_snapshot'), at: BigInt(await number()) };
    for (let count = faker.number.int({ min: 1, max: 4 }); count > 0; count--) {
      await any(events)();
      for (let looks = faker.number.int(2); looks > 0; looks--) await look();
    }
    if (faker.number.int(3) === 0) await undo(snapshot);
  }

  await settleDown();
  told.push(...under.told);
  process.stdout.write(`${skipped} stretches left out; ${told.join(', ')}\n`);
  expect((await cursor()).head.number).toBe(BigInt(await number()));
  expect(await world.books.differences()).toEqual([]);
  const requested = await Promise.all(
    wallets.map(async (wallet) => {
      const data = abi.encodeFunctionData('withdrawalOf', [wallet]);
      const answer = (await world.chain.rpc('eth_call', { to: paymaster, data }, 'latest')) as string;
      return [wallet, BigInt(answer.slice(0, 66))];
    }),
  );
  const { rows } = await world.books.database.pool.query<{ wallet: Address; requested_wei: string }>(
    'SELECT wallet, requested_wei FROM ledger.wallets WHERE contract = $1 AND wallet = ANY($2)',
    [paymaster, wallets],
  );
  expect(new Map(rows.map((row) => [row.wallet, BigInt(row.requested_wei)]))).toEqual(new Map(requested as never));
  expect(skipped).toBeGreaterThan(0);
});
