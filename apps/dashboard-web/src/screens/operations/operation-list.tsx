import { Box, Card, Loader, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  memo,
  useContext,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
  type CSSProperties,
  type ReactNode,
  type RefObject,
} from 'react';
import type { OperationSummary } from '../../api/queries';
import { exactAmount, shortAmount } from '../../format/amount';
import { localTime, relativeTime, utcTime } from '../../format/time';
import { usdOf } from '../../format/usd';
import { useChain } from '../../shell/use-scope';
import { CoinPrice } from '../../ui/coin-price';
import { StateBadge, STATES } from '../../ui/state-badge';
import { COLUMNS, type Column } from './columns';
import classes from './operation-list.module.css';
import { rowTexts, shortHex, type Known } from './row-texts';
import { useKnown } from './use-known';

interface Props {
  readonly operations: readonly OperationSummary[];
  /** Besides state and time; the same array until they change. */
  readonly columns: readonly Column[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
  readonly onOpen: (operation: OperationSummary) => void;
}

/** From this width on a row is one line. operation-list.module.css has the same width. */
const WIDE = '(min-width: 1280px)';
const ROW_PX = { wide: 40, narrow: 64 };
const WIDTHS: Readonly<Record<Column | 'state' | 'time', string>> = {
  state: '120px',
  contract: 'minmax(0, 1.05fr)',
  method: 'minmax(0, 1.05fr)',
  policy: 'minmax(0, 2.2fr)',
  payment: '90px',
  sender: '96px',
  version: '90px',
  cost: 'minmax(168px, 0.8fr)',
  time: '84px',
};
/** So many rows above and below those in sight are in the document too. */
const AROUND_ROWS = 6;
/** The next page is asked for when the reader is so many rows from the end. */
const AHEAD_ROWS = 25;

/** Rows of a table that may be endless: only those in sight are in the document. */
export function OperationList({ operations, columns, isLoading, hasMore, onEnd, onOpen }: Props) {
  const shown = ['state', ...columns, 'time'] as const;
  const grid = { '--columns': shown.map((column) => WIDTHS[column]).join(' ') } as CSSProperties;
  return (
    <Card padding={0}>
      <div role="table" aria-label="Operations" aria-rowcount={hasMore ? -1 : operations.length + 1} style={grid}>
        <div role="rowgroup" className={classes.head}>
          <div role="row" aria-rowindex={1} className={classes.row}>
            {shown.map((column) => (
              <Text
                key={column}
                role="columnheader"
                className={classes[column]}
                size="sm"
                fw={600}
                c="dimmed"
                component="div"
              >
                {HEADS[column]}
              </Text>
            ))}
          </div>
        </div>
        <RowsInSight {...{ operations, columns, isLoading, hasMore, onEnd, onOpen }} />
      </div>
      <Box p="sm" ta="center" role="status" aria-busy={isLoading}>
        {isLoading ? (
          <Loader size="sm" role="img" aria-label="More operations are on their way" />
        ) : (
          <Text size="sm" c="dimmed">
            {hasMore ? 'Scroll for more' : `All ${operations.length} are shown`}
          </Text>
        )}
      </Box>
    </Card>
  );
}

/** This alone is made anew for each turn of the wheel. */
function RowsInSight({ operations, columns, isLoading, hasMore, onEnd, onOpen }: Props) {
  const { symbol } = useChain();
  const known = useKnown();
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const rowPx = isWide ? ROW_PX.wide : ROW_PX.narrow;
  const top = useRef<HTMLDivElement>(null);
  const sight = useSight(top, rowPx);
  const first = Math.max(0, sight.first - AROUND_ROWS);
  // Below zero where the list begins far below a low window.
  const end = Math.max(0, Math.min(operations.length, sight.end + AROUND_ROWS));
  useLayoutEffect(() => {
    if (hasMore && !isLoading && end > operations.length - AHEAD_ROWS) onEnd();
  }, [hasMore, isLoading, end, operations.length, onEnd]);
  return (
    <div ref={top} role="rowgroup" style={{ height: operations.length * rowPx, position: 'relative' }}>
      {operations.slice(first, end).map((operation, index) => {
        const place = first + index;
        return <Row key={place} {...{ operation, columns, known, symbol, rowPx, place, onOpen }} />;
      })}
    </div>
  );
}

/**
 * Which rows the window shows of a list whose rows are all of one height: from `first`, before `end`. A library that
 * measures rows goes through all of them whenever some are added, which a reader of 100,000 rows sees.
 */
function useSight(top: RefObject<HTMLElement | null>, rowPx: number) {
  const placeAt = (yPx: number) => (yPx - (top.current?.getBoundingClientRect().top ?? 0)) / rowPx;
  return {
    first: useSyncExternalStore(whenSightChanges, () => Math.floor(placeAt(0))),
    end: useSyncExternalStore(whenSightChanges, () => Math.ceil(placeAt(window.innerHeight))),
  };
}

function whenSightChanges(changed: () => void): () => void {
  window.addEventListener('scroll', changed, { passive: true });
  window.addEventListener('resize', changed);
  return () => {
    window.removeEventListener('scroll', changed);
    window.removeEventListener('resize', changed);
  };
}

const HEADS = { state: 'State', ...COLUMNS, time: 'Time' };

interface RowProps {
  readonly operation: OperationSummary;
  readonly columns: readonly Column[];
  readonly known: Known;
  readonly symbol: string;
  readonly rowPx: number;
  /** From 0. */
  readonly place: number;
  readonly onOpen: (operation: OperationSummary) => void;
}

/**
 * A row that stays in sight is not made anew while the reader scrolls. Its texts on hover are the browser's own: a list
 * that is scrolled fast makes a thousand rows a second.
 */
const Row = memo(function Row({ operation, columns, known, symbol, rowPx, place, onOpen }: RowProps) {
  const { createdAt } = operation;
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      className={`${classes.row} ${classes.body}`}
      style={{ height: rowPx, top: place * rowPx }}
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
          aria-label={`Open the operation of ${operation.sender}: ${STATES[operation.state].name}`}
        >
          <StateBadge operation={operation} />
        </button>
      </div>
      <Cells {...{ operation, columns, known, symbol }} />
      <div role="cell" className={`${classes.time} numbers`} title={`${localTime(createdAt)}, ${utcTime(createdAt)}`}>
        <time dateTime={createdAt}>{relativeTime(createdAt, Date.now())}</time>
      </div>
    </div>
  );
});

interface Cell {
  readonly shown: ReactNode;
  /** What the browser shows on hover, where that is more than what is shown. */
  readonly title?: string | undefined;
  readonly className?: string;
}

function Cells({ operation, columns, known, symbol }: Pick<RowProps, 'operation' | 'columns' | 'known' | 'symbol'>) {
  const { sender, call, message, bundler, entryPointVersion } = operation;
  const { contract, method, policy, payment } = rowTexts(operation, known, Date.now());
  const usd = usdOf(operation.costWei ?? 0n, useContext(CoinPrice));
  const cells: Readonly<Record<Column, Cell>> = {
    contract: { shown: contract, title: call ? `${contract} ${call.to}` : contract },
    method: { shown: method, title: method },
    policy: { shown: policy, title: message ?? bundler?.message ?? policy },
    payment: { shown: payment, title: payment },
    sender: { shown: shortHex(sender), title: sender, className: 'mono' },
    version: { shown: `v${entryPointVersion}` },
    cost: costOf(operation, symbol, usd),
  };
  return columns.map((column) => {
    const { shown, title, className = '' } = cells[column];
    return (
      <div key={column} role="cell" className={`${classes[column]} ${className}`} title={title}>
        {shown}
      </div>
    );
  });
}

function costOf({ costWei, isPaid }: OperationSummary, symbol: string, usd: string | undefined): Cell {
  if (costWei === null) return { shown: 'nothing', className: classes.dimmed };
  const exact = [exactAmount(costWei, symbol), usd].filter(Boolean).join(' = ');
  const atMost = isPaid ? '' : 'at most ';
  return {
    shown: (
      <>
        {`${atMost}${shortAmount(costWei, symbol)} `}
        {usd && <small className={classes.dimmed}>{usd}</small>}
      </>
    ),
    title: `${atMost}${exact}`,
    className: 'numbers',
  };
}
