import { Button, FileButton, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { isAddress, type Abi } from 'viem';
import { methodsOf, readAbi } from '../../abi/read-abi';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { contractsQuery } from '../../api/queries';
import { AlsoOn, assertNoneRefused } from '../projects/also-on';
import { useSiblings } from '../projects/use-siblings';
import { useScope } from '../../shell/use-scope';
import { useUnsaved } from '../../ui/edit-dialog';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Problem } from '../../ui/problem';
import { MethodPicker } from './method-picker';

interface Props {
  readonly onDone: () => void;
}

/** Registers a contract: its address, its ABI, and the methods that are sponsored. */
export function ContractForm({ onDone }: Props) {
  const scope = useScope();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const [text, setText] = useState('');
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const siblings = useSiblings();
  const [others, setOthers] = useState<readonly string[]>([]);
  const { abi, problem } = useMemo(() => tryRead(text), [text]);
  const methods = useMemo(() => (abi ? methodsOf(abi) : []), [abi]);
  const trimmed = address.trim();
  const wrongAddress = trimmed === '' ? undefined : problemOfAddress(trimmed);
  useUnsaved(name + address + text !== '');
  const register = useMutation({
    mutationFn: async () => {
      const contract = {
        ...{ name: name.trim(), address: trimmed, abi: JSON.stringify(abi) },
        whitelistedMethods: methods.map(({ signature }) => signature).filter((each) => picked.has(each)),
      };
      if (others.length > 0) {
        const body = { ...contract, paymasterIds: [scope.paymasterId, ...others] };
        const headers = headersOf({ accountId: scope.accountId });
        const outcomes = await contentOf(api.POST(`${SDK}/account/smart-contract`, { headers, body }));
        assertNoneRefused(outcomes, new Map(siblings.map(({ paymasterId, label }) => [paymasterId, label])));
        return outcomes.flatMap(({ warnings }) => warnings);
      }
      const answer = await api.POST(`${SDK}/smart-contract`, { headers: headersOf(scope), body: contract });
      await contentOf(Promise.resolve(answer));
      return answer.data?.warnings ?? [];
    },
    onSuccess: async (warnings) => {
      for (const message of warnings) {
        notifications.show({ color: 'yellow', title: 'Registered, but look again', message, autoClose: false });
      }
      await queries.invalidateQueries({ queryKey: contractsQuery(scope).queryKey });
      onDone();
    },
  });
  const takeText = (value: string) => {
    setText(value);
    setPicked(new Set());
  };
  return (
    <Form onSubmit={() => register.mutate()}>
      <Stack>
        <Group grow preventGrowOverflow={false} align="flex-start">
          <TextInput
            label="Name"
            description="For you and your team"
            data-autofocus
            placeholder="Shop"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            maxLength={100}
            miw={220}
          />
          <TextInput
            label="Address"
            description="Of the contract on this chain"
            placeholder="0x…"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            error={wrongAddress}
            required
            spellCheck={false}
            autoComplete="off"
            miw={280}
          />
        </Group>
        <Textarea
          label="ABI"
          description="JSON, the artifact of your compiler, or lines such as: function mint(address to, uint256 amount)"
          placeholder='[{"type":"function","name":"mint", …}]'
          value={text}
          onChange={(event) => takeText(event.currentTarget.value)}
          error={text.trim() !== '' && problem}
          autosize
          minRows={4}
          maxRows={10}
          required
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        />
        <Group>
          <FileButton accept=".json,.txt,.sol,application/json" onChange={(file) => void file?.text().then(takeText)}>
            {(props) => (
              <Button variant="default" size="xs" {...props}>
                Read a file
              </Button>
            )}
          </FileButton>
          <Text size="xs" c="dimmed">
            The page asks no explorer for it: nothing leaves your dashboard.
          </Text>
        </Group>
        {methods.length > 0 && <MethodPicker methods={methods} picked={picked} onChange={setPicked} />}
        <AlsoOn what="contract with its methods" chosen={others} onChange={setOthers} />
        <FormFooter says={register.error && <Problem error={register.error} what="The contract was not registered" />}>
          <Button
            type="submit"
            loading={register.isPending}
            disabled={!abi || picked.size === 0 || name.trim() === '' || trimmed === '' || wrongAddress !== undefined}
          >
            {picked.size === 0
              ? 'Pick methods first'
              : `Sponsor ${picked.size === 1 ? '1 method' : `${picked.size} methods`}`}
          </Button>
        </FormFooter>
      </Stack>
    </Form>
  );
}

function problemOfAddress(address: string): string | undefined {
  if (!isAddress(address, { strict: false })) return 'An address is 0x and 40 hex digits.';
  const hasChecksum = /[a-f]/.test(address.slice(2)) && /[A-F]/.test(address);
  return hasChecksum && !isAddress(address) ? 'A digit is mistyped: the checksum is wrong.' : undefined;
}

function tryRead(text: string): { abi?: Abi; problem?: string } {
  try {
    return { abi: readAbi(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
