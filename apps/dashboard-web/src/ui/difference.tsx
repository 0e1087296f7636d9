import { List, Text } from '@mantine/core';

interface Props {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** What is said where both are the same. */
  readonly same: string;
}

/** What went is struck out, what came is bold. */
export function Difference({ before, after, same }: Props) {
  const gone = before.filter((line) => !after.includes(line));
  const come = after.filter((line) => !before.includes(line));
  return (
    <List size="sm" mt={4} listStyleType="none" withPadding={false}>
      {gone.map((line) => (
        <List.Item key={`- ${line}`} className="breaks">
          <Text size="sm" component="del" c="dimmed">
            {line}
          </Text>
        </List.Item>
      ))}
      {come.map((line) => (
        <List.Item key={`+ ${line}`} className="breaks">
          <Text size="sm" component="ins" td="none" fw={500}>
            {line}
          </Text>
        </List.Item>
      ))}
      {gone.length + come.length === 0 && <List.Item>{same}</List.Item>}
    </List>
  );
}
