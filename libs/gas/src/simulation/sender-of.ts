import { parseWords, UnexpectedAnswerError, type EthCall } from '@paymaster/chain';
import { type Address, type Hex } from '@paymaster/domain';
import { Interface } from 'ethers';

/** EntryPoint v0.8 and v0.9: the contract that calls factories, and the EntryPoint's view that names it. */
const SENDER_CREATOR = new Interface(['function senderCreator()', 'function createSender(bytes initCode)']);
const ADDRESS_END = 1n << 160n;

/** A read of a contract. */
interface Caller {
  ethCall<T>(call: EthCall, parse: (returned: unknown) => T): Promise<T>;
}

/** The only caller that the factories of EntryPoint v0.8 and v0.9 accept. It never changes. */
export function senderCreatorOf(provider: Caller, entryPoint: Address): Promise<Address> {
  const data = SENDER_CREATOR.encodeFunctionData('senderCreator') as Hex;
  return provider.ethCall({ to: entryPoint, data }, (returned): Address => {
    const address = parseAddress(returned);
    if (!address) throw new UnexpectedAnswerError('senderCreator');
    return address;
  });
}

/**
 * The address that a factory gives the account, as the EntryPoint would learn it; undefined when it gives no address.
 *
 * @param gas the most that the factory may use
 */
export async function senderOf(
  provider: Caller,
  { entryPoint, senderCreator, initCode, gas }: SenderQuestion,
): Promise<Address | undefined> {
  const data = SENDER_CREATOR.encodeFunctionData('createSender', [initCode]) as Hex;
  return provider.ethCall({ from: entryPoint, to: senderCreator, data, gas }, parseAddress);
}

/** A deployment that has not happened yet. */
export interface SenderQuestion {
  readonly entryPoint: Address;
  /** The answer of {@link senderCreatorOf}. */
  readonly senderCreator: Address;
  readonly initCode: Hex;
  readonly gas: bigint;
}

function parseAddress(returned: unknown): Address | undefined {
  const [word = 0n] = parseWords(returned, 1, 'senderCreator');
  if (word === 0n || word >= ADDRESS_END) return undefined;
  return `0x${word.toString(16).padStart(40, '0')}`;
}
