import { DependencyUnavailableError, type Address, type EntryPointVersion } from '@paymaster/domain';
import type { ChainConfig, EntryPointConfig } from '../chains/chain-config';
import { parseWords } from '../json-rpc/parse';
import type { ChainProvider } from '../providers/chain-provider';

/** `isSigner(address) returns (bool)` of our contract. */
const IS_SIGNER = '0x7df73e27';
/** How often the contracts are asked; milliseconds. */
const INTERVAL_MS = 60_000;
/** The same while an answer is missing or no: an owner may just be adding the key. */
const IMPATIENT_INTERVAL_MS = 5_000;

/**
 * Whether the paymaster contracts of a chain accept this process's signer. A key that is in no signer set makes
 * signatures that look right and never land, so nothing is signed once a contract has said no.
 */
export class SignerMembership {
  private readonly answers = new Map<EntryPointVersion, boolean>();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly chain: Pick<ChainConfig, 'chainId' | 'entryPoints'>,
    private readonly provider: Pick<ChainProvider, 'ethCall'>,
    private readonly signer: Address,
    private readonly onFault: (error: unknown) => void = () => undefined,
  ) {}

  /** Asks now and from time to time. Resolves when every contract was asked once. */
  async start(): Promise<void> {
    await Promise.all(this.contracts().map(([version, contract]) => this.ask(version, contract.paymaster)));
    if (this.stopped) return;
    const sure = this.contracts().every(([version]) => this.answers.get(version) === true);
    this.timer = setTimeout(() => void this.start(), sure ? INTERVAL_MS : IMPATIENT_INTERVAL_MS);
    this.timer.unref();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Versions whose contract has said that the signer is not in its set. */
  strangerTo(): readonly EntryPointVersion[] {
    return this.contracts().flatMap(([version]) => (this.answers.get(version) === false ? [version] : []));
  }

  /** @throws {DependencyUnavailableError} `signer`, when the version's contract has said no */
  assertMember(version: EntryPointVersion): void {
    if (this.answers.get(version) !== false) return;
    throw new DependencyUnavailableError(
      'signer',
      `The paymaster contract for EntryPoint v${version} on chain ${this.chain.chainId} does not accept this signer.`,
    );
  }

  private contracts(): Array<[EntryPointVersion, EntryPointConfig]> {
    return Object.entries(this.chain.entryPoints) as Array<[EntryPointVersion, EntryPointConfig]>;
  }

  private async ask(version: EntryPointVersion, paymaster: Address): Promise<void> {
    try {
      const data = `${IS_SIGNER}${this.signer.slice(2).padStart(64, '0')}` as const;
      const accepted = await this.provider.ethCall({ to: paymaster, data }, (returned) => {
        const [word = 0n] = parseWords(returned, 1, `isSigner of ${paymaster}`);
        return word === 1n;
      });
      this.answers.set(version, accepted);
    } catch (error) {
      // The chain's own health says that it is down; the last answer stands.
      this.onFault(error);
    }
  }
}
