import { Button, Group } from '@mantine/core';
import { useMemo } from 'react';
import { ApiError } from '../api/api-error';
import { freeName } from '../format/free-name';
import { Problem } from './problem';

interface Props {
  readonly error: unknown;
  readonly what: string;
  /** The name of a paymaster that was tried. */
  readonly name: string;
  readonly onPropose: (name: string) => void;
}

/** What went wrong when a paymaster got its name. Where the name is taken, another one is proposed. */
export function NameProblem({ error, what, name, onPropose }: Props) {
  const isTaken = error instanceof ApiError && error.message === 'paymaster_name_exists';
  const proposed = useMemo(() => freeName(name), [name]);
  return (
    <>
      <Problem error={error} what={what} />
      {isTaken && (
        <Group>
          <Button size="xs" variant="default" onClick={() => onPropose(proposed)}>
            Use “{proposed}”
          </Button>
        </Group>
      )}
    </>
  );
}
