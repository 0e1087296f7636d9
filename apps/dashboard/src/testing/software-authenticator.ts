import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { PAGE, type DashboardUnderTest } from './dashboard-under-test';
import { fromPage } from './people';

const [PRESENT, VERIFIED, WITH_KEY] = [0x01, 0x04, 0x40];

/** What a test has a device or a browser do otherwise than they should. */
export interface Deviations {
  readonly origin?: string;
  readonly rpId?: string;
  /** Of the challenge's bytes. */
  readonly challenge?: string;
  readonly type?: string;
  /** By PIN, finger or face. */
  readonly isVerified?: boolean;
  /** A statement about the device's maker. */
  readonly statement?: { readonly fmt: string; readonly attStmt: Cbor };
}

interface Asked {
  readonly challenge: string;
  readonly rpId: string;
}

/** A device that keeps one passkey, and the browser in front of it. Its answers are those of Web Authentication. */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32).toString('base64url');
  private readonly key: KeyObject;
  private readonly publicKey: Cbor;
  private personId = '';

  /** @param count how often it says that it used the key; 0 and no more for a device that does not count */
  constructor(
    algorithm: 'ES256' | 'EdDSA' = 'ES256',
    private count = 0,
  ) {
    const pair =
      algorithm === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
    this.key = pair.privateKey;
    const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
    const coordinates = [x, y].map((each) => Buffer.from(each, 'base64url'));
    this.publicKey =
      algorithm === 'ES256'
        ? new Map<number, Cbor>([
            [1, 2],
            [3, -7],
            [-1, 1],
            [-2, coordinates[0]!],
            [-3, coordinates[1]!],
          ])
        : new Map<number, Cbor>([
            [1, 1],
            [3, -8],
            [-1, 6],
            [-2, coordinates[0]!],
          ]);
  }

  /** Answers `navigator.credentials.create`. */
  create({ challenge, rpId, personId }: Asked & { readonly personId: string }, otherwise: Deviations = {}) {
    this.personId = personId;
    const id = Buffer.from(this.credentialId, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const authData = Buffer.concat([
      this.authenticatorData({ rpId, flags: WITH_KEY }, otherwise),
      ...[Buffer.alloc(16), length, id, encode(this.publicKey)],
    ]);
    const { fmt, attStmt } = otherwise.statement ?? { fmt: 'none', attStmt: new Map<string, Cbor>() };
    const attestation = new Map<string, Cbor>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', authData],
    ]);
    return {
      ...{ credentialId: this.credentialId, attestationObject: encode(attestation).toString('base64url') },
      clientDataJSON: clientData({ type: 'webauthn.create', challenge }, otherwise).toString('base64url'),
    };
  }

  /** Answers `navigator.credentials.get`. */
  use({ challenge, rpId }: Asked, otherwise: Deviations = {}) {
    if (this.count > 0) this.count += 1;
    const data = clientData({ type: 'webauthn.get', challenge }, otherwise);
    const authData = this.authenticatorData({ rpId, flags: 0 }, otherwise);
    const signed = Buffer.concat([authData, createHash('sha256').update(data).digest()]);
    const hash = this.key.asymmetricKeyType === 'ec' ? 'sha256' : null;
    return {
      ...{ credentialId: this.credentialId, clientDataJSON: data.toString('base64url') },
      ...{ authenticatorData: authData.toString('base64url') },
      signature: sign(hash, signed, this.key).toString('base64url'),
      userHandle: Buffer.from(this.personId).toString('base64url'),
    };
  }

  /** As if a copy of the key had been made before. */
  countBack(): void {
    this.count -= 1;
  }

  private authenticatorData(
    by: { rpId: string; flags: number },
    { rpId = by.rpId, isVerified = true }: Deviations,
  ): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.count);
    const flags = by.flags | PRESENT | (isVerified ? VERIFIED : 0);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count]);
  }
}

/** A passkey of a person, added as the page does it. */
export async function addPasskey(
  dashboard: DashboardUnderTest,
  cookie: string,
  authenticator = new SoftwareAuthenticator(),
): Promise<SoftwareAuthenticator> {
  const options = await dashboard.call({ method: 'GET', path: '/passkeys/options', headers: { cookie } });
  const body = { name: 'a device', ...authenticator.create(options.body.data as never) };
  const answer = await dashboard.call({ method: 'POST', path: '/passkeys', headers: fromPage(cookie), body });
  if (answer.status !== 200) throw new Error(answer.body.message);
  return authenticator;
}

/** What a visitor's browser sends to sign in. */
export async function passkeyAnswer(
  dashboard: DashboardUnderTest,
  authenticator: SoftwareAuthenticator,
  otherwise: Deviations = {},
) {
  const { data } = (await dashboard.call({ method: 'GET', path: '/session/passkey' })).body;
  return authenticator.use(data as unknown as Asked, otherwise);
}

function clientData(said: { type: string; challenge: string }, otherwise: Deviations): Buffer {
  const { origin = PAGE, challenge = said.challenge, type = said.type } = otherwise;
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

export type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<string | number, Cbor>;

/** The CBOR of a value (RFC 8949), as far as devices use it. */
function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<string | number, Cbor>)];
    return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, each]) => [encode(key), encode(each)])]);
  }
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(encode)]);
}

function head(major: number, argument: number): Buffer {
  const kind = major << 5;
  if (argument < 24) return Buffer.from([kind | argument]);
  if (argument < 0x100) return Buffer.from([kind | 24, argument]);
  return Buffer.from([kind | 25, argument >> 8, argument & 0xff]);
}
