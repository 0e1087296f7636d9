import { ActionIcon, Anchor, CopyButton, Group } from '@mantine/core';
import { Icon } from './icon';
import { Tooltip } from './tooltip';

interface Props {
  readonly value: string;
  /** What it is, for the copy button's name: `address`, `transaction hash`. */
  readonly of: string;
  /** Where an explorer shows it. */
  readonly href?: string | undefined;
  readonly full?: boolean;
}

/** An address or hash: shortened, whole on hover, to copy. */
export function Hex({ value, of, href, full = false }: Props) {
  const shown = full || value.length <= 14 ? value : `${value.slice(0, 8)}…${value.slice(-6)}`;
  const className = full ? 'mono breaks' : 'mono numbers';
  return (
    <Group gap={2} wrap="nowrap" display="inline-flex" component="span">
      <Tooltip label={<span className="mono breaks">{value}</span>} disabled={full}>
        {href ? (
          <Anchor href={href} target="_blank" rel="noreferrer noopener" className={className} inherit>
            {shown}
          </Anchor>
        ) : (
          <span className={className}>{shown}</span>
        )}
      </Tooltip>
      <Copy value={value} of={of} />
    </Group>
  );
}

/** A button that copies. */
export function Copy({ value, of }: { readonly value: string; readonly of: string }) {
  return (
    <CopyButton value={value} timeout={1_500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${of}`}>
          <ActionIcon
            component="span"
            role="button"
            tabIndex={0}
            variant="subtle"
            color={copied ? 'green' : 'gray'}
            size="sm"
            aria-label={copied ? 'Copied' : `Copy ${of}`}
            onClick={(event) => {
              event.preventDefault();
              event.stopPropagation();
              copy();
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              event.stopPropagation();
              copy();
            }}
          >
            <Icon name={copied ? 'check' : 'copy'} size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
