import type { Hex } from '@paymaster/domain';
import { SignerError } from '../signer/signer-error';
import { refusalOf, type SignerHttp } from './signer-http';
import type { RemoteKey, RemoteSigningRequest } from './remote-key';

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

/**
 * A key in Web3Signer: `POST /api/v1/eth1/sign/{identifier}`. It hashes the data that it gets with Keccak-256 and signs
 * the hash. So it gets the digest's preimage; the digest itself would be hashed a second time.
 */
export class Web3SignerKey implements RemoteKey {
  private readonly path: string;

  /** @param publicKey 64 bytes, as Web3Signer's identifiers are */
  constructor(
    private readonly http: SignerHttp,
    { publicKey }: { publicKey: Hex },
  ) {
    this.path = `/api/v1/eth1/sign/${publicKey}`;
  }

  async rawSignature({ preimage, signal }: RemoteSigningRequest): Promise<Uint8Array> {
    const body = { data: `0x${Buffer.from(preimage).toString('hex')}` };
    const answer = await this.http.post({ path: this.path, headers: { accept: 'text/plain' }, body, signal });
    if (answer.status !== 200) throw refusalOf(answer.status);
    const text = answer.body.trim();
    if (answer.contentType !== 'text/plain' || !SIGNATURE.test(text))
      throw new SignerError('malformed', 'the answer is not the text of a signature');
    // `v` is left out: it is found again when the signature is checked.
    return Buffer.from(text.slice(2, 130), 'hex');
  }

  close(): void {
    this.http.close();
  }
}
