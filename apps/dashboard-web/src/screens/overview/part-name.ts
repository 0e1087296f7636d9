import type { nameCall } from '../../abi/decode-call';
import type { Schemas } from '../../api/queries';

/** By what usage is split. */
export const PARTS = {
  contract: 'Contract',
  method: 'Method',
  policy: 'Policy',
  key: 'Key',
  sender: 'Account',
  token: 'Token',
} as const;
export type Part = keyof typeof PARTS;

interface Known {
  readonly contracts: readonly Schemas['SmartContractView'][];
  readonly policies: readonly Pick<Schemas['PolicyView'], '_id' | 'name'>[];
  readonly keys: readonly Pick<Schemas['NamedKeyView'], 'keyId' | 'name'>[];
  readonly tokens: readonly Pick<Schemas['TokenView'], 'address' | 'symbol'>[];
}

/** The part of the URL; the contract where it names none. */
export function partOf(text: unknown): Part {
  return (Object.keys(PARTS) as Part[]).find((part) => part === text) ?? 'contract';
}

/**
 * What a part of the usage is called; undefined where it has no name, only its key.
 *
 * @param naming reads the ABIs. Until it is loaded a method is called by its selector
 */
export function partName(
  part: Part,
  key: string,
  { contracts, policies, keys, tokens }: Known,
  naming?: typeof nameCall,
): string | undefined {
  const [to = '', selector = null] = key.split(':');
  const contract = contracts.find(({ address }) => address === to.toLowerCase())?.name;
  switch (part) {
    case 'contract':
      return contract;
    case 'method': {
      const method = naming?.({ to, selector, valueWei: '0' }, contracts).method?.signature;
      return contract && `${method ?? (selector || 'a transfer without call data')} on ${contract}`;
    }
    case 'policy':
      return policies.find(({ _id }) => _id === key)?.name;
    case 'key':
      return keys.find(({ keyId }) => keyId === key)?.name;
    case 'token':
      return tokens.find(({ address }) => address === key)?.symbol;
    case 'sender':
      return undefined;
  }
}

/** Where the operations of a part are listed, below the paymaster's screens; undefined where no filter fits. */
export function listOf(part: Part, key: string): string | undefined {
  const [to = ''] = key.split(':');
  if (part === 'sender') return `/operations?sender=${key}`;
  return part === 'policy' || part === 'key' || part === 'token' ? undefined : `/operations?contract=${to}`;
}
