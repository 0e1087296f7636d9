import { Anchor, Badge, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { auditPagesQuery, chainsQuery, paymastersQuery, type AuditEntry } from '../../api/queries';
import { actorName } from '../../audit/actor-name';
import { linesOf } from '../../audit/lines-of';
import { useKnownActors } from '../../audit/use-known-actors';
import { useRole, useScope } from '../../shell/use-scope';
import { Difference } from '../../ui/difference';
import { Empty } from '../../ui/empty';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Older } from '../../ui/older';
import { Page } from '../../ui/page';
import { When } from '../../ui/when';
import { AuditFilters } from './audit-filters';
import { SUBJECTS, toAuditFilter } from './to-audit-filter';

const COLORS = { created: 'green', updated: 'blue', deleted: 'red' } as const;

/** Who changed what of the account and its paymasters. */
export function AuditScreen() {
  const { roleName, mayReadAudit } = useRole();
  return (
    <Page title="Audit log" sub="Who changed what of the account and its paymasters, newest first.">
      {mayReadAudit ? (
        <Changes />
      ) : (
        <Empty title="Your role does not see who changed what">
          Your role here is {roleName}. Ask an owner of the account.
        </Empty>
      )}
    </Page>
  );
}

function Changes() {
  const { accountId } = useScope();
  const search = useSearch({ from: '/signed-in/a/$accountId/audit-log' });
  const navigate = useNavigate();
  const filter = useMemo(() => toAuditFilter(search), [search]);
  const pages = useInfiniteQuery(auditPagesQuery(accountId, filter));
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  return (
    <>
      <AuditFilters />
      <Card>
        <Load of={pages} what="The changes" height={300}>
          {({ pages: list }) =>
            list.every(({ entries }) => entries.length === 0) ? (
              <Empty
                title={hasFilter ? 'No change fits this filter' : 'Nothing was changed yet'}
                action={
                  hasFilter && (
                    <Button variant="default" onClick={() => void navigate({ to: '.', search: {} })}>
                      Clear the filter
                    </Button>
                  )
                }
              >
                {hasFilter ? 'Choose a longer period, or fewer conditions.' : 'The next change appears here.'}
              </Empty>
            ) : (
              <Stack gap="lg">
                {list.flatMap(({ entries }, page) =>
                  entries.map((entry, index) => <Change key={`${page}-${index}`} entry={entry} />),
                )}
                <Older of={pages} what="changes" />
              </Stack>
            )
          }
        </Load>
      </Card>
    </>
  );
}

function Change({ entry }: { readonly entry: AuditEntry }) {
  const { accountId } = useScope();
  const { data: paymasters } = useQuery(paymastersQuery(accountId));
  const { data: chains } = useQuery(chainsQuery(accountId));
  const known = useKnownActors();
  const { subject, subjectId, action, at, before, after, paymasterId } = entry;
  const paymaster = paymasters?.find((each) => each.paymasterId === paymasterId);
  const symbol = chains?.find(({ chainId }) => chainId === paymaster?.chainId)?.nativeSymbol ?? 'ETH';
  const { name } = (after ?? before ?? {}) as { name?: unknown };
  /** Nothing of the key was changed: somebody asked to see it. */
  const wasShown = subject === 'apiKey' && after !== null && 'shownAt' in after;
  return (
    <div>
      <Group gap="xs">
        <Badge variant="light" color={COLORS[action]} tt="none">
          {wasShown ? 'shown' : action}
        </Badge>
        <Text fw={600} className="breaks">
          {SUBJECTS[subject]} {typeof name === 'string' && `“${name}”`}
        </Text>
        <Hex value={subjectId} of="id" />
      </Group>
      <Text size="sm" className="breaks">
        <When iso={at} />, by {actorName(entry, known)}
        {paymasterId && (
          <>
            , of{' '}
            <Anchor component={Link} to={`/a/${accountId}/p/${paymasterId}`} inherit underline="always">
              {paymaster?.name ?? 'a paymaster'}
            </Anchor>
          </>
        )}
      </Text>
      <Difference
        before={linesOf(subject, before, symbol)}
        after={linesOf(subject, after, symbol)}
        same="What was changed is not shown."
      />
    </div>
  );
}
