import { Transform } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { KMSClient, KMSClientConfig } from '@aws-sdk/client-kms';
import { fromDerSignature } from '../signature/der-signature';
import { addressOfSpki } from '../signer/public-key-address';
import { SignerError, SignerKeyError } from '../signer/signer-error';
import type { RemoteKey, RemoteSigningRequest } from './remote-key';

const MAX_SOCKETS = 64;
/** Many times the size of any answer. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Longer than any call: it ends an answer that trickles after its caller has gone. */
const MAX_ANSWER_MS = 10_000;
/**
 * https://docs.aws.amazon.com/kms/latest/developerguide/throttling.html, and further errors that the SDK treats as
 * throttling.
 */
const THROTTLED = new Set(['ThrottlingException', 'TooManyRequestsException', 'LimitExceededException', 'SlowDown']);

export interface AwsKmsSettings {
  /** Key id, ARN, or alias with `alias/` in front. */
  readonly keyId: string;
  readonly region: string;
  /** An endpoint in place of the region's own, for example a VPC endpoint. */
  readonly endpoint?: string | undefined;
}

type Kms = typeof import('@aws-sdk/client-kms');

/**
 * A key of AWS KMS, of key spec ECC_SECG_P256K1. Credentials come from the SDK's own chain: the pod's web identity,
 * the shared files, the instance.
 */
export class AwsKmsKey implements RemoteKey {
  private constructor(
    private readonly kms: Kms,
    private readonly client: KMSClient,
    private readonly keyId: string,
  ) {}

  /** Loads the SDK, which takes 80 ms and 15 MB that other signers do not need. */
  static async open({ keyId, region, endpoint }: AwsKmsSettings): Promise<AwsKmsKey> {
    const kms = await import('@aws-sdk/client-kms');
    const config: KMSClientConfig = {
      region,
      // One attempt only: another signer is a better second attempt, and the deadline is short.
      maxAttempts: 1,
      requestHandler: {
        httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
        httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      },
      ...(endpoint !== undefined && { endpoint }),
    };
    const client = new kms.KMSClient(config);
    boundAnswers(client);
    return new AwsKmsKey(kms, client, keyId);
  }

  async rawSignature({ digest, signal }: RemoteSigningRequest): Promise<Uint8Array> {
    const command = new this.kms.SignCommand({
      KeyId: this.keyId,
      Message: digest,
      // KMS has no name for Keccak: it signs the 32 bytes as they are.
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    });
    const { Signature } = await this.client.send(command, { abortSignal: signal }).catch(throwFailure(signal));
    if (!(Signature instanceof Uint8Array)) throw new SignerError('malformed', 'the answer holds no signature');
    return fromDerSignature(Signature);
  }

  async publicAddress(signal: AbortSignal): Promise<string> {
    const command = new this.kms.GetPublicKeyCommand({ KeyId: this.keyId });
    const { PublicKey } = await this.client.send(command, { abortSignal: signal }).catch(throwFailure(signal));
    if (!(PublicKey instanceof Uint8Array)) throw new SignerError('malformed', 'the answer holds no public key');
    try {
      return addressOfSpki(PublicKey);
    } catch (cause) {
      throw new SignerKeyError('the KMS key is not of the key spec ECC_SECG_P256K1', { cause });
    }
  }

  close(): void {
    this.client.destroy();
  }
}

/** Bounds what the SDK reads: by itself it would read answers of any size, for any time. */
function boundAnswers(client: KMSClient): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { response } = result as { response: { body?: unknown } };
      if (isStream(response.body)) response.body = bounded(response.body);
      return result;
    },
    // Right after the answer has arrived, before it is read.
    { name: 'boundAnswers', step: 'deserialize', priority: 'low' },
  );
}

function isStream(body: unknown): body is IncomingMessage {
  return typeof (body as { pipe?: unknown } | undefined)?.pipe === 'function';
}

function bounded(body: IncomingMessage): Transform {
  let size = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) done(new SignerError('malformed', `the answer is over ${MAX_ANSWER_BYTES} bytes`));
      else done(null, chunk);
    },
  });
  const tooLong = setTimeout(() => limit.destroy(new SignerError('timeout', 'no answer in time')), MAX_ANSWER_MS);
  tooLong.unref();
  limit.once('close', () => {
    clearTimeout(tooLong);
    body.destroy();
  });
  body.once('error', (error) => limit.destroy(error));
  body.pipe(limit);
  return limit;
}

/** Translates what the SDK throws. Its messages are not repeated: they name accounts, roles and keys. */
function throwFailure(signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    if (error instanceof SignerError) throw error;
    if (signal.aborted) throw new SignerError('timeout', 'no answer in time');
    const { name, code, $metadata } = error as {
      name?: string;
      code?: string;
      $metadata?: { httpStatusCode?: number };
    };
    const status = $metadata?.httpStatusCode;
    if (status === 429 || THROTTLED.has(name ?? '')) throw new SignerError('throttled', 'too many requests');
    if (status !== undefined && status !== 200) throw new SignerError('refused', `${name} (HTTP status ${status})`);
    if (name === 'CredentialsProviderError') throw new SignerError('refused', 'there are no AWS credentials');
    if (status === undefined) throw new SignerError('connection', `the connection failed (${code ?? name})`);
    throw new SignerError('malformed', `the answer cannot be read (${name ?? 'unknown'})`);
  };
}
