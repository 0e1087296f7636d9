import { Badge, Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { pickedOf, readMethods } from '../../abi/picked-methods';
import type { WriteMethod } from '../../abi/read-abi';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { contractsQuery, keyOf, type Schemas } from '../../api/queries';
import { explorerLink, useChain, useRole, useScope } from '../../shell/use-scope';
import { ChangedMeanwhile } from '../../ui/changed-meanwhile';
import { asked, Confirm } from '../../ui/confirm';
import { EditDialog } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { useFolded } from '../../ui/folded';
import { FormFooter } from '../../ui/form-footer';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { useEdited } from '../../ui/use-edited';
import { useSave } from '../../ui/use-save';
import { ContractForm } from './contract-form';
import { MethodPicker } from './method-picker';

type Contract = Schemas['SmartContractView'];

/** More of them are searched, and folded. */
const FEW_CONTRACTS = 10;
const FEW_METHODS = 12;

/** Which methods of which contracts are sponsored. */
export function ContractsScreen() {
  const scope = useScope();
  const { mayWrite } = useRole();
  const { add } = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/contracts' });
  const navigate = useNavigate();
  const contracts = useQuery(contractsQuery(scope));
  const setAdd = (value: boolean) => void navigate({ to: '.', search: value ? { add: true } : {} });
  const addButton = mayWrite && <Button onClick={() => setAdd(true)}>Register a contract</Button>;
  return (
    <Page title="Contracts" sub="What is not picked here is refused." actions={addButton}>
      <Load of={contracts} what="The contracts">
        {(list) =>
          list.length === 0 ? (
            <Card>
              <Empty title="No contract is registered" action={addButton}>
                Nothing is sponsored yet. Register the contract that your app calls, and pick its methods.
              </Empty>
            </Card>
          ) : (
            <ContractList contracts={list} />
          )
        }
      </Load>
      <EditDialog opened={add === true} onClose={() => setAdd(false)} title="Register a contract" size="xl">
        <ContractForm onDone={() => setAdd(false)} />
      </EditDialog>
    </Page>
  );
}

function ContractList({ contracts }: { readonly contracts: readonly Contract[] }) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = contracts.filter(({ name, address, methods }) =>
    [name, address, ...methods].some((text) => text.toLowerCase().includes(wanted)),
  );
  const { shown, more } = useFolded(found, FEW_CONTRACTS, 'contracts');
  return (
    <Stack>
      {contracts.length > FEW_CONTRACTS && (
        <TextInput
          label="Search"
          description={`Of ${contracts.length} contracts, by name, address or method.`}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          type="search"
          maw={420}
        />
      )}
      {shown.map((contract) => (
        <ContractCard key={contract.address} contract={contract} />
      ))}
      {found.length === 0 && <Text c="dimmed">No contract has “{search}” in its name, address or methods.</Text>}
      {more}
    </Stack>
  );
}

function ContractCard({ contract }: { readonly contract: Contract }) {
  const scope = useScope();
  const { mayWrite } = useRole();
  const { chain } = useChain();
  const queries = useQueryClient();
  const [editing, setEditing] = useState(false);
  const methods = useMemo(() => readMethods(contract.abi), [contract.abi]);
  const picked = useMemo(() => pickedOf(contract, methods), [contract, methods]);
  const sponsored = methods.filter(({ signature }) => picked.has(signature));
  const { shown, more } = useFolded(sponsored, FEW_METHODS, 'methods');
  const remove = useMutation({
    mutationFn: () =>
      contentOf(
        api.DELETE(`${SDK}/smart-contract`, { headers: headersOf(scope), body: { address: contract.address } }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(scope) }),
  });
  return (
    <Card>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2} size="h4" className="breaks">
              {contract.name}
            </Title>
            <Hex value={contract.address} of="address" href={explorerLink(chain, 'address', contract.address)} />
          </div>
          {mayWrite && (
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => setEditing(true)}>
                Change methods
              </Button>
              <Confirm action="Remove" label={`Remove ${contract.name}`} {...asked(remove)}>
                All calls to <b>{contract.name}</b> will be refused from now on, also those of apps in use. Operations
                that were signed before may still land.
              </Confirm>
            </Group>
          )}
        </Group>
        <Group gap={6}>
          {shown.map(({ signature, isPayable }) => (
            <Badge key={signature} variant="light" color={isPayable ? 'orange' : 'cyan'} tt="none" size="lg" miw={0}>
              <span className="mono">{signature}</span>
              {isPayable && ' payable'}
            </Badge>
          ))}
          {more}
          {picked.size === 0 && (
            <Text size="sm" c="dimmed">
              No method is sponsored: all calls to this contract are refused.
            </Text>
          )}
        </Group>
      </Stack>
      <EditDialog opened={editing} onClose={() => setEditing(false)} title={`Methods of ${contract.name}`} size="lg">
        <Whitelist contract={contract} methods={methods} onDone={() => setEditing(false)} />
      </EditDialog>
    </Card>
  );
}

interface WhitelistProps {
  readonly contract: Contract;
  readonly methods: readonly WriteMethod[];
  readonly onDone: () => void;
}

/** The signatures that are picked, each a field of its own: two people may pick different ones. */
type Picked = Readonly<Record<string, true>>;

function Whitelist({ contract, methods, onDone }: WhitelistProps) {
  const scope = useScope();
  const queries = useQueryClient();
  const { queryKey } = contractsQuery(scope);
  const inOrder = (picked: ReadonlySet<string>): Picked =>
    Object.fromEntries(
      methods.filter(({ signature }) => picked.has(signature)).map(({ signature }) => [signature, true]),
    );
  const draftOf = (stored: Contract) => inOrder(pickedOf(stored, methods));
  const edited = useEdited({ stored: contract, draftOf, fresh: {} });
  const { draft, setDraft, from = contract } = edited;
  const dropped = Object.keys(draftOf(from)).filter((signature) => !(signature in draft));
  const send = () => {
    const { address } = contract;
    const { whitelistedMethods } = from;
    const body = { address, whitelistedMethods: Object.keys(draft), expected: { whitelistedMethods } };
    return contentOf(api.PATCH(`${SDK}/smart-contract`, { headers: headersOf(scope), body }));
  };
  const readAgain = () => queries.invalidateQueries({ queryKey });
  const { save, isOld } = useSave({ edited, send, readAgain, onDone });
  return (
    <Stack>
      <MethodPicker
        methods={methods}
        picked={new Set(Object.keys(draft))}
        onChange={(picked) => setDraft(inOrder(picked))}
      />
      {dropped.length > 0 && (
        <Text size="sm" c="red" className="breaks">
          No longer sponsored: {dropped.join(', ')}. Apps that call them will be refused.
        </Text>
      )}
      <FormFooter
        says={
          isOld ? (
            <ChangedMeanwhile
              start={draftOf(from)}
              stored={draftOf(contract)}
              mine={draft}
              linesOf={(picked) => Object.keys(picked).map((signature) => `Sponsored: ${signature}`)}
              onChoose={(picked) => {
                edited.choose(inOrder(new Set(Object.keys(picked))));
                save.reset();
              }}
            />
          ) : (
            save.error && <Problem error={save.error} what="The methods were not changed" />
          )
        }
      >
        <Button loading={save.isPending} disabled={isOld} onClick={() => save.mutate()}>
          Save
        </Button>
      </FormFooter>
    </Stack>
  );
}
