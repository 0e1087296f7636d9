import { Checkbox, Stack } from '@mantine/core';
import { RefusedBySomeError } from '../../api/api-error';
import type { Schemas } from '../../api/queries';
import { useSiblings } from './use-siblings';

interface Props {
  /** What is made, as in `policy`. */
  readonly what: string;
  /** Ids of paymasters. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
}

/** The other paymasters of the project, of which each may get the same. Nothing is shown outside of projects. */
export function AlsoOn({ what, chosen, onChange }: Props) {
  const siblings = useSiblings();
  if (siblings.length === 0) return null;
  return (
    <Checkbox.Group
      label="Also on these chains"
      description={`The same ${what} for other paymasters of the project. To send it again changes nothing where it is already.`}
      value={[...chosen]}
      onChange={onChange}
    >
      <Stack gap={6} mt={4}>
        {siblings.map(({ paymasterId, label }) => (
          <Checkbox key={paymasterId} value={paymasterId} label={label} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/**
 * @param labelled the paymasters that were asked, by name
 * @throws {RefusedBySomeError} naming each that refused, with its reason
 */
export function assertNoneRefused(
  outcomes: readonly Schemas['OutcomeView'][],
  labelled: ReadonlyMap<string, string>,
): void {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return;
  const sentences = refused.map(
    ({ paymasterId, message }) => `${labelled.get(paymasterId) ?? 'This paymaster'}: ${message ?? 'refused'}.`,
  );
  const others = outcomes.length - refused.length;
  throw new RefusedBySomeError(
    `${sentences.join(' ')} ${others === 0 ? 'Nothing was changed.' : `The other${others === 1 ? '' : ` ${others}`} ${others === 1 ? 'has' : 'have'} it.`}`,
  );
}
