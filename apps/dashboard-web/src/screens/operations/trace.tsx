import { Button, Group, List, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { Operation } from '../../api/queries';
import { grouped } from '../../format/amount';
import { Icon } from '../../ui/icon';

const MARKS = {
  pass: { icon: 'check', color: 'green', word: 'passed' },
  refuse: { icon: 'cross', color: 'red', word: 'refused' },
  skip: { icon: 'skip', color: 'gray', word: 'did not apply' },
} as const;

/** The rules in the order in which they were asked. Those that did not apply are hidden until asked for. */
export function Trace({ lines }: { readonly lines: Operation['trace'] }) {
  const [showsAll, setShowsAll] = useState(false);
  if (!lines?.length) {
    return (
      <Text size="sm" c="dimmed">
        No rule was looked at.
      </Text>
    );
  }
  const shown = showsAll ? lines : lines.filter(({ outcome }) => outcome !== 'skip');
  const hidden = lines.length - shown.length;
  return (
    <>
      <List spacing={4} size="sm" listStyleType="none" withPadding={false}>
        {shown.map(({ rule, input, outcome }, index) => {
          const { icon, color, word } = MARKS[outcome];
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
                {readable(wordsOf(rule))}
                {outcome === 'pass' ? <VisuallyHidden> {word}</VisuallyHidden> : ` ${word}`}
              </Text>
              {input && (
                <Text size="sm" span c="dimmed" className="breaks">
                  {': '}
                  {readable(input)}
                </Text>
              )}
            </List.Item>
          );
        })}
      </List>
      {(hidden > 0 || showsAll) && (
        <Group mt="xs">
          <Button size="compact-xs" variant="subtle" onClick={() => setShowsAll(!showsAll)}>
            {showsAll
              ? 'Hide the rules that did not apply'
              : hidden === 1
                ? 'Show the rule that did not apply'
                : `Show ${hidden} rules that did not apply`}
          </Button>
        </Group>
      )}
    </>
  );
}

/** `noDelegateCall` as words: `No delegate call`. A name that an owner gave stays as it is. */
function wordsOf(rule: string): string {
  if (!/^[a-z][A-Za-z0-9]*$/.test(rule)) return rule;
  const words = rule
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace('eip7702', 'EIP-7702');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `32646 <= 5000000` as people write it: `32,646 ≤ 5,000,000`. */
function readable(text: string): string {
  return text
    .replace(/(?<![\w.])\d{5,}(?![\w.])/g, grouped)
    .replace(/\b1 (calls|whitelisted methods)\b/g, (_, many: string) => `1 ${many.slice(0, -1)}`)
    .replaceAll('<=', '≤')
    .replaceAll('>=', '≥')
    .replaceAll('!=', '≠');
}
