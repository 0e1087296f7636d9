import { DependencyUnavailableError } from '@paymaster/domain';
import { clientSite } from '@paymaster/nest-kit';
import type { ClientTurns, TurnTaker } from '@paymaster/turns';
import type { Caller } from '../../callers/caller';
import { busy } from '../../platform/errors/overloaded';
import { isShared } from '../../hold/live-claims';

/** What of a caller says whose turn it takes. */
export type Asking = Pick<Caller, 'paymaster' | 'clientAddress' | 'strangerNetwork'>;

/** The taker of a turn for a request. A client is an IPv4 address, or the /48 of an IPv6 address. */
export function turnTaker({ paymaster, clientAddress, strangerNetwork }: Asking): TurnTaker {
  const { paymasterId, settings } = paymaster.snapshot;
  const isCounted = strangerNetwork !== undefined && isShared(settings.liveSignatureCaps);
  return { paymasterId, client: isCounted ? clientSite(clientAddress) : undefined };
}

/**
 * Waits for the client's turn, then runs work that makes a bundler or a node run an operation's code. That code may
 * loop for as long as the bundler or node lets it.
 *
 * @throws {RateLimitedError} when the client, or the paymaster, has too much of this work under way
 * @throws {DependencyUnavailableError} reason OVERLOADED, when all paymasters together have too much of it
 * @throws what the work throws
 */
export function inTurn<T>(caller: Asking & Pick<Caller, 'chain' | 'deadlineMs'>, work: () => Promise<T>): Promise<T> {
  return inTurnOf(caller.chain.simulations, caller, work);
}

/** As {@link inTurn}, for work that others than the simulating node do. */
export async function inTurnOf<T>(
  turns: ClientTurns,
  caller: Asking & Pick<Caller, 'deadlineMs'>,
  work: () => Promise<T>,
): Promise<T> {
  const taker = turnTaker(caller);
  const taken = await turns.takeWhenFree(taker, caller.deadlineMs - performance.now());
  if (taken !== undefined) throw busy(taken);
  const startedMs = performance.now();
  let heldMs = 0;
  try {
    return await work();
  } catch (error) {
    // A server that gave no answer may still be at work, so the turn is held for the same time once more. Otherwise
    // clients that time out would give the server ever more to do.
    if (error instanceof DependencyUnavailableError) heldMs = performance.now() - startedMs;
    throw error;
  } finally {
    if (heldMs > 0) setTimeout(() => turns.leave(taker), heldMs).unref();
    else turns.leave(taker);
  }
}
