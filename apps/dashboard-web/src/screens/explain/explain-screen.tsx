import { Alert, Button, Card, Group, NativeSelect, Stack, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { requestQuery, type Schemas } from '../../api/queries';
import { useChain, useScope } from '../../shell/use-scope';
import { Empty } from '../../ui/empty';
import { Form } from '../../ui/form';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { Explanation } from './explanation';
import { OpenKnown } from './open-known';
import { readOperationText, readReference } from './read-operation-text';

type Question = Schemas['ExplainDto'];

/** What a gateway would answer to an operation now, and why. Nothing is held, signed or recorded. */
export function ExplainScreen() {
  const { request } = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/explain' });
  return (
    <Page
      title="Explain"
      sub="Would this operation be sponsored, and why? A gateway answers; nothing is held, signed or recorded."
    >
      {request ? <OfRequest key={request} entryId={request} /> : <Ask key="new" />}
    </Page>
  );
}

/** The operation of a request that was logged, asked about anew. */
function OfRequest({ entryId }: { readonly entryId: string }) {
  const request = useQuery({ ...requestQuery(useScope(), entryId), retry: false });
  return (
    <Load of={request} what="The request" height={300}>
      {({ userOperation, entryPoint, requestId }) => (
        <Ask
          text={userOperation ? JSON.stringify({ userOperation, ...(entryPoint && { entryPoint }) }, null, 2) : ''}
          says={
            userOperation
              ? `The operation of the request ${requestId}, as it was sent. The answer is that of now.`
              : `The request ${requestId} was logged without its operation.`
          }
        />
      )}
    </Load>
  );
}

interface AskProps {
  /** What stands there at first, and is asked at once. */
  readonly text?: string;
  readonly says?: string;
}

function Ask({ text: first = '', says }: AskProps) {
  const scope = useScope();
  const { chain } = useChain();
  const [text, setText] = useState(first);
  const [entryPoint, setEntryPoint] = useState('');
  const reference = readReference(text);
  const read = text.trim() === '' || reference ? undefined : readOperationText(text);
  const question = read && 'question' in read ? read.question : undefined;
  const explain = useMutation({
    mutationFn: async (asked: Question) => ({
      asked,
      answer: await contentOf(api.POST(`${SDK}/explain`, { headers: headersOf(scope), body: asked })),
    }),
  });
  const { mutate } = explain;
  useEffect(() => {
    const asked = first === '' ? undefined : readOperationText(first);
    if (asked && 'question' in asked) mutate(asked.question);
  }, [first, mutate]);
  return (
    <>
      {says && <Alert color="blue">{says}</Alert>}
      <Card>
        <Form
          onSubmit={() => {
            if (question) explain.mutate({ ...question, ...(entryPoint && { entryPoint }) });
          }}
        >
          <Stack>
            <Textarea
              label="Operation"
              description="The JSON of an operation, or the whole JSON-RPC request that an app sends. The hash or id of an operation that was asked for before opens it."
              placeholder='{ "sender": "0x…", "nonce": "0x0", "callData": "0x…", … }'
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value);
                explain.reset();
              }}
              error={read && 'problem' in read && read.problem}
              autosize
              minRows={6}
              maxRows={20}
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            />
            <Group align="flex-end">
              <NativeSelect
                label="EntryPoint"
                value={entryPoint}
                data={[
                  { value: '', label: 'As the request says, or its fields' },
                  ...(chain?.entryPoints ?? []).map(({ version, address }) => ({
                    value: address,
                    label: `v${version}`,
                  })),
                ]}
                onChange={(event) => setEntryPoint(event.currentTarget.value)}
              />
              <Button type="submit" loading={explain.isPending} disabled={!question}>
                Explain
              </Button>
            </Group>
            {reference && <OpenKnown reference={reference} />}
            {explain.error && <Problem error={explain.error} what="The operation was not explained" />}
          </Stack>
        </Form>
      </Card>
      {explain.data ? (
        <Explanation asked={explain.data.asked} answer={explain.data.answer} />
      ) : (
        <Card>
          <Empty title="Nothing was asked yet">
            Paste what your app sends to the gateway, for instance from the network log of the browser. You see what it
            calls, each rule that was looked at, and what it would cost.
          </Empty>
        </Card>
      )}
    </>
  );
}
