import {
  CallRevertedError,
  decodeUint,
  MethodUnsupportedError,
  parseBytes,
  toWord,
  type ChainProvider,
  type StateOverrides,
  type TouchedSlot,
} from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import { balanceOfCall, TOKEN_VIEW_GAS } from './token-reader';
import { usualBalanceSlots } from './usual-balance-slots';

/** A balance that depends on more storage than this cannot be verified. */
const MAX_TOUCHED_SLOTS = 16;
const WORD_END = 1n << 256n;

type SlotProvider = Pick<ChainProvider, 'ethCall' | 'touchedSlots' | 'storageAt'>;

/** The account whose balance is looked for, and a balance to write there; every trial reads it back. */
export interface BalanceSlotRequest {
  readonly token: Address;
  readonly account: Address;
  readonly balanceBaseUnits: bigint;
}

/**
 * The slot in which a token stores an account's balance: `balanceOf` returns its content unchanged, for two contents,
 * and depends on no other slot. Undefined when there is no such slot: the token computes balances (it rebases) or
 * stores them in a way that can't be verified.
 *
 * @throws {StateOverridesUnsupportedError} when the chain's nodes do not take state overrides
 * @throws {DependencyUnavailableError} `chain`, when it can't be read
 */
export async function findBalanceSlot(
  provider: SlotProvider,
  request: BalanceSlotRequest,
): Promise<TouchedSlot | undefined> {
  const touched = await slotsTouched(provider, request);
  if (!touched) return findUsualSlot(provider, request);
  if (touched.length > MAX_TOUCHED_SLOTS) return undefined;
  for (const slot of touched) {
    if (!(await givesBack(provider, request, slot))) continue;
    const others = touched.filter((other) => other !== slot);
    return (await dependsOnOthers(provider, request, { slot, others })) ? undefined : slot;
  }
  return undefined;
}

/** Undefined when no node answers; empty when the token refuses the call. */
async function slotsTouched(
  provider: SlotProvider,
  { token, account }: BalanceSlotRequest,
): Promise<readonly TouchedSlot[] | undefined> {
  try {
    return await provider.touchedSlots({ to: token, data: balanceOfCall(account), gas: TOKEN_VIEW_GAS });
  } catch (error) {
    if (error instanceof MethodUnsupportedError) return undefined;
    if (error instanceof CallRevertedError) return [];
    throw error;
  }
}

/**
 * Tries all usual slots in one call, each with its own content. It does not find out whether a balance also depends on
 * other storage.
 */
async function findUsualSlot(provider: SlotProvider, request: BalanceSlotRequest): Promise<TouchedSlot | undefined> {
  const { token, account, balanceBaseUnits } = request;
  const slots = usualBalanceSlots(account);
  const contents = slots.map((slot, index) => [slot, toWord(balanceBaseUnits + BigInt(index))]);
  const stateDiff = Object.fromEntries(contents) as Record<Hex, Hex>;
  const balance = await balanceOn(provider, request, { [token]: { stateDiff } });
  const slot = balance === undefined ? undefined : slots[Number(balance - balanceBaseUnits)];
  const found = slot && { address: token, slot };
  return found && (await givesBack(provider, request, found)) ? found : undefined;
}

async function givesBack(provider: SlotProvider, request: BalanceSlotRequest, slot: TouchedSlot): Promise<boolean> {
  for (const content of [request.balanceBaseUnits, 2n * request.balanceBaseUnits + 1n]) {
    if ((await balanceOn(provider, request, contentOf(slot, content))) !== content) return false;
  }
  return true;
}

/**
 * Doubling the other storage shows a multiplier that happens to be 1 now. An answer that is not a number proves
 * nothing.
 */
async function dependsOnOthers(
  provider: SlotProvider,
  request: BalanceSlotRequest,
  { slot, others }: { slot: TouchedSlot; others: readonly TouchedSlot[] },
): Promise<boolean> {
  for (const other of others) {
    const content = BigInt(await provider.storageAt(other));
    const changed = content === 0n ? 1n : (2n * content) % WORD_END;
    const overrides = merge(contentOf(slot, request.balanceBaseUnits), contentOf(other, changed));
    const balance = await balanceOn(provider, request, overrides);
    if (balance !== undefined && balance !== request.balanceBaseUnits) return true;
  }
  return false;
}

/** The token's answer on another state; undefined when it is no number. */
async function balanceOn(
  provider: SlotProvider,
  { token, account }: BalanceSlotRequest,
  overrides: StateOverrides,
): Promise<bigint | undefined> {
  const call = { to: token, data: balanceOfCall(account), gas: TOKEN_VIEW_GAS };
  try {
    return decodeUint(await provider.ethCall(call, (returned) => parseBytes(returned, 'balanceOf'), overrides));
  } catch (error) {
    if (error instanceof CallRevertedError) return undefined;
    throw error;
  }
}

/** The override that writes a content into a slot. */
export function contentOf({ address, slot }: TouchedSlot, content: bigint): StateOverrides {
  return { [address]: { stateDiff: { [slot]: toWord(content) } } };
}

function merge(one: StateOverrides, two: StateOverrides): StateOverrides {
  const addresses = [...Object.keys(one), ...Object.keys(two)] as Address[];
  return Object.fromEntries(
    addresses.map((address) => [address, { stateDiff: { ...one[address]?.stateDiff, ...two[address]?.stateDiff } }]),
  );
}
