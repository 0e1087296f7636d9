import {
  CallRevertedError,
  parseWords,
  type ChainConfig,
  type ChainProvider,
  type EntryPointConfig,
} from '@paymaster/chain';
import { DependencyUnavailableError, type Address, type EntryPointVersion, type Hex } from '@paymaster/domain';
import type { ContractTrust, SignerRoster } from './signer';

/** `isSigner(address) returns (bool)` of our contract. */
const IS_SIGNER = '0x7df73e27';
/** `signerActiveFrom(address) returns (uint256)` of our contract; those of the first generation have no such function. */
const SIGNER_ACTIVE_FROM = '0x3f10102e';
/** How often the contracts are read; milliseconds. */
const INTERVAL_MS = 60_000;
/** The same while an answer is missing or "no", because an owner may just be adding the key. */
const IMPATIENT_INTERVAL_MS = 5_000;

/**
 * Which of this process's signers the paymaster contracts of a chain accept. A key outside of a contract's signer set
 * makes signatures that look right but never land. So the gateway does not use a key for a contract that has refused
 * it.
 */
export class SignerMembership {
  private readonly contracts: readonly ContractSigners[];
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly chain: Pick<ChainConfig, 'chainId' | 'entryPoints'>,
    private readonly provider: Pick<ChainProvider, 'ethCall'>,
    private readonly signers: SignerRoster,
    private readonly onFault: (error: unknown) => void = () => undefined,
  ) {
    const entryPoints = Object.entries(chain.entryPoints) as Array<[EntryPointVersion, EntryPointConfig]>;
    this.contracts = entryPoints.map(([version, { paymaster }]) => new ContractSigners(version, paymaster));
  }

  /** Reads now and from time to time. Resolves when every contract was asked once. */
  async start(): Promise<void> {
    clearTimeout(this.timer);
    const signers = this.signers.addresses();
    await Promise.all(this.contracts.flatMap((contract) => signers.map((signer) => this.ask(contract, signer))));
    if (this.stopped) return;
    const sure = this.contracts.every((contract) => signers.every((signer) => contract.answers.get(signer) === true));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.start(), sure ? INTERVAL_MS : IMPATIENT_INTERVAL_MS);
    this.timer.unref();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** The answers of a version's contract. @throws {RangeError} when the chain has no such contract */
  trustOf(version: EntryPointVersion): ContractTrust {
    const contract = this.contracts.find((candidate) => candidate.version === version);
    if (!contract) throw new RangeError(`chain ${this.chain.chainId} has no EntryPoint v${version}`);
    return contract;
  }

  /** The EntryPoint versions whose contract does not accept this signer. */
  strangerTo(signer: Address): readonly EntryPointVersion[] {
    return this.contracts.flatMap((contract) => (contract.trusts(signer) ? [] : [contract.version]));
  }

  /** Whether each version's contract accepts this signer, and from when it will; null for a signer that does not wait. */
  standingOf(signer: Address): ReadonlyArray<{
    readonly version: EntryPointVersion;
    readonly isAccepted: boolean;
    readonly activeFromSeconds: number | null;
  }> {
    return this.contracts.map((contract) => {
      const activeFrom = contract.activeFrom.get(signer) ?? 0n;
      const isAccepted = contract.trusts(signer);
      return { version: contract.version, isAccepted, activeFromSeconds: activeFrom > 0n ? Number(activeFrom) : null };
    });
  }

  /** The EntryPoint versions for which no signer would sign now. */
  unsignable(): readonly EntryPointVersion[] {
    return this.contracts.flatMap((contract) => (this.someoneSigns(contract) ? [] : [contract.version]));
  }

  /**
   * Checks that a signer would sign for the version now; call it before anything is estimated or reserved.
   *
   * @throws {DependencyUnavailableError} `signer`, when the version's contract accepts no signer, or only signers that
   *   are down
   */
  assertMember(version: EntryPointVersion): void {
    const contract = this.contracts.find((candidate) => candidate.version === version);
    if (!contract || this.someoneSigns(contract)) return;
    const isTrusted = this.signers.addresses().some((signer) => contract.trusts(signer));
    const contractName = `paymaster contract for EntryPoint v${version} on chain ${this.chain.chainId}`;
    const activeFrom = contract.nextActiveFrom();
    if (contract.isOfOtherGeneration) {
      const reason = 'is of another generation: it accepts no signature of this version of the gateway';
      throw new DependencyUnavailableError('signer', `The ${contractName} ${reason}.`);
    }
    throw new DependencyUnavailableError(
      'signer',
      isTrusted
        ? `No signer that the paymaster contract for EntryPoint v${version} accepts can sign now.`
        : activeFrom === undefined
          ? `The ${contractName} does not accept this signer.`
          : `The ${contractName} accepts this signer only after ${activeFrom.toISOString()}.`,
    );
  }

  private someoneSigns(contract: ContractSigners): boolean {
    for (const signer of this.signers.addresses()) {
      if (contract.trusts(signer) && this.signers.isUp(signer)) return true;
    }
    return false;
  }

  private async ask(contract: ContractSigners, signer: Address): Promise<void> {
    try {
      const accepted = (await this.read(contract, IS_SIGNER, signer)) === 1n;
      // Contracts of the first generation have signers too, but another digest, so a signature from here would fail
      // there.
      const activeFrom = await this.read(contract, SIGNER_ACTIVE_FROM, signer).catch((error: unknown) => {
        if (error instanceof CallRevertedError) return undefined;
        throw error;
      });
      contract.isOfOtherGeneration = activeFrom === undefined;
      contract.answers.set(signer, accepted && activeFrom !== undefined);
      contract.activeFrom.set(signer, accepted ? 0n : (activeFrom ?? 0n));
    } catch (error) {
      // The chain's own health check reports the outage; the last answer counts.
      this.onFault(error);
    }
  }

  private read({ paymaster }: ContractSigners, selector: string, signer: Address): Promise<bigint> {
    const data = `${selector}${signer.slice(2).padStart(64, '0')}` as Hex;
    return this.provider.ethCall({ to: paymaster, data }, (returned) => {
      const [word = 0n] = parseWords(returned, 1, `signer set of ${paymaster}`);
      return word;
    });
  }
}

/** The answers of one contract. */
class ContractSigners implements ContractTrust {
  readonly answers = new Map<Address, boolean>();
  /** The unix time at which a signer that is not active yet becomes active; 0 for other signers. */
  readonly activeFrom = new Map<Address, bigint>();
  isOfOtherGeneration = false;

  constructor(
    readonly version: EntryPointVersion,
    readonly paymaster: Address,
  ) {}

  /**
   * A missing answer proves nothing as long as the contract has not answered about any signer. If it has answered about
   * others, it would know this signer too.
   */
  trusts(signer: Address): boolean {
    return this.answers.get(signer) ?? this.answers.size === 0;
  }

  /** When the first waiting signer becomes active; undefined if no signer waits. */
  nextActiveFrom(): Date | undefined {
    const waiting = [...this.activeFrom.values()].filter((activeFrom) => activeFrom > 0n).map(Number);
    return waiting.length === 0 ? undefined : new Date(Math.min(...waiting) * 1_000);
  }
}
