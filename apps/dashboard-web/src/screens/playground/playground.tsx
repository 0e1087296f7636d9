import { Alert, Button, Card, Code, Group, List, Loader, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { contractsQuery, keyOf, walletQuery } from '../../api/queries';
import { whenReachable } from '../../api/when-reachable';
import { served } from '../../browser/served';
import { explorerLink, useChain, useRole, useScope } from '../../shell/use-scope';
import { Hex } from '../../ui/hex';
import { Icon } from '../../ui/icon';
import { entryPointOf, newestCall } from '../keys/first-call';
import { exampleData, FACTORIES, NO_SIGNATURE } from '../keys/snippet-of';
import type { Exchange, GatewayRefusedError } from './ask-gateway';
import type { DoneStep, Landed } from './land-operation';

/** Its coin is worth nothing either. */
const LOCAL_CHAIN = 31337;
const KEY_LIVES_MS = 10 * 60_000;
const METHODS = [
  ...['eth_call', 'pimlico_getUserOperationGasPrice', 'pm_getPaymasterData'],
  ...['eth_sendUserOperation', 'eth_getUserOperationReceipt'],
];

interface Run {
  readonly titles: readonly string[];
  readonly done: readonly DoneStep[];
  readonly landed?: Landed;
  readonly problem?: { readonly message: string; readonly exchange?: Exchange };
}

/**
 * Lands one operation from the page, of an account whose key the page makes; nothing is shown on chains whose coin is
 * worth something. The page asks the gateway with a publishable key of its own, which may ask for one operation within
 * ten minutes, and which it ends.
 */
export function Playground() {
  const scope = useScope();
  const { mayChangeKeys } = useRole();
  const { chain } = useChain();
  const contracts = useQuery(contractsQuery(scope));
  const wallet = useQuery(walletQuery(scope));
  const queries = useQueryClient();
  const [run, setRun] = useState<Run>();
  const call = newestCall(contracts.data ?? []);
  const isForTrying = chain?.testnet === true || chain?.chainId === LOCAL_CHAIN;
  const entryPoint = chain && entryPointOf('viem', chain, wallet.data?.accounts ?? []);
  if (!isForTrying || !mayChangeKeys || !chain.chainReads || !served.gatewayUrl || !call || !entryPoint) return null;
  const isRunning = run !== undefined && !run.landed && !run.problem;
  const start = async () => {
    setRun({ titles: [], done: [] });
    const headers = headersOf(scope);
    let keyId: string | undefined;
    try {
      const { landOperation, STEPS } = await whenReachable(() => import('./land-operation'));
      setRun({ titles: STEPS, done: [] });
      const key = await contentOf(
        api.POST(`${SDK}/keys`, {
          headers,
          body: {
            ...{ name: `Playground ${new Date().toISOString()}`, kind: 'PUBLISHABLE' },
            ...{ allowedOrigins: [location.origin], allowedMethods: METHODS, bundler: 'sponsored' },
            limits: [{ scope: 'KEY', measure: 'COUNT', amount: '1', cycle: 'DAY' }],
            expiresAt: new Date(Date.now() + KEY_LIVES_MS).toISOString(),
          },
        }),
      );
      ({ keyId } = key);
      const landed = await landOperation({
        url: `${served.gatewayUrl}/api/v1/${chain.chainId}/${key.apiKey}`,
        ...{ chainId: chain.chainId, entryPoint, noSignature: NO_SIGNATURE },
        factory: FACTORIES[entryPoint.version as keyof typeof FACTORIES],
        call: { to: call.to, dataFor: (account) => exampleData(call.signature, account) },
        onDone: (step) => setRun((now) => now && { ...now, done: [...now.done, step] }),
      });
      setRun((now) => now && { ...now, landed });
    } catch (error) {
      const message = error instanceof Error ? error.message : 'It failed.';
      // Its class is in the script that is loaded when the first operation is.
      const { exchange } = error as Partial<GatewayRefusedError>;
      setRun((now) => now && { ...now, problem: { message, ...(exchange && { exchange }) } });
    } finally {
      // Where this fails, the key ends by itself.
      const path = keyId && { path: { keyId } };
      if (path) await api.DELETE(`${SDK}/keys/{keyId}`, { params: path, headers }).catch(() => undefined);
      void queries.invalidateQueries({ queryKey: keyOf(scope) });
    }
  };
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Try it from this page
        </Title>
        <Text size="sm" className="breaks">
          This page makes a new account, has it call {call.signature}, and lets your paymaster pay. The coin of{' '}
          {chain.name} is worth nothing. The key of the account is forgotten with this page.
        </Text>
        <Group>
          <Button onClick={() => void start()} loading={isRunning}>
            {run ? 'Land another operation' : 'Land an operation now'}
          </Button>
        </Group>
        {run && <Steps run={run} />}
        {run?.landed && <Result landed={run.landed} />}
      </Stack>
    </Card>
  );
}

function Steps({ run: { titles, done, problem } }: { readonly run: Run }) {
  const shown = titles.slice(0, done.length + 1);
  return (
    <List type="ordered" spacing="sm" aria-label="Steps of the operation" aria-live="polite">
      {shown.map((title, at) => {
        const step = done[at];
        return (
          <List.Item
            key={title}
            icon={
              step ? <Icon name="check" /> : problem ? <Icon name="cross" /> : <Loader size={16} aria-hidden="true" />
            }
          >
            <Text fw={600} size="sm">
              {title}
            </Text>
            {step && (
              <Text size="sm" className="breaks">
                {step.says}
              </Text>
            )}
            {!step && problem && (
              <Text size="sm" role="alert" className="breaks">
                {problem.message}
              </Text>
            )}
            {(step?.exchanges ?? [problem?.exchange]).map(
              (exchange, index) => exchange && <Json key={index} exchange={exchange} of={title} />,
            )}
          </List.Item>
        );
      })}
    </List>
  );
}

function Json({ exchange: { request, answer }, of }: { readonly exchange: Exchange; readonly of: string }) {
  return (
    <details>
      <summary aria-label={`JSON of: ${of}`}>JSON</summary>
      <Code block tabIndex={0} aria-label={`What was said: ${of}`}>
        {`${JSON.stringify(request, null, 2)}\n\n${JSON.stringify(answer, null, 2)}`}
      </Code>
    </details>
  );
}

function Result({ landed: { userOpHash, transactionHash, success } }: { readonly landed: Landed }) {
  const { accountId, paymasterId } = useScope();
  const { chain } = useChain();
  return (
    <Alert
      color={success ? 'green' : 'yellow'}
      icon={<Icon name={success ? 'check' : 'warning'} />}
      title={success ? 'It landed, and you paid for it' : 'It landed, but its call failed'}
    >
      <Stack gap={4}>
        <Text size="sm">
          Operation <Hex value={userOpHash} of="operation hash" /> in transaction{' '}
          <Hex value={transactionHash} of="transaction hash" href={explorerLink(chain, 'tx', transactionHash)} />
        </Text>
        <Group>
          <Button
            component={Link}
            to={`/a/${accountId}/p/${paymasterId}/operations`}
            search={{ hash: userOpHash } as never}
            size="xs"
            variant="default"
          >
            Open the operation
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
