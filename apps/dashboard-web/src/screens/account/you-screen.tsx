import { Card, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/queries';
import { Hex } from '../../ui/hex';
import { Page } from '../../ui/page';
import { When } from '../../ui/when';

/** Who is signed in, and until when. */
export function YouScreen() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Page title="You" sub="Who is signed in in this browser.">
      <Card>
        <Stack gap="xs">
          <Text fw={600}>{me.person.name || 'No name yet'}</Text>
          {me.person.walletAddress && <Hex value={me.person.walletAddress} of="address" full />}
          <Text size="sm">
            Signed in <When iso={me.session.createdAt} />. The session ends <When iso={me.session.expiresAt} />.
          </Text>
        </Stack>
      </Card>
    </Page>
  );
}
