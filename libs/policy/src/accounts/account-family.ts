import type { Address, EntryPointVersion, Hex } from '@paymaster/domain';
import type { CanonicalReader } from '../decode/canonical-reader';
import type { InnerCall } from '../decode/decode-result';

/** All that the platform knows of one account family. `families.ts` lists them; everything else is derived. */
export interface AccountFamily {
  readonly name: string;
  /** The functions whose arguments are calls that the account makes. */
  readonly functions: readonly AccountFunction[];
  /** Further functions that pass calls on; never allowed in a call of the account to itself. */
  readonly forwards?: readonly FunctionId[];
  /** Contracts that make the account do what the call data to them says; they count as the account itself. */
  readonly adapters?: readonly Address[];
  /** How SDK clients name it in `smartAccountInfo`; left out where none does. */
  readonly clientName?: ClientName;
  /** Whether its accounts can have passkeys, whose checks take the most gas. */
  readonly canHavePasskeys?: true;
  /** The signature that its accounts have, as far as gas goes, where no client's name says it. One owner. */
  readonly stubSignature?: Hex;
  /**
   * The dearest signature that its accounts may really have, in place of a dummy that a client estimates with. Left out
   * where every signature has the form of a stub, and costs as much.
   *
   * @returns undefined where the dummy is none of this family
   */
  readonly dearestSignature?: (dummy: Hex, callData: Hex) => DearestSignature | undefined;
  /**
   * Factories whose accounts read call data the way this library does. One that lets its caller choose the account's
   * code is listed only with a check of that choice.
   */
  readonly factories?: readonly AccountFactory[];
  /** What its deployed account proxies point to, for `requireKnownAccounts`. */
  readonly implementations?: readonly ProxiedImplementation[];
  /**
   * Contracts whose code accounts run by EIP-7702. They have the family's functions and no others, and keep nothing in
   * the account's storage that could change how they read call data.
   */
  readonly delegates?: readonly NamedContract[];
  /** Where the account's nonce says who validates its operations. */
  readonly nonceLayout?: NonceLayout;
  /** Validators that check a signature of the account's owner, and make the account do nothing. */
  readonly validators?: readonly Address[];
}

/** A signature to estimate with. */
export interface DearestSignature {
  /** As long as the dummy, and nobody's. */
  readonly signature: Hex;
  /** What checking a real one takes beside it, because the code stops early at a signature of nobody; gas. */
  readonly unseenGas: bigint;
}

export interface FunctionId {
  readonly signature: string;
  /** The first four bytes of the signature's hash, which a test computes again. */
  readonly selector: Hex;
}

export interface AccountFunction extends FunctionId {
  /** Its name in traces. */
  readonly name: string;
  /** The calls in its arguments. @throws DecodeFailure when they are not canonical, or not to be sponsored */
  readonly read: (reader: CanonicalReader, operation: ReadOperation) => InnerCall[];
  /**
   * Whether the code that decodes it is known to read nothing behind the arguments. Wallets put there who they are, at
   * most {@link MAX_SUFFIX_BYTES}.
   */
  readonly ignoresSuffix?: true;
  /** Whether accounts that have it may take their validator from the nonce. */
  readonly isErc7579?: true;
}

/** The on-chain identifiers of Safe's clients have 50 bytes, ERC-8021 suffixes some more. */
export const MAX_SUFFIX_BYTES = 256;

/** What a function's reader may look at besides the arguments. */
export interface ReadOperation {
  readonly entryPointVersion: EntryPointVersion;
  /** What the client says its account is. Clients are known to name the wrong one, so it may only narrow. */
  readonly account?: ClientVersion | undefined;
}

export interface ClientName {
  readonly name: string;
  /** Names that clients send for the same. */
  readonly misspelt?: readonly string[];
  readonly versions: Readonly<Record<string, ClientVersion>>;
}

/** What is known of an account that a client names. */
export interface ClientVersion {
  /** The signature that such an account has, as far as gas goes. One owner; more owners send their own stub. */
  readonly stubSignature: Hex;
  /** Whether it reverts on a batch with an empty list of values; others read that as no values. */
  readonly batchNeedsValues?: true;
  /** Whether it lacks the `executeUserOp` of ERC-4337. */
  readonly lacksExecuteUserOp?: true;
}

/** A contract at the same address on every chain, lower case. */
export interface NamedContract {
  readonly name: string;
  readonly address: Address;
}

export interface AccountFactory extends NamedContract {
  /** Which of the family's `clientName` versions its accounts are; left out where there is one, or none. */
  readonly clientVersion?: string;
  /**
   * Checks what the caller of the factory chooses; left out where code and modules are fixed in the factory.
   *
   * @param digits the call to the factory, without `0x`
   * @throws DecodeFailure when the account would get code or modules that are not known
   */
  readonly checkSetup?: (digits: string) => void;
  /**
   * What the chain must have at the factory's address; left out where the address says it all, because nothing else can
   * be deployed there.
   */
  readonly onChain?: FactoryOnChain;
}

/** The published factory, as the chain has it. */
export interface FactoryOnChain {
  /** Keccak-256 of its deployed code, as EXTCODEHASH gives it. What is immutable there, it cannot change. */
  readonly codeHash: Hex;
  /** Where its storage says which code accounts get, and the address that has to be there. Its owner can change it. */
  readonly pointer?: { readonly slot: Hex; readonly address: Address };
}

export interface ProxiedImplementation extends NamedContract {
  /** The proxies that it is known behind. */
  readonly proxies: readonly AccountProxy[];
  /** Where another contract decodes the account's operations; left out where its own code does. */
  readonly handlers?: OperationHandlers;
}

/** How an account stores which contract decodes its operations. Its owner chooses that contract. */
export interface OperationHandlers {
  /** Those that read call data as this library does. */
  readonly known: ReadonlySet<Address>;
  /** Where the account stores the address. */
  readonly slot: Hex;
  /** Where it stores something other than 0 while that contract may make calls as the account. */
  readonly enabledSlotOf: (handler: Address) => Hex;
}

/**
 * Code of account proxies that does one thing: delegate everything to the address in one slot. Only with such code
 * does that slot say what the account does; a contract of any other code may store any address anywhere.
 */
export interface AccountProxy {
  /** Keccak-256 of the deployed code, as EXTCODEHASH gives it. Immutables would change the hash; these proxies have no immutables. */
  readonly codeHash: Hex;
  /**
   * Where it keeps the address of its implementation: `ownAddress` is the slot that is the proxy's address, and `none`
   * says that its code has the address.
   */
  readonly implementationSlot: 'erc1967' | 'first' | 'ownAddress' | 'none';
  /** Bytes of data of each account's own behind that code. The code doesn't run them, and the hash is without them. */
  readonly ownBytes?: number;
}

/** The shapes of `decodeCalls` that accounts of the family have: its functions, and no call data. */
export function shapesOf({ functions }: AccountFamily): ReadonlySet<string> {
  return new Set(['none', ...functions.map(({ name }) => name)]);
}

/** How an account writes into its nonce who validates its operations. */
export interface NonceLayout {
  readonly name: string;
  /**
   * The validator's digits, or undefined where the nonce asks for more than validation.
   *
   * @param digits of the nonce's 32 bytes from the left; the last 8 bytes are the EntryPoint's sequence number
   */
  readonly validatorOf: (digits: string) => string | undefined;
  /** It leaves room for any validator of another layout, so it says nothing of accounts whose layout is not known. */
  readonly isLoose?: true;
}

/**
 * A well-formed signature that belongs to no account: low s, v 28, an `r` that recovers. Account code then says SIG_FAILED, which
 * bundlers ignore in estimation, instead of reverting, which they do not.
 */
export const ECDSA_STUB: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

/** The proxy of several families: Solady LibClone, ERC1967_CODE_HASH, made by `createDeterministicERC1967`. */
export const SOLADY_ERC1967: AccountProxy = {
  codeHash: '0xaaa52c8cc8a0e3fd27ce756cc6b4e70c51423e9b597b11f32d3e49f8b1fc890d',
  implementationSlot: 'erc1967',
};
