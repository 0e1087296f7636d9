import type { Schemas } from '../../api/queries';

type Signer = Pick<Schemas['SessionKeyView'], 'paymasterId' | 'keyId' | 'algorithm'>;

/** The back end that signs session tokens of docs/architecture/api-keys.md, with this key's ids in it. */
export function sessionSnippetOf({ paymasterId, keyId, algorithm }: Signer): string {
  return `// Node 20 or later, npm install jose express
import { readFileSync } from 'node:fs';
import { createPrivateKey } from 'node:crypto';
import express from 'express';
import { SignJWT } from 'jose';

const PAYMASTER_ID = '${paymasterId}';
const SESSION_KEY_ID = '${keyId}';
const { SESSION_KEY_FILE } = process.env;
const privateKey = createPrivateKey(readFileSync(SESSION_KEY_FILE)); // the private key of this public one

const app = express();
app.post('/paymaster-session', async (request, response) => {
  const user = await userOf(request); // Your own log-in. Never a name that the page sends.
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: '${algorithm}', kid: SESSION_KEY_ID })
    .setAudience(PAYMASTER_ID)
    .setSubject(user.id)
    .setIssuedAt()
    .setExpirationTime('15m')
    .sign(privateKey);
  response.json({ token });
});
app.listen(8080);`;
}
