import { Badge } from '@mantine/core';
import type { LoggedRequest } from '../../api/queries';
import { OUTCOMES } from './to-request-filter';

export function OutcomeBadge({ outcome }: Pick<LoggedRequest, 'outcome'>) {
  return (
    <Badge variant="light" color={OUTCOMES[outcome].color} tt="none">
      {OUTCOMES[outcome].label}
    </Badge>
  );
}
