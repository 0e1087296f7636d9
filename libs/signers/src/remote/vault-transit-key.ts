import { fromDerSignature } from '../signature/der-signature';
import { SignerError } from '../signer/signer-error';
import { refusalOf, type SignerAnswer, type SignerHttp } from './signer-http';
import type { RemoteKey, RemoteSigningRequest } from './remote-key';
import type { SecretFile } from './secret-file';

/** `asn1`: base64 of DER. `jws`: base64url of `r ++ s`. */
export type VaultMarshaling = 'asn1' | 'jws';

export interface VaultTransitSettings {
  /** Where the engine is mounted. */
  readonly mount: string;
  readonly key: string;
  /** One version of the key. Without it Vault uses its newest version, which a rotation in Vault replaces. */
  readonly keyVersion?: number | undefined;
  readonly marshaling: VaultMarshaling;
  readonly namespace?: string | undefined;
}

const SIGNATURE = /^vault:v[0-9]{1,9}:([A-Za-z0-9+/_-]{80,200}={0,2})$/;

/**
 * A key behind the API of Vault's transit engine: `POST /v1/{mount}/sign/{key}` with a digest that is not hashed again.
 * The engine that comes with Vault has no keys of secp256k1: docs/operations/signers.md says what to install.
 */
export class VaultTransitKey implements RemoteKey {
  private readonly path: string;

  constructor(
    private readonly http: SignerHttp,
    private readonly settings: VaultTransitSettings,
    private readonly token: SecretFile,
  ) {
    this.path = `/v1/${settings.mount}/sign/${settings.key}`;
  }

  async rawSignature({ digest, signal }: RemoteSigningRequest): Promise<Uint8Array> {
    const { keyVersion, marshaling } = this.settings;
    const body = {
      input: Buffer.from(digest).toString('base64'),
      prehashed: true,
      marshaling_algorithm: marshaling,
      ...(keyVersion !== undefined && { key_version: keyVersion }),
    };
    let answer = await this.post(body, signal);
    // The token may have been renewed a moment ago.
    if (answer.status === 403 && this.token.renewed()) answer = await this.post(body, signal);
    if (answer.status !== 200) throw refusalOf(answer.status);
    return unmarshalled(signatureIn(answer), marshaling);
  }

  close(): void {
    this.http.close();
  }

  private post(body: object, signal: AbortSignal): Promise<SignerAnswer> {
    const { namespace } = this.settings;
    const headers = {
      'x-vault-token': this.token.read(),
      'x-vault-request': 'true',
      ...(namespace && { 'x-vault-namespace': namespace }),
    };
    return this.http.post({ path: this.path, headers, body, signal });
  }
}

function signatureIn({ contentType, body }: SignerAnswer): string {
  if (contentType !== 'application/json') throw malformed();
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    throw malformed();
  }
  const signature = (answer as { data?: { signature?: unknown } } | null)?.data?.signature;
  const [, encoded] = (typeof signature === 'string' && SIGNATURE.exec(signature)) || [];
  if (!encoded) throw malformed();
  return encoded;
}

function unmarshalled(encoded: string, marshaling: VaultMarshaling): Uint8Array {
  if (marshaling === 'asn1') return fromDerSignature(Buffer.from(encoded, 'base64'));
  const signature = Buffer.from(encoded, 'base64url');
  if (signature.length !== 64) throw malformed();
  return signature;
}

function malformed(): SignerError {
  return new SignerError('malformed', "the answer holds no signature in Vault's form");
}
