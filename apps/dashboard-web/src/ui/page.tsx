import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** The question that the screen answers. */
  readonly sub?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a screen: title, what it is for, what can be done. */
export function Page({ title, sub, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Paymaster`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box flex="1 1 260px">
          <Title order={1} size="h2">
            {title}
          </Title>
          {sub && <Text c="dimmed">{sub}</Text>}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
