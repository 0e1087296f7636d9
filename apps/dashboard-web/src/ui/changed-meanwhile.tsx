import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { spaced } from '../format/spaced';
import { mergeChanges } from '../policy/merge-changes';
import { Difference } from './difference';
import { Icon } from './icon';

interface Props<T> {
  /** As it was when the reader began, as it is stored now, and as the reader has made it. */
  readonly start: T;
  readonly stored: T;
  readonly mine: T;
  /** What each of them says, a line for each fact. */
  readonly linesOf: (value: T) => readonly string[];
  /** What the reader goes on with. */
  readonly onChoose: (value: T) => void;
  /** The choice is saved at once; otherwise it is what the form shows, until the reader saves it. */
  readonly savesChoice?: boolean;
}

/** Somebody else saved what the reader edits: shows the changes of both, and lets the reader choose what to go on with. */
export function ChangedMeanwhile<T extends object>(props: Props<T>) {
  const { start, stored, mine, linesOf, onChoose, savesChoice = false } = props;
  const { merged, both } = mergeChanges(start, stored, mine);
  const lines = linesOf(start);
  const says = (value: T) => JSON.stringify(linesOf(value));
  const isThird = says(merged) !== says(mine) && says(merged) !== says(stored);
  return (
    <Alert color="yellow" title="Somebody changed this while you edited it" icon={<Icon name="warning" />} role="alert">
      <Stack gap="xs">
        <Text size="sm">
          Nothing that you typed is lost.{' '}
          {savesChoice ? 'Choose what is stored.' : 'Choose what to go on with, look at it, and save.'}
        </Text>
        <Text size="sm" fw={600}>
          What is stored now, against what you began with
        </Text>
        <Difference before={lines} after={linesOf(stored)} same="The same." />
        <Text size="sm" fw={600}>
          What you made, against what you began with
        </Text>
        <Difference before={lines} after={linesOf(mine)} same="You have changed nothing yet." />
        {both.length > 0 && <Text size="sm">Both of you changed: {both.map(spaced).join(', ')}.</Text>}
        <Group gap="xs">
          {isThird && (
            <Button size="xs" variant="default" onClick={() => onChoose(merged)}>
              {both.length > 0 ? 'Both changes, mine where they differ' : 'Both changes'}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => onChoose(mine)}>
            {savesChoice ? 'Save mine over it' : 'Mine only'}
          </Button>
          <Button size="xs" variant="default" onClick={() => onChoose(stored)}>
            {savesChoice ? 'Keep what is stored now' : 'What is stored now'}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
