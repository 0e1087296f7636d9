import { Box, Card, Loader, Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useContext, useLayoutEffect, useRef, useState } from 'react';
import type { OperationSummary } from '../../api/queries';
import { exactAmount, shortAmount } from '../../format/amount';
import { localTime, relativeTime, utcTime } from '../../format/time';
import { usdOf } from '../../format/usd';
import { useChain } from '../../shell/use-scope';
import { CoinPrice } from '../../ui/coin-price';
import { StateBadge } from '../../ui/state-badge';
import { inList } from './at-bundler';
import classes from './operation-list.module.css';

interface Props {
  readonly operations: readonly OperationSummary[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
  readonly onOpen: (operation: OperationSummary) => void;
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
                <Row key={item.key} {...{ operation, symbol, onOpen }} place={item.index} topPx={item.start - offset} />
              )
            );
          })}
        </div>
      </div>
      <Box p="sm" ta="center" role="status" aria-busy={isLoading}>
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
  readonly operation: OperationSummary;
  readonly symbol: string;
  /** From 0. */
  readonly place: number;
  readonly topPx: number;
  readonly onOpen: (operation: OperationSummary) => void;
}

/**
 * A row that stays in sight is not made anew while the reader scrolls. Its texts on hover are the browser's own: a list
 * that is scrolled fast makes a thousand rows a second.
 */
const Row = memo(function Row({ operation, symbol, place, topPx, onOpen }: RowProps) {
  const { costWei, isPaid, createdAt } = operation;
  const usd = usdOf(costWei ?? 0n, useContext(CoinPrice));
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      className={`${classes.row} ${classes.body}`}
      style={{ height: ROW_PX, transform: `translateY(${topPx}px)` }}
      onClick={() => onOpen(operation)}
    >
      <div role="cell" className={classes.state}>
        <button
          type="button"
          className={classes.open}
          onClick={(event) => {
            event.stopPropagation();
            onOpen(operation);
          }}
          aria-label={`Open the ${operation.state} operation of ${operation.sender}`}
        >
          <StateBadge operation={operation} />
        </button>
      </div>
      <div role="cell" className={classes.what}>
        <span title={operation.message ?? operation.bundler?.message ?? undefined}>
          {operation.reason ?? whatOf(operation)}
        </span>
      </div>
      <div role="cell" className={classes.sender}>
        <span className="mono" title={operation.sender}>
          {operation.sender.slice(0, 8)}…{operation.sender.slice(-4)}
        </span>
      </div>
      <div role="cell" className={classes.cost}>
        {costWei === null ? (
          <span className={classes.dimmed}>nothing</span>
        ) : (
          <span className="numbers" title={exactAmount(costWei, symbol)}>
            {!isPaid && 'at most '}
            {shortAmount(costWei, symbol)} {usd && <small className={classes.dimmed}>{usd}</small>}
          </span>
        )}
      </div>
      <div role="cell" className={classes.time}>
        <time dateTime={createdAt} className="numbers" title={`${localTime(createdAt)}, ${utcTime(createdAt)}`}>
          {relativeTime(createdAt, Date.now())}
        </time>
      </div>
    </div>
  );
});

function whatOf(operation: OperationSummary): string {
  const { mode, calls, entryPointVersion } = operation;
  const paid = mode === 'token' ? 'paid in a token' : 'sponsored';
  const what = `${paid}, ${calls === 1 ? '1 call' : `${calls} calls`}, EntryPoint v${entryPointVersion}`;
  return [inList(operation, Date.now()), what].filter(Boolean).join('; ');
}
