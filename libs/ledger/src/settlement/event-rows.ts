import type { Address, ChainEvent, OperationEvent } from '@paymaster/domain';
import type { AppliedBlock, BlockHeader } from './settlement-books';

/** An event with the block it is in. */
export interface PlacedEvent<T extends ChainEvent = ChainEvent> {
  readonly block: BlockHeader;
  readonly event: T;
}

export function isOperation(placed: PlacedEvent): placed is PlacedEvent<OperationEvent> {
  return placed.event.kind === 'operation';
}

/**
 * The events of blocks in the chain's order, in lower case. A log that was delivered twice counts once.
 *
 * @throws when two different events claim the same place
 */
export function placeEvents(blocks: readonly AppliedBlock[]): readonly PlacedEvent[] {
  return blocks.flatMap(({ block, events }) => {
    const byIndex = new Map<number, ChainEvent>();
    for (const event of events.map(inLowerCase)) {
      const other = byIndex.get(event.logIndex);
      if (other && asJson(other) !== asJson(event)) {
        throw new Error(
          `Block ${block.number} (${block.hash}) has two different events at log index ${event.logIndex}.`,
        );
      }
      byIndex.set(event.logIndex, event);
    }
    return [...byIndex.values()].sort((a, b) => a.logIndex - b.logIndex).map((event) => ({ block, event }));
  });
}

/** The wallets of events; a wallet may occur several times. */
export function accountsOf(events: readonly PlacedEvent[]): readonly { contract: Address; wallet: Address }[] {
  return events.flatMap(({ event }) => (event.kind === 'nonceUsed' ? [] : [event]));
}

/** The values that have no column in ledger.chain_events, as JSON with decimal text. */
export function payloadOf(event: ChainEvent): object {
  const { kind: _kind, logIndex: _logIndex, transactionHash: _hash, contract: _contract, ...payload } = event;
  return JSON.parse(asJson(payload)) as object;
}

function inLowerCase(event: ChainEvent): ChainEvent {
  const lowered = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'string' && value.startsWith('0x') ? value.toLowerCase() : value,
  ]);
  return Object.fromEntries(lowered) as ChainEvent;
}

function asJson(value: object): string {
  return JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));
}
