import { Anchor, Container } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/empty';

export function NotFoundScreen() {
  return (
    <Container size="sm" py="xl">
      <Empty
        title="There is no such screen"
        action={
          <Anchor component={Link} to="/">
            To the start page
          </Anchor>
        }
      >
        The address may be misspelt, or the screen may have moved.
      </Empty>
    </Container>
  );
}
