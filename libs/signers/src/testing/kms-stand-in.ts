import { createHash, createHmac } from 'node:crypto';
import { BadRequest, expectThat, SignerStandIn, type StandInAnswer, type StandInRequest } from './signer-stand-in';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([A-Z0-9]+)\/(\d{8})\/([a-z0-9-]+)\/kms\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
/** The bytes before the point in the SubjectPublicKeyInfo of an uncompressed secp256k1 key. */
const SPKI_HEAD = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');

/** AWS KMS: `TrentService.Sign` and `TrentService.GetPublicKey`, signature version 4 checked to the last byte. */
export class KmsStandIn extends SignerStandIn {
  static readonly REGION = 'eu-central-1';
  static readonly KEY_ID = '1234abcd-12ab-34cd-56ef-1234567890ab';
  static readonly CREDENTIALS = { accessKeyId: 'AKIATESTTESTTESTTEST', secretAccessKey: 'kms-stand-in-secret' };

  static start(key: Uint8Array): Promise<KmsStandIn> {
    return new KmsStandIn(key).listen();
  }

  protected answer(request: StandInRequest): StandInAnswer {
    expectThat(request.method === 'POST' && request.path === '/', 'not POST /');
    expectThat(request.headers['content-type'] === 'application/x-amz-json-1.1', 'content type');
    assertSigned(request);
    const body = JSON.parse(request.body.toString()) as Record<string, unknown>;
    expectThat(body['KeyId'] === KmsStandIn.KEY_ID, 'KeyId');
    const target = request.headers['x-amz-target'];
    if (target === 'TrentService.GetPublicKey') return this.publicKeyAnswer();
    if (target === 'TrentService.Sign') return this.signAnswer(body);
    throw new BadRequest('x-amz-target');
  }

  protected throttledAnswer(): StandInAnswer {
    return kmsAnswer(400, { __type: 'ThrottlingException', message: 'You have exceeded the rate for arn:aws:kms:…' });
  }

  private publicKeyAnswer(): StandInAnswer {
    const PublicKey = Buffer.concat([SPKI_HEAD, this.publicKey]).toString('base64');
    return kmsAnswer(200, { KeyId: KmsStandIn.KEY_ID, KeySpec: 'ECC_SECG_P256K1', KeyUsage: 'SIGN_VERIFY', PublicKey });
  }

  private signAnswer(body: Record<string, unknown>): StandInAnswer {
    const digest = Buffer.from(String(body['Message']), 'base64');
    expectThat(body['MessageType'] === 'DIGEST' && digest.length === 32, 'MessageType or Message');
    expectThat(body['SigningAlgorithm'] === 'ECDSA_SHA_256', 'SigningAlgorithm');
    const Signature = this.derSignatureOf(digest).toString('base64');
    return kmsAnswer(200, { KeyId: KmsStandIn.KEY_ID, Signature, SigningAlgorithm: 'ECDSA_SHA_256' });
  }
}

function kmsAnswer(status: number, body: object): StandInAnswer {
  return { status, contentType: 'application/x-amz-json-1.1', body: JSON.stringify(body) };
}

/**
 * Verifies what https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html describes.
 */
function assertSigned({ method, path, headers, body }: StandInRequest): void {
  const [, accessKeyId, day, region, signedHeaders = '', signature] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  expectThat(accessKeyId === KmsStandIn.CREDENTIALS.accessKeyId, 'Authorization');
  expectThat(region === KmsStandIn.REGION, 'region of the credential scope');
  const time = String(headers['x-amz-date']);
  expectThat(time.startsWith(`${day}T`), 'x-amz-date');
  const names = signedHeaders.split(';');
  expectThat(
    ['host', 'x-amz-date', 'x-amz-target'].every((name) => names.includes(name)),
    'SignedHeaders',
  );

  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const canonicalHeaders = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = [method, path, '', canonicalHeaders, signedHeaders, sha256(body)].join('\n');
  const scope = `${day}/${region}/kms/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const secret = `AWS4${KmsStandIn.CREDENTIALS.secretAccessKey}`;
  const signingKey = scope.split('/').reduce<string | Buffer>((key, part) => hmac(key, part), secret);
  expectThat(hmac(signingKey, toSign).toString('hex') === signature, 'signature version 4');
}
