import { parseArgs } from 'node:util';
import {
  ENTRY_POINT_VERSIONS,
  isAddress,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
} from '@paymaster/domain';
import { parseEther } from 'ethers';

export const HELP = `Usage: npm run contracts -- COMMAND [options]

What an operator does with the contracts of the platform, on any chain. Nothing is done twice: a command that was
interrupted is given again.

  new-key        --keystore FILE --passphrase-file FILE
                 makes a key in an encrypted file, mode 0600, and says its address
  sign           --message TEXT
                 signs a text (EIP-191), as a funding wallet signs the dashboard's funding message
  deploy         --entry-point 0.6|0.7|0.8 --signer ADDRESS [--signer ADDRESS …]
                 [--owner ADDRESS] [--withdrawal-delay-seconds 7200] [--stake-eth 0.1] [--unstake-delay-seconds 86400]
                 [--chains-file FILE --bundler-url URL]
                 deploys the paymaster contract where it is not yet, and stakes it; writes its chain into chains.json.
                 The owner (without --owner: the key that pays) changes signers, holds the stake and can pause. A key
                 that is not the owner deploys, and leaves the stake to the owner. Where chains.json names another
                 contract for this EntryPoint, the new one is its nextPaymaster: written first, deployed when the
                 command is given again
  switch         --entry-point 0.6|0.7|0.8 --paymaster ADDRESS --signer ADDRESS [--signer ADDRESS …] --chains-file FILE
                 lets operations be signed for the nextPaymaster of chains.json; the contract before it drains. Also
                 back to one that drains. Looks at the contract first; needs no key
  deposit        --paymaster ADDRESS --funding-wallet ADDRESS --eth AMOUNT
                 adds to the gas deposit of a funding wallet; anybody may
  add-signer     --paymaster ADDRESS --signer ADDRESS
  remove-signer  --paymaster ADDRESS --signer ADDRESS
                 only after its last signature has expired: those that are live would be worthless
  return-unsettled  --paymaster ADDRESS --funding-wallet ADDRESS --recorded-wei AMOUNT --returned-wei AMOUNT
                 states what is left of a wallet's precharges for failed batch approvals; \`ledger unsettled\` has the
                 amounts. Only the owner may
  credit-unsettled  --paymaster ADDRESS --funding-wallet ADDRESS
                 gives the wallet what was stated, as far as it is due; anybody may
  status         --paymaster ADDRESS [--signer ADDRESS …] [--funding-wallet ADDRESS …]
                 owner, stake, deposit, and what is asked for; needs no key
  demo           deploys DemoCounter, a contract to try sponsorship with

Every command but new-key and sign needs
  --rpc-url URL           a node of the chain; RPC_URL when absent
and those that sign or send transactions the key, as an encrypted file:
  --keystore FILE --passphrase-file FILE

  --help                  this text
`;

/** A command line that cannot be run. The message names the option. */
export class UsageError extends Error {}

const OPTIONS = {
  keystore: { type: 'string' },
  'passphrase-file': { type: 'string' },
  'rpc-url': { type: 'string' },
  'entry-point': { type: 'string' },
  signer: { type: 'string', multiple: true },
  owner: { type: 'string' },
  'withdrawal-delay-seconds': { type: 'string' },
  'stake-eth': { type: 'string' },
  'unstake-delay-seconds': { type: 'string' },
  'chains-file': { type: 'string' },
  'bundler-url': { type: 'string' },
  paymaster: { type: 'string' },
  'funding-wallet': { type: 'string', multiple: true },
  eth: { type: 'string' },
  'recorded-wei': { type: 'string' },
  'returned-wei': { type: 'string' },
  message: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Name = Exclude<keyof typeof OPTIONS, 'help'>;

/** What was typed, read option by option; every reader throws a {@link UsageError} naming the option. */
export class CommandLine {
  private constructor(
    readonly command: string | undefined,
    readonly wantsHelp: boolean,
    private readonly values: Partial<Record<Name, string | string[]>>,
  ) {}

  /** @throws {UsageError} for an option that is not known */
  static read(args: readonly string[]): CommandLine {
    try {
      const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
      if (positionals.length > 1) throw new UsageError(`${positionals[1] ?? ''} is one word too many`);
      const { help, ...rest } = values;
      return new CommandLine(positionals[0], help ?? false, rest);
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error));
    }
  }

  optional(name: Name): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  required(name: Name): string {
    const value = this.optional(name);
    if (value === undefined) throw new UsageError(`--${name} is missing`);
    return value;
  }

  address(name: Name): Address {
    return asAddress(name, Array.isArray(this.values[name]) ? this.last(name) : this.required(name));
  }

  addresses(name: Name): readonly Address[] {
    const values = this.values[name];
    return (Array.isArray(values) ? values : []).map((value) => asAddress(name, value));
  }

  entryPoint(): EntryPointVersion {
    const value = this.required('entry-point');
    const version = ENTRY_POINT_VERSIONS.find((each) => each === value);
    if (!version) throw new UsageError(`--entry-point must be one of ${ENTRY_POINT_VERSIONS.join(', ')}`);
    return version;
  }

  /** Whole seconds within the bounds. */
  seconds(name: Name, { fallback, least = 0, most }: { fallback: number; least?: number; most: number }): number {
    const value = Number(this.optional(name) ?? fallback);
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
    throw new UsageError(`--${name} must be whole seconds, from ${least} to ${most}`);
  }

  /** An amount of coin in wei. */
  wei(name: Name, fallback?: string): bigint {
    const value = this.optional(name) ?? fallback ?? this.required(name);
    if (!/^\d+(\.\d{1,18})?$/.test(value)) throw new UsageError(`--${name} must be a decimal amount, for example 0.1`);
    return parseEther(value);
  }

  /** An amount in wei. */
  wholeWei(name: Name): bigint {
    const value = this.required(name);
    if (!/^\d{1,30}$/.test(value)) throw new UsageError(`--${name} must be a whole number of wei`);
    return BigInt(value);
  }

  private last(name: Name): string {
    const values = this.values[name] as readonly string[];
    if (values.length !== 1) throw new UsageError(`--${name} is to be given once`);
    return values[0] as string;
  }
}

function asAddress(name: Name, value: string): Address {
  if (isAddress(value)) return normalizeAddress(value);
  throw new UsageError(`--${name} must be an address, 0x and 40 hex digits`);
}
