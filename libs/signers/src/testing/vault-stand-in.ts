import { expectThat, SignerStandIn, type StandInAnswer, type StandInRequest } from './signer-stand-in';

/** Vault's transit engine, as a plugin with keys of secp256k1 speaks it: `POST /v1/{mount}/sign/{key}`. */
export class VaultStandIn extends SignerStandIn {
  static readonly MOUNT = 'eth/transit';
  static readonly KEY = 'paymaster-signer';
  static readonly NAMESPACE = 'payments';
  /** The token that it accepts; when a test changes it, the file is renewed too. */
  token = 'hvs.stand-in-token';

  static start(key: Uint8Array): Promise<VaultStandIn> {
    return new VaultStandIn(key).listen();
  }

  protected answer({ method, path, headers, body }: StandInRequest): StandInAnswer {
    expectThat(method === 'POST' && path === `/v1/${VaultStandIn.MOUNT}/sign/${VaultStandIn.KEY}`, 'method or path');
    expectThat(headers['content-type'] === 'application/json', 'content type');
    expectThat(headers['x-vault-request'] === 'true', 'x-vault-request');
    expectThat(headers['x-vault-namespace'] === VaultStandIn.NAMESPACE, 'x-vault-namespace');
    if (headers['x-vault-token'] !== this.token) return vaultAnswer(403, { errors: ['permission denied'] });
    const { input, marshaling_algorithm, ...rest } = JSON.parse(body.toString()) as Record<string, unknown>;
    expectThat(JSON.stringify(rest) === '{"prehashed":true,"key_version":3}', 'parameters');
    const digest = Buffer.from(String(input), 'base64');
    expectThat(digest.length === 32, 'input');
    const signature =
      marshaling_algorithm === 'jws'
        ? Buffer.from(this.signatureOf(digest)).toString('base64url')
        : this.derSignatureOf(digest).toString('base64');
    return vaultAnswer(200, { request_id: 'r', data: { key_version: 3, signature: `vault:v3:${signature}` } });
  }

  protected throttledAnswer(): StandInAnswer {
    return vaultAnswer(429, { errors: ['request path "eth/transit/…": rate limit quota exceeded'] });
  }
}

function vaultAnswer(status: number, body: object): StandInAnswer {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}
