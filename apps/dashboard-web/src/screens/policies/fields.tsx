import { ActionIcon, Box, Grid, Group, Stack, Switch, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useContext, useState, type ReactNode } from 'react';
import { formatUnits, isAddress } from 'viem';
import { parseCoins } from '../../format/amount';
import { usdOf } from '../../format/usd';
import { CoinPrice } from '../../ui/coin-price';
import { Icon } from '../../ui/icon';

interface RuleProps {
  readonly title: string;
  /** What the rule, as it stands, does. */
  readonly says: string | undefined;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly children: ReactNode;
}

/** One rule of the editor: a switch, its fields, and a sentence beside that says what it does. */
export function Rule({ title, says, isOn, onToggle, children }: RuleProps) {
  return (
    <Box component="section" py="sm" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, sm: 7 }}>
          <Stack gap="xs">
            <Switch
              checked={isOn}
              onChange={(event) => onToggle(event.currentTarget.checked)}
              label={
                <Title order={3} size="h5">
                  {title}
                </Title>
              }
            />
            {isOn && children}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 5 }}>
          <Text size="sm" c="dimmed" className="breaks" aria-live="polite">
            {isOn ? says : 'Not limited.'}
          </Text>
        </Grid.Col>
      </Grid>
    </Box>
  );
}

interface CoinProps {
  readonly label: string;
  readonly symbol: string;
  readonly wei: string;
  readonly onChange: (wei: string) => void;
}

/** An amount in whole coins; what is stored is wei. */
export function CoinInput({ label, symbol, wei, onChange }: CoinProps) {
  const [text, setText] = useState(() => (/^\d+$/.test(wei) ? formatUnits(BigInt(wei), 18) : ''));
  const parsed = parseCoins(text);
  const usd = usdOf(parsed ?? 0n, useContext(CoinPrice));
  return (
    <TextInput
      label={`${label}, in ${symbol}`}
      value={text}
      inputMode="decimal"
      description={usd && `${usd} now`}
      error={parsed === undefined && `An amount such as 0.25, in ${symbol}`}
      onChange={(event) => {
        setText(event.currentTarget.value);
        const next = parseCoins(event.currentTarget.value);
        if (next !== undefined) onChange(next.toString());
      }}
    />
  );
}

interface LinesProps {
  readonly label: string;
  readonly description?: string;
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
  /** What is wrong with an entry; undefined where nothing is. */
  readonly problemOf?: (entry: string) => string | undefined;
  readonly isDisabled?: boolean;
}

/** A list of texts without spaces, one in each line. */
export function LineList(props: LinesProps) {
  const { label, description = 'One in each line', value, onChange, problemOf, isDisabled = false } = props;
  const [text, setText] = useState(() => value.join('\n'));
  const entries = (typed: string) => typed.split(/[\s,]+/).filter(Boolean);
  const problem = problemOf && entries(text).map(problemOf).find(Boolean);
  return (
    <Textarea
      label={label}
      description={description}
      value={text}
      error={problem}
      disabled={isDisabled}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(entries(event.currentTarget.value));
      }}
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
    />
  );
}

/** A list of addresses, one in each line. */
export function AddressList(props: Omit<LinesProps, 'description' | 'problemOf'>) {
  return (
    <LineList
      {...props}
      description="One address in each line"
      problemOf={(entry) =>
        isAddress(entry, { strict: false }) ? undefined : `“${entry}” is no address: it is 0x and 40 hex digits.`
      }
    />
  );
}

interface TimeProps {
  readonly label: string;
  readonly seconds: number | null | undefined;
  readonly onChange: (seconds: number | null) => void;
}

/** A time in the reader's zone; what is stored is unix seconds. */
export function TimeInput({ label, seconds, onChange }: TimeProps) {
  const shown = seconds == null ? '' : localInput(new Date(seconds * 1_000));
  return (
    <TextInput
      type="datetime-local"
      label={`${label} (your time)`}
      value={shown}
      onChange={(event) => {
        const time = new Date(event.currentTarget.value).getTime();
        onChange(Number.isNaN(time) ? null : Math.floor(time / 1_000));
      }}
    />
  );
}

function localInput(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface RowProps {
  readonly onRemove: () => void;
  readonly label: string;
  readonly children: ReactNode;
}

/** A row of a list that can be removed. */
export function Removable({ onRemove, label, children }: RowProps) {
  return (
    <Group align="flex-end" gap="xs">
      {children}
      <ActionIcon variant="subtle" color="red" size="lg" onClick={onRemove} aria-label={label}>
        <Icon name="cross" />
      </ActionIcon>
    </Group>
  );
}
