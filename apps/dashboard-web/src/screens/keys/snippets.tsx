import {
  Alert,
  Box,
  Code,
  Group,
  Loader,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  Title,
  useMatches,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { contractsQuery, walletQuery, type Schemas } from '../../api/queries';
import { served } from '../../browser/served';
import { useChain, useRole, useScope } from '../../shell/use-scope';
import { Copy } from '../../ui/hex';
import { Load } from '../../ui/load';
import { entryPointOf, holds, newestCall } from './first-call';
import { ShowMainKey } from './main-key-card';
import { DEMO_CALLS, SDKS, snippetOf, type Sdk } from './snippet-of';
import type { MainKey } from './use-main-key';

/** Stands in the code in place of the main key, until somebody asks to see that. */
const NOT_SHOWN = 'YOUR_MAIN_KEY';

/** A whole script for an app: with this paymaster's URL, its chain, and the method that was registered last. */
export function Snippets({ mainKey }: { readonly mainKey: MainKey }) {
  const scope = useScope();
  const { maySeeSecrets } = useRole();
  const { sdk } = useSearch({ strict: false }) as { sdk?: string };
  const navigate = useNavigate();
  const contracts = useQuery(contractsQuery(scope));
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
  if (!maySeeSecrets) return <Text>Your role does not let you see keys. Ask an owner of the account.</Text>;
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
          Put the address of your gateway in place of https://gateway.example.org. It stands here once the operator has
          set it (PUBLIC_GATEWAY_URL).
        </Alert>
      )}
      <Load of={contracts} what="The contracts">
        {(registered) => <Script sdk={chosen} mainKey={mainKey} contracts={registered} />}
      </Load>
      <Text size="sm" c="dimmed">
        The main key is secret. For code that runs in browsers, make a publishable key, which works for your origins
        only.
      </Text>
    </Stack>
  );
}

interface ScriptProps {
  readonly sdk: Sdk;
  readonly mainKey: MainKey;
  readonly contracts: readonly Schemas['SmartContractView'][];
}

/** The script, and what it still needs before it lands. */
function Script({ sdk, mainKey, contracts }: ScriptProps) {
  const wallet = useQuery(walletQuery(useScope()));
  const { chain } = useChain();
  if (!chain || wallet.isPending) return <Loader size="sm" />;
  // Where the deposits cannot be read, nothing is said of them.
  const deposits = wallet.data?.accounts;
  const registered = newestCall(contracts);
  const call = registered ?? DEMO_CALLS[chain.chainId];
  const entryPoint = entryPointOf(sdk, chain, deposits ?? []);
  if (!call) {
    return <Text>You sponsor no method yet. Register a contract and pick one: then the code stands here.</Text>;
  }
  if (!entryPoint) {
    return <Text>This SDK has no account for the EntryPoints of {chain.name}. Choose another one.</Text>;
  }
  const code = snippetOf(sdk, {
    gateway: served.gatewayUrl || 'https://gateway.example.org',
    ...{ apiKey: mainKey.apiKey ?? NOT_SHOWN, chain, entryPoint, call },
  });
  return (
    <>
      {!registered && (
        <Alert color="yellow" title="You sponsor no method yet">
          This code calls a contract for trying, at <span className="mono breaks">{call.to}</span>. It is refused until
          you register that contract and pick its method <span className="mono">{call.signature}</span>.
        </Alert>
      )}
      {deposits && !deposits.some((each) => holds(each, entryPoint.version)) && (
        <Alert color="yellow" title={`Nothing is deposited for EntryPoint v${entryPoint.version}`}>
          The account of this code is of EntryPoint v{entryPoint.version}. It is refused until the wallet has a deposit
          there.
        </Alert>
      )}
      <Group gap="xs">
        <ShowMainKey
          mainKey={mainKey}
          labels={['Put the main key into the code', 'Take the main key out of the code']}
        />
        {!mainKey.apiKey && <Text size="sm">The code runs once the main key stands in it.</Text>}
      </Group>
      <Box pos="relative">
        <Code block tabIndex={0} aria-label="Code of your app" style={{ paddingRight: 44 }}>
          {code}
        </Code>
        <div className="corner">
          <Copy value={code} of="the code of your app" />
        </div>
      </Box>
    </>
  );
}
