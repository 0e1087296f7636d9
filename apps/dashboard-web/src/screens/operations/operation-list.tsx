import { Box, Card, Loader, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
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
  contract: 'minmax(0, 0.9fr)',
  method: 'minmax(0, 1.1fr)',
  policy: 'minmax(0, 2.3fr)',
  payment: '90px',
  sender: '96px',
  version: '90px',
  cost: 'minmax(168px, 0.8fr)',
  time: '84px',
};
/** The next page is asked for when the reader is so many rows from the end. */
const AHEAD_ROWS = 25;

/** Rows of a table that may be endless: only those in sight are in the document. */
export function OperationList({ operations, columns, isLoading, hasMore, onEnd, onOpen }: Props) {
  const { symbol } = useChain();
  const known = useKnown();
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const rowPx = isWide ? ROW_PX.wide : ROW_PX.narrow;
  const top = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset(top.current?.offsetTop ?? 0), [operations.length]);
  const rows = useWindowVirtualizer({
    count: operations.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: offset,
  });
  useEffect(() => rows.measure(), [rows, rowPx]);
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useLayoutEffect(() => {
    if (hasMore && !isLoading && last >= operations.length - AHEAD_ROWS) onEnd();
  }, [hasMore, isLoading, last, operations.length, onEnd]);
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
        <div ref={top} role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {items.map((item) => {
            const operation = operations[item.index];
            return (
              operation && (
                <Row
                  key={item.key}
                  {...{ operation, columns, known, symbol, rowPx, onOpen }}
                  place={item.index}
                  topPx={item.start - offset}
                />
              )
            );
          })}
        </div>
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

const HEADS = { state: 'State', ...COLUMNS, time: 'Time' };

interface RowProps {
  readonly operation: OperationSummary;
  readonly columns: readonly Column[];
  readonly known: Known;
  readonly symbol: string;
  readonly rowPx: number;
  /** From 0. */
  readonly place: number;
  readonly topPx: number;
  readonly onOpen: (operation: OperationSummary) => void;
}

/**
 * A row that stays in sight is not made anew while the reader scrolls. Its texts on hover are the browser's own: a list
 * that is scrolled fast makes a thousand rows a second.
 */
const Row = memo(function Row({ operation, columns, known, symbol, rowPx, place, topPx, onOpen }: RowProps) {
  const { createdAt } = operation;
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      className={`${classes.row} ${classes.body}`}
      style={{ height: rowPx, transform: `translateY(${topPx}px)` }}
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
      <div role="cell" className={classes.time}>
        <time dateTime={createdAt} className="numbers" title={`${localTime(createdAt)}, ${utcTime(createdAt)}`}>
          {relativeTime(createdAt, Date.now())}
        </time>
      </div>
    </div>
  );
});

function Cells({ operation, columns, known, symbol }: Pick<RowProps, 'operation' | 'columns' | 'known' | 'symbol'>) {
  const { sender, call, message, bundler, entryPointVersion } = operation;
  const { contract, method, policy, payment } = rowTexts(operation, known, Date.now());
  const cell = (text: string, title: string | null | undefined = text): ReactNode => (
    <span title={title ?? text}>{text}</span>
  );
  const contents: Readonly<Record<Column, ReactNode>> = {
    contract: cell(contract, call && `${contract} ${call.to}`),
    method: cell(method),
    policy: cell(policy, message ?? bundler?.message),
    payment: cell(payment),
    sender: (
      <span className="mono" title={sender}>
        {shortHex(sender)}
      </span>
    ),
    version: cell(`v${entryPointVersion}`),
    cost: <Cost operation={operation} symbol={symbol} />,
  };
  return columns.map((column) => (
    <div key={column} role="cell" className={classes[column]}>
      {contents[column]}
    </div>
  ));
}

function Cost({ operation: { costWei, isPaid }, symbol }: Pick<RowProps, 'operation' | 'symbol'>) {
  const usd = usdOf(costWei ?? 0n, useContext(CoinPrice));
  if (costWei === null) return <span className={classes.dimmed}>nothing</span>;
  const exact = [exactAmount(costWei, symbol), usd].filter(Boolean).join(' = ');
  return (
    <span className="numbers" title={isPaid ? exact : `at most ${exact}`}>
      {!isPaid && 'at most '}
      {shortAmount(costWei, symbol)} {usd && <small className={classes.dimmed}>{usd}</small>}
    </span>
  );
}
