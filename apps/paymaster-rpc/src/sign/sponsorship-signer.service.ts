import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  encodeSponsorData,
  encodeTokenData,
  type DigestHasher,
  type SponsorFields,
  type TokenFields,
} from '@paymaster/chain';
import type { Address, UserOperation } from '@paymaster/domain';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { SignerUpkeep, type OpenedSigners, type SignerSet } from '@paymaster/signers';
import type { Logger } from 'pino';
import type { Caller } from '../callers/caller';
import { assertStillServed } from '../callers/suspension';
import { ServedChains, SIGNERS } from '../chains/served-chains';
import { APP_LOGGER } from '../platform/logging/app-logger';
import { PolicySnapshots } from '../snapshots/policy-snapshots.service';
import { signersHealth } from './signers-health';
import { sponsorData, type SponsorData } from '../decide/terms/sponsor-data';
import { sponsorFields, type SponsorTerms } from '../decide/terms/sponsor-terms';
import type { Validity } from '../decide/terms/validity';

export const DIGEST_HASHER = Symbol('DIGEST_HASHER');

/** The input of a signature, besides the key. */
interface SigningRequest<Fields> {
  /** With its final gas limits. */
  readonly operation: UserOperation;
  /**
   * The delegate whose code the account will run by EIP-7702. With another delegate, or without it, the signature
   * fails.
   */
  readonly eip7702Delegate: Address | undefined;
  readonly terms: Pick<SponsorTerms, 'version' | 'entryPoint' | 'paymaster' | 'constants'>;
  readonly fields: Fields;
  readonly caller: SigningCaller;
}

type SigningCaller = Pick<Caller, 'chain' | 'deadlineMs' | 'paymaster' | 'policyQuestion'>;

/**
 * Makes the final paymaster data. It computes the digest without a call to a node, and the first signer that can signs.
 */
@Injectable()
export class SponsorshipSigner implements HealthCheck, OnApplicationBootstrap, OnApplicationShutdown {
  readonly name = 'signer';
  readonly essential = true;
  private readonly signers: SignerSet;
  private readonly upkeep: SignerUpkeep;

  constructor(
    @Inject(SIGNERS) { set, file }: OpenedSigners,
    @Inject(DIGEST_HASHER) private readonly hasher: DigestHasher,
    private readonly chains: ServedChains,
    private readonly snapshots: PolicySnapshots,
    @Inject(APP_LOGGER) private readonly logger: Logger,
  ) {
    this.signers = set;
    this.upkeep = new SignerUpkeep(set, file, {
      onReloaded: () => logger.info({ signers: set.report() }, 'signers file read again'),
      onRefused: (error) =>
        logger.error({ fault: error instanceof Error ? error.message : 'unknown' }, 'changed signers file refused'),
    });
  }

  onApplicationBootstrap(): void {
    for (const { name, address, isUp, downBecause } of this.signers.report())
      if (!isUp) this.logger.error({ signer: name, address, downBecause }, 'signer down at start');
    this.signers.listen({
      onDown: ({ name, address }, { kind, message }) =>
        this.logger.error({ signer: name, address, downBecause: kind, fault: message }, 'signer down'),
      onUp: ({ name, address }) => this.logger.info({ signer: name, address }, 'signer up again'),
    });
    this.upkeep.start();
  }

  onApplicationShutdown(): void {
    this.upkeep.stop();
  }

  /**
   * @param operation with its final gas limits
   * @throws {DependencyUnavailableError} `signer`, when no signer can sign
   * @throws {RequestTimedOutError} when the deadline is over before a remote signer is asked
   * @throws what {@link assertStillServed} throws, when the paymaster was suspended or archived meanwhile
   */
  async sign(request: {
    operation: UserOperation;
    eip7702Delegate: Address | undefined;
    terms: SponsorTerms;
    validity: Validity;
    caller: SigningCaller;
  }): Promise<SponsorData> {
    const { operation, eip7702Delegate, terms, validity, caller } = request;
    const fields = sponsorFields(terms, validity);
    const signature = await this.signature({ operation, eip7702Delegate, terms, fields, caller });
    // Awaited only where it has something to ask, because this code runs for every signature.
    const asking = assertStillServed(caller, this.snapshots);
    if (asking) await asking;
    return sponsorData(terms, encodeSponsorData(fields, signature));
  }

  /** The same for an operation that its sender pays in a token. */
  async signTokenPayment(request: SigningRequest<TokenFields>): Promise<SponsorData> {
    const signature = await this.signature(request);
    await assertStillServed(request.caller, this.snapshots);
    return sponsorData(request.terms, encodeTokenData(request.fields, signature));
  }

  check(): HealthReport {
    return signersHealth({ signers: this.signers, chains: this.chains.all(), trouble: this.upkeep.trouble });
  }

  private signature(request: SigningRequest<SponsorFields | TokenFields>): Uint8Array | Promise<Uint8Array> {
    const { operation, eip7702Delegate, terms, fields, caller } = request;
    const { chain, deadlineMs } = caller;
    const digest = this.hasher.digest(operation, {
      chainId: chain.config.chainId,
      paymaster: terms.paymaster,
      entryPoint: terms.entryPoint,
      sponsorFields: fields,
      paymasterGasLimits: terms.constants,
      eip7702Delegate,
    });
    const contract = chain.signer.trustOf(terms.version);
    return this.signers.sign({ digest, preimage: this.hasher.preimage, contract, deadlineMs });
  }
}
