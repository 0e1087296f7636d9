import { Box, Card, Loader, Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import type { Operation } from '../../api/queries';
import { useChain } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { StateBadge } from '../../ui/state-badge';
import { When } from '../../ui/when';
import classes from './operation-list.module.css';

interface Props {
  readonly operations: readonly Operation[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
  readonly onOpen: (operation: Operation) => void;
}

const ROW_PX = 64;
/** The next page is asked for when the reader is so many rows from the end. */
const AHEAD_ROWS = 25;

/** Rows of a table that may be endless: only those in sight are in the document. */
export function OperationList({ operations, isLoading, hasMore, onEnd, onOpen }: Props) {
  const { symbol } = useChain();
  const top = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset(top.current?.offsetTop ?? 0), [operations.length]);
  const rows = useWindowVirtualizer({
    count: operations.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: offset,
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useLayoutEffect(() => {
    if (hasMore && !isLoading && last >= operations.length - AHEAD_ROWS) onEnd();
  }, [hasMore, isLoading, last, operations.length, onEnd]);
  return (
    <Card padding={0}>
      <div role="table" aria-label="Operations" aria-rowcount={hasMore ? -1 : operations.length + 1}>
        <div role="rowgroup" className={classes.head}>
          <div role="row" aria-rowindex={1} className={classes.row}>
            {['State', 'What', 'Account', 'Cost', 'Time'].map((name) => (
              <Text key={name} role="columnheader" size="sm" fw={600} c="dimmed" component="div">
                {name}
              </Text>
            ))}
          </div>
        </div>
        <div ref={top} role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {items.map((item) => {
            const operation = operations[item.index];
            return (
              operation && (
                <div
                  key={item.key}
                  role="row"
                  aria-rowindex={item.index + 2}
                  className={`${classes.row} ${classes.body}`}
                  style={{ height: ROW_PX, transform: `translateY(${item.start - offset}px)` }}
                  onClick={() => onOpen(operation)}
                >
                  <Row operation={operation} symbol={symbol} onOpen={() => onOpen(operation)} />
                </div>
              )
            );
          })}
        </div>
      </div>
      <Box p="sm" ta="center" role="status">
        {isLoading ? (
          <Loader size="sm" aria-label="More operations are on their way" />
        ) : (
          <Text size="sm" c="dimmed">
            {hasMore ? 'Scroll for more' : `All ${operations.length} are shown`}
          </Text>
        )}
      </Box>
    </Card>
  );
}

interface RowProps {
  readonly operation: Operation;
  readonly symbol: string;
  readonly onOpen: () => void;
}

function Row({ operation, symbol, onOpen }: RowProps) {
  const cost = operation.actualCostWei ?? operation.expectedCostWei;
  return (
    <>
      <div role="cell" className={classes.state}>
        <button
          type="button"
          className={classes.open}
          onClick={(event) => {
            event.stopPropagation();
            onOpen();
          }}
          aria-label={`Open the ${operation.state} operation of ${operation.sender}`}
        >
          <StateBadge operation={operation} />
        </button>
      </div>
      <div role="cell" className={classes.what}>
        <Text size="sm" truncate title={operation.message ?? undefined}>
          {operation.reason ?? whatOf(operation)}
        </Text>
      </div>
      <div role="cell" className={classes.sender}>
        <span className="mono" title={operation.sender}>
          {operation.sender.slice(0, 8)}…{operation.sender.slice(-4)}
        </span>
      </div>
      <div role="cell" className={classes.cost}>
        {cost === null ? (
          <Text size="sm" c="dimmed">
            nothing
          </Text>
        ) : (
          <Text size="sm" component="span">
            {operation.actualCostWei === null && 'at most '}
            <Amount wei={cost} symbol={symbol} />
          </Text>
        )}
      </div>
      <div role="cell" className={classes.time}>
        <Text size="sm" component="span">
          <When iso={operation.createdAt} relative />
        </Text>
      </div>
    </>
  );
}

function whatOf({ mode, targets, entryPointVersion }: Operation): string {
  const calls = targets?.length ?? 0;
  const paid = mode === 'token' ? 'paid in a token' : 'sponsored';
  return `${paid}, ${calls === 1 ? '1 call' : `${calls} calls`}, EntryPoint v${entryPointVersion}`;
}
