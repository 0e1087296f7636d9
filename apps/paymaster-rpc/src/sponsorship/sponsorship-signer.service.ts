import { Inject, Injectable } from '@nestjs/common';
import { encodeSponsorData, type DigestHasher, type Signer, type SponsorFields } from '@paymaster/chain';
import type { UserOperation } from '@paymaster/domain';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { ServedChains } from '../chains/served-chains';
import { SIGNER } from '../chains/signer.token';
import { sponsorData, type SponsorData } from './sponsor-data';
import type { SponsorTerms } from './sponsor-terms';
import type { Validity } from './validity';

export const DIGEST_HASHER = Symbol('DIGEST_HASHER');

/** Makes the final paymaster data: digest computed here, no call to any node. */
@Injectable()
export class SponsorshipSigner implements HealthCheck {
  readonly name = 'signer';
  readonly essential = true;

  constructor(
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(DIGEST_HASHER) private readonly hasher: DigestHasher,
    private readonly chains: ServedChains,
  ) {}

  /** @param operation with its final gas limits */
  async sign(request: {
    operation: UserOperation;
    terms: SponsorTerms;
    validity: Validity;
    chainId: number;
  }): Promise<SponsorData> {
    const { operation, terms, validity, chainId } = request;
    const fields: SponsorFields = {
      ...validity,
      fundingWallet: terms.fundingWallet,
      feeMarkupMillionths: terms.feeMarkupMillionths,
      unaccountedGas: terms.constants.unaccountedGas,
    };
    const digest = this.hasher.digest(operation, {
      chainId,
      paymaster: terms.paymaster,
      entryPoint: terms.entryPoint,
      sponsorFields: fields,
      paymasterGasLimits: terms.constants,
    });
    return sponsorData(terms, encodeSponsorData(fields, await this.signer.sign(digest)));
  }

  check(): HealthReport {
    const { refusing, contracts } = this.chains.signerRefusals();
    if (refusing.length === 0) return { status: 'up', detail: this.signer.address };
    const detail = `${this.signer.address} is in no signer set of ${refusing.join(', ')}`;
    return { status: refusing.length === contracts ? 'down' : 'degraded', detail };
  }
}
