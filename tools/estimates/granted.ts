import { rpc } from '@paymaster/devnet';
import { normalizeAddress, type Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { encodeFunctionData, numberToHex, parseEventLogs, type Log } from 'viem';
import type { SmartAccount } from 'viem/account-abstraction';
import type { PaidOperation } from '../../apps/paymaster-rpc/src/testing/token-call';
import { GRANTED_FAMILIES, type Family } from './accounts';
import { BENEFICIARY, bundleOf, draft, EVENTS, sign, sponsored, TARGETS, type Drafted } from './measure';
import type { EstimatesWorld } from './world';

type Calls = Drafted['calls'];

/** What an account does in its first, second and third operation. */
interface Story {
  readonly name: string;
  readonly operations: readonly [Calls, Calls, Calls];
  /** The third is granted, on a nonce key of its own, before the second has landed. */
  readonly overlaps?: true;
}

const COINS_WEI = 10n ** 18n;
const BUNDLE_GAS = 16_000_000n;
const OTHER_KEY = 7n;

function stories({ targets: to }: EstimatesWorld): readonly Story[] {
  const calling = (...call: Parameters<typeof encode>) => ({ to, data: encode(...call), value: 0n });
  const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  const freshTransfer = () => calling('transfer', [normalizeAddress(randomAddress()), 1n]);
  const coins = () => ({ to: normalizeAddress(randomAddress()), data: '0x' as const, value: 1n });
  const increment = () => calling('mint', [1n]);
  return [
    { name: 'increments', operations: [[increment()], [increment()], [increment(), increment()]] },
    {
      name: 'NFTs',
      operations: [[calling('mintNft', [])], [calling('mintNft', [])], many(5, () => calling('mintNft', []))],
    },
    {
      name: 'ten fresh receivers',
      operations: [[calling('mint', [100n]), ...many(10, freshTransfer)], many(10, freshTransfer), [freshTransfer()]],
    },
    { name: 'coins', operations: [[coins()], many(2, coins), many(5, coins)] },
    { name: 'slots', operations: [[calling('write', [12n])], [calling('clear', [12n])], [calling('write', [12n])]] },
    {
      name: 'depth and data',
      operations: [[calling('hide', [3n])], [calling('dive', [9n])], [calling('store', [`0x${'a5'.repeat(5_000)}`])]],
    },
    { name: 'thirty calls', operations: [many(30, increment), [increment()], many(30, increment)] },
    {
      name: 'slots that another operation clears first',
      operations: [[calling('write', [1n])], [calling('clear', [1n])], [calling('write', [1n])]],
      overlaps: true,
    },
  ];
}

function encode(functionName: (typeof TARGETS)[number]['name'], args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: TARGETS, functionName, args } as never);
}

/** What became of an operation that the gateway granted with limits of its own. */
export interface Granted {
  readonly family: string;
  readonly version: string;
  readonly what: string;
  /** Counted from one. */
  readonly nth: number;
  /** Undefined: it landed, and its call succeeded. */
  readonly failure: string | undefined;
}

/**
 * Lands operations as the gateway granted them, with real signatures: three of each account, small and large.
 *
 * @param options.count how many at least
 */
export async function landGranted(
  world: EstimatesWorld,
  { count, tell = () => undefined }: { count: number; tell?: (line: string) => void },
): Promise<Granted[]> {
  const granted: Granted[] = [];
  for (let round = 0; granted.length < count; round++) {
    const family = GRANTED_FAMILIES[round % GRANTED_FAMILIES.length] as Family;
    const told = stories(world);
    // One story further in each round over the families.
    const story = told[(round + Math.floor(round / GRANTED_FAMILIES.length)) % told.length] as Story;
    for (const each of await play(world, family, story)) {
      granted.push(each);
      if (each.failure) tell(`FAILED: ${each.family} v${each.version}, ${each.what}, ${each.nth}: ${each.failure}`);
    }
    if (round % 40 === 0) tell(`${granted.length} of ${count} operations`);
  }
  return granted;
}

async function play(world: EstimatesWorld, family: Family, story: Story): Promise<Granted[]> {
  const account = await family.make(world.chain);
  await rpc(world.chain.url, 'anvil_setBalance', [account.address, numberToHex(COINS_WEI)]);
  const grant = (nth: number) =>
    grantOne(world, {
      ...{ family, account, calls: story.operations[nth - 1] as Calls, isFirst: nth === 1 },
      nonceKey: story.overlaps && nth === 3 ? OTHER_KEY : 0n,
    });
  const landed = [await land(world, account, await grant(1))];
  const second = await grant(2);
  const third = story.overlaps ? await grant(3) : undefined;
  // Some client libraries make no other nonce key.
  const early = nonceOf(third) === nonceOf(second) ? undefined : third;
  landed.push(await land(world, account, second));
  landed.push(await land(world, account, early ?? (await grant(3))));
  return landed.map((failure, at) => ({
    ...{ family: family.name, version: family.version, what: story.name, nth: at + 1, failure },
  }));
}

const nonceOf = (granted: GrantedOperation | string | undefined): bigint | undefined =>
  typeof granted === 'object' ? granted.paid.operation.nonce : undefined;

interface GrantedOperation {
  readonly paid: PaidOperation;
  readonly authorizationList: readonly unknown[] | undefined;
}

async function grantOne(world: EstimatesWorld, drafted: Drafted): Promise<GrantedOperation | string> {
  const { operation, authorizationList } = await draft(world, drafted);
  await world.seeHead();
  try {
    return { paid: await sponsored(world, operation), authorizationList };
  } catch (error) {
    return (error as Error).message;
  }
}

/** @returns why it failed; undefined when it landed and its call succeeded */
async function land(
  world: EstimatesWorld,
  account: SmartAccount,
  granted: GrantedOperation | string,
): Promise<string | undefined> {
  if (typeof granted === 'string') return granted;
  const { paid, authorizationList } = granted;
  const bundle = bundleOf(await sign(account, paid));
  if (!authorizationList) {
    const call = { from: BENEFICIARY, ...bundle, gas: numberToHex(BUNDLE_GAS) };
    const refusal = await rpc(world.chain.url, 'eth_call', [call, 'latest']).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (refusal !== undefined) return refusal;
  }
  const { status, logs } = await world.send({ ...bundle, ...(authorizationList && { authorizationList }) });
  if (status !== '0x1') return 'the bundle reverted';
  const [event] = parseEventLogs({ abi: EVENTS, logs: logs as unknown as Log[] });
  return event?.args.success ? undefined : 'the call failed';
}
