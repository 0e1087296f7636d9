import { List, Text } from '@mantine/core';
import { useFolded } from './folded';

interface Props {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** What is said where both are the same. */
  readonly same: string;
}

/** More say what was made, not what of it changed. */
const MOST_LINES = 6;

/** What went is struck out, what came is bold; the first of many lines. */
export function Difference({ before, after, same }: Props) {
  const gone = before.filter((line) => !after.includes(line)).map((line) => ({ line, isGone: true }));
  const come = after.filter((line) => !before.includes(line)).map((line) => ({ line, isGone: false }));
  const { shown, more } = useFolded([...gone, ...come], MOST_LINES, 'lines');
  return (
    <>
      <List size="sm" mt={4} listStyleType="none" withPadding={false}>
        {shown.map(({ line, isGone }) => (
          <List.Item key={`${isGone} ${line}`} className="breaks">
            {isGone ? (
              <Text size="sm" component="del" c="dimmed">
                {line}
              </Text>
            ) : (
              <Text size="sm" component="ins" td="none" fw={500}>
                {line}
              </Text>
            )}
          </List.Item>
        ))}
        {shown.length === 0 && <List.Item>{same}</List.Item>}
      </List>
      {more}
    </>
  );
}
