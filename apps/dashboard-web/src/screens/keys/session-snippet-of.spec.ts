import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jwtVerify, SignJWT } from 'jose';
import { sessionSnippetOf } from './session-snippet-of';

const DOCS = join(__dirname, '../../../../../docs/architecture/api-keys.md');
const IDS = { paymasterId: 'paymaster-1', keyId: 'key-1' };

/** The lines that sign, without the server around them. */
function handlerOf(code: string): string {
  const [handler] = /const token = [\s\S]+?\.sign\(privateKey\);/.exec(code) ?? [];
  if (!handler) throw new Error('the code signs nothing');
  return handler;
}

it.each([
  ['EdDSA', generateKeyPairSync('ed25519')],
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
] as const)(
  'the snippet signs a token with %s that names the user, the key and the paymaster',
  async (algorithm, pair) => {
    const lines = handlerOf(sessionSnippetOf({ ...IDS, algorithm }));
    const sign = new Function(
      ...['SignJWT', 'PAYMASTER_ID', 'SESSION_KEY_ID', 'privateKey', 'user'],
      `return (async () => { ${lines} return token; })();`,
    ) as (sign: typeof SignJWT, paymasterId: string, keyId: string, key: KeyObject, user: object) => Promise<string>;
    const token = await sign(SignJWT, IDS.paymasterId, IDS.keyId, pair.privateKey, { id: 'user-1' });
    const { payload, protectedHeader } = await jwtVerify(token, pair.publicKey, { audience: IDS.paymasterId });
    expect(protectedHeader).toEqual({ alg: algorithm, kid: IDS.keyId });
    expect(payload.sub).toBe('user-1');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(15 * 60);
  },
);

it('the snippet is the one of the docs', () => {
  const withoutComments = (code: string) => handlerOf(code).replace(/ \/\/.*$/gm, '');
  const shown = sessionSnippetOf({ ...IDS, algorithm: 'EdDSA' });
  expect(withoutComments(shown)).toBe(withoutComments(readFileSync(DOCS, 'utf8')));
});
