import { Button, Group, List, Stack, Text, ThemeIcon } from '@mantine/core';
import { useState } from 'react';
import type { Operation } from '../../api/queries';
import { traceSentence } from '../../policy/trace-sentence';
import { useChain } from '../../shell/use-scope';
import { Icon } from '../../ui/icon';

type Lines = NonNullable<Operation['trace']>;

const MARKS = {
  pass: { icon: 'check', color: 'green', are: 'passed' },
  refuse: { icon: 'cross', color: 'red', are: 'refused it' },
  skip: { icon: 'skip', color: 'gray', are: 'did not apply' },
  other: { icon: 'skip', color: 'gray', are: 'in other policies did not allow it' },
} as const;
type Outcome = Lines[number]['outcome'];

interface Props {
  readonly lines: Operation['trace'];
  /** Whether it is allowed: what some policies did not allow is no refusal then. */
  readonly isSponsored: boolean;
}

/** What refused, in sentences. The rules that passed, and those that did not apply, are folded until asked for. */
export function Trace({ lines, isSponsored }: Props) {
  if (!lines?.length) {
    return (
      <Text size="sm" c="dimmed">
        No rule was looked at.
      </Text>
    );
  }
  const of = (outcome: Outcome) => lines.filter((line) => line.outcome === outcome);
  return (
    <Stack gap="xs">
      {isSponsored ? <Folded lines={of('refuse')} outcome="other" /> : <Sentences lines={of('refuse')} />}
      <Folded lines={of('pass')} outcome="pass" />
      <Folded lines={of('skip')} outcome="skip" />
    </Stack>
  );
}

function Folded({ lines, outcome }: { readonly lines: Lines; readonly outcome: keyof typeof MARKS }) {
  const [isOpen, setIsOpen] = useState(false);
  if (lines.length === 0) return null;
  const { are } = MARKS[outcome];
  return (
    <div>
      <Group gap="xs">
        <Text size="sm">
          {lines.length === 1 ? '1 rule' : `${lines.length} rules`} {are}.
        </Text>
        <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'} what {are}
        </Button>
      </Group>
      {isOpen && <Sentences lines={lines} as={outcome} />}
    </div>
  );
}

/** In the order in which the rules were asked. */
function Sentences({ lines, as }: { readonly lines: Lines; readonly as?: keyof typeof MARKS }) {
  const { symbol } = useChain();
  if (lines.length === 0) return null;
  return (
    <List spacing={4} size="sm" listStyleType="none" withPadding={false}>
      {lines.map((line, index) => {
        const outcome = as ?? line.outcome;
        const { icon, color } = MARKS[outcome];
        return (
          <List.Item
            key={index}
            icon={
              <ThemeIcon size="sm" variant="light" color={color} radius="xl">
                <Icon name={icon} size={12} />
              </ThemeIcon>
            }
          >
            <Text size="sm" span fw={outcome === 'refuse' ? 700 : 400} className="breaks">
              {traceSentence(line, symbol)}
            </Text>
          </List.Item>
        );
      })}
    </List>
  );
}
