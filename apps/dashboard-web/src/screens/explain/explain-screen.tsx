import { Button, Card, Group, NativeSelect, Stack, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import type { Schemas } from '../../api/queries';
import { useChain, useScope } from '../../shell/use-scope';
import { Empty } from '../../ui/empty';
import { Form } from '../../ui/form';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { Explanation } from './explanation';
import { OpenKnown } from './open-known';
import { readOperationText, readReference } from './read-operation-text';

type Question = Schemas['ExplainDto'];

/** What a gateway would answer to an operation now, and why. Nothing is held, signed or recorded. */
export function ExplainScreen() {
  const scope = useScope();
  const { chain } = useChain();
  const [text, setText] = useState('');
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
  return (
    <Page
      title="Explain"
      sub="Would this operation be sponsored, and why? A gateway answers; nothing is held, signed or recorded."
    >
      <Card>
        <Form
          onSubmit={() => {
            if (question) explain.mutate({ ...question, ...(entryPoint && { entryPoint }) });
          }}
        >
          <Stack>
            <Textarea
              label="Operation"
              description="The JSON of a user operation, or the whole JSON-RPC request that an app sends. The hash or id of an operation that was asked for before opens it."
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
    </Page>
  );
}
