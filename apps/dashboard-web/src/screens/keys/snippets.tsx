import { Alert, Box, Code, Group, NativeSelect, SegmentedControl, Stack, Text, Title, useMatches } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { mainKeysQuery, paymastersQuery } from '../../api/queries';
import { served } from '../../browser/served';
import { useRole, useScope } from '../../shell/use-scope';
import { Copy } from '../../ui/hex';
import { Load } from '../../ui/load';
import { SDKS, snippetOf, type Sdk } from './snippet-of';

/** The code that an app needs, with this paymaster's URL in it. */
export function Snippets() {
  const scope = useScope();
  const { maySeeSecrets } = useRole();
  const { sdk } = useSearch({ strict: false }) as { sdk?: string };
  const navigate = useNavigate();
  const keys = useQuery({ ...mainKeysQuery(scope), enabled: maySeeSecrets });
  const { data: paymasters } = useQuery(paymastersQuery(scope.accountId));
  const paymaster = paymasters?.find((each) => each.paymasterId === scope.paymasterId);
  const chosen: Sdk = SDKS.find(({ value }) => value === sdk)?.value ?? 'viem';
  const isNarrow = useMatches({ base: true, xs: false });
  const choices = SDKS.map(({ value, label }) => ({ value, label }));
  const choose = (value: string) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, sdk: value }) as never,
      replace: true,
      resetScroll: false,
    });
  if (!maySeeSecrets) return <Text>Only owners and editors of the account see keys.</Text>;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Your app’s code
      </Title>
      <Group>
        {isNarrow ? (
          <NativeSelect
            value={chosen}
            data={choices}
            onChange={(event) => choose(event.currentTarget.value)}
            aria-label="SDK"
          />
        ) : (
          <SegmentedControl value={chosen} data={choices} onChange={choose} aria-label="SDK" />
        )}
      </Group>
      {!served.gatewayUrl && (
        <Alert color="yellow" title="The gateway’s address is not known to this page">
          Put the address of your gateway in place of https://gateway.example.org. The operator can set
          PUBLIC_GATEWAY_URL, then it stands here.
        </Alert>
      )}
      <Load of={keys} what="The key">
        {(list) => {
          const key = list.find((each) => each.name === paymaster?.name && each.chainId === paymaster.chainId);
          if (!key) return <Text c="dimmed">The key of this paymaster was not found.</Text>;
          const code = snippetOf(chosen, {
            gateway: served.gatewayUrl || 'https://gateway.example.org',
            chainId: key.chainId,
            apiKey: key.apiKey,
          });
          return (
            <Box pos="relative">
              <Code block tabIndex={0} aria-label="Snippet" style={{ paddingRight: 44 }}>
                {code}
              </Code>
              <div className="corner">
                <Copy value={code} of="the snippet" />
              </div>
            </Box>
          );
        }}
      </Load>
      <Text size="sm" c="dimmed">
        The key in this code is secret. For code that runs in browsers, make a publishable key, which works for your
        origins only.
      </Text>
    </Stack>
  );
}
