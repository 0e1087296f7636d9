import { createHash, generateKeyPairSync, sign } from 'node:crypto';

/** Of a site, as an authenticator has it: user present and verified, and no counter. */
const FLAGS_AND_COUNTER = [0x05, 0, 0, 0, 0];
const ORIGIN = 'https://app.example';

/** A passkey in memory: its public key's two halves, and what a browser's `navigator.credentials.get` returns of it. */
export function newPasskey() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const authenticatorData = Buffer.concat([sha256('app.example'), Buffer.from(FLAGS_AND_COUNTER)]);
  return {
    x: Buffer.from(x, 'base64url'),
    y: Buffer.from(y, 'base64url'),
    get({ publicKey: { challenge } }) {
      const client = { type: 'webauthn.get', challenge: Buffer.from(challenge).toString('base64url'), origin: ORIGIN };
      const clientDataJSON = Buffer.from(JSON.stringify({ ...client, crossOrigin: false }));
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientDataJSON)]), privateKey);
      return { response: { authenticatorData, clientDataJSON, signature } };
    },
  };
}

const sha256 = (data) => createHash('sha256').update(data).digest();
