import { Inject, Injectable } from '@nestjs/common';
import {
  encodeSponsorData,
  encodeTokenData,
  type DigestHasher,
  type Signer,
  type SponsorFields,
  type TokenFields,
} from '@paymaster/chain';
import type { Address, UserOperation } from '@paymaster/domain';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { ServedChains } from '../chains/served-chains';
import { SIGNER } from '../chains/signer.token';
import { sponsorData, type SponsorData } from './sponsor-data';
import type { SponsorTerms } from './sponsor-terms';
import type { Validity } from './validity';

export const DIGEST_HASHER = Symbol('DIGEST_HASHER');

/** What a signature is made of besides the key. */
interface SigningRequest<Fields> {
  /** With its final gas limits. */
  readonly operation: UserOperation;
  /** Whose code the account will run by EIP-7702; the signature is bound to it where the operation has the marker. */
  readonly eip7702Delegate?: Address | undefined;
  readonly terms: Pick<SponsorTerms, 'version' | 'entryPoint' | 'paymaster' | 'constants'>;
  readonly fields: Fields;
  readonly chainId: number;
}

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
    eip7702Delegate: Address | undefined;
    terms: SponsorTerms;
    validity: Validity;
    chainId: number;
  }): Promise<SponsorData> {
    const { operation, eip7702Delegate, terms, validity, chainId } = request;
    const fields: SponsorFields = {
      ...validity,
      fundingWallet: terms.fundingWallet,
      feeMarkupMillionths: terms.feeMarkupMillionths,
      unaccountedGas: terms.constants.unaccountedGas,
    };
    const digest = this.digest({ operation, eip7702Delegate, terms, fields, chainId });
    return sponsorData(terms, encodeSponsorData(fields, await this.signer.sign(digest)));
  }

  /** The same for an operation that its sender pays in a token. */
  async signTokenPayment(request: SigningRequest<TokenFields>): Promise<SponsorData> {
    return sponsorData(request.terms, encodeTokenData(request.fields, await this.signer.sign(this.digest(request))));
  }

  check(): HealthReport {
    const { refusing, contracts } = this.chains.signerRefusals();
    if (refusing.length === 0) return { status: 'up', detail: this.signer.address };
    const detail = `${this.signer.address} is in no signer set of ${refusing.join(', ')}`;
    return { status: refusing.length === contracts ? 'down' : 'degraded', detail };
  }

  private digest(request: SigningRequest<SponsorFields | TokenFields>): Uint8Array {
    const { operation, eip7702Delegate, terms, fields, chainId } = request;
    return this.hasher.digest(operation, {
      chainId,
      paymaster: terms.paymaster,
      entryPoint: terms.entryPoint,
      sponsorFields: fields,
      paymasterGasLimits: terms.constants,
      ...(eip7702Delegate && { eip7702Delegate }),
    });
  }
}
