type Read = { readonly publicKey: string | Record<string, unknown> } | { readonly problem: string };

/** The public key in a text, as PEM or as JWK; or what is wrong with it. A private key is never sent. */
export function readPublicKey(text: string): Read {
  const typed = text.trim();
  if (/PRIVATE KEY/.test(typed)) return { problem: PRIVATE };
  if (/^-----BEGIN PUBLIC KEY-----/.test(typed)) return { publicKey: `${typed}\n` };
  try {
    const jwk = JSON.parse(typed) as unknown;
    if (typeof jwk === 'object' && jwk !== null && !Array.isArray(jwk)) {
      return 'd' in jwk ? { problem: PRIVATE } : { publicKey: jwk as Record<string, unknown> };
    }
  } catch {
    // No JSON: said below.
  }
  return { problem: 'A public key begins with -----BEGIN PUBLIC KEY----- (PEM), or is a JWK: { "kty": … }.' };
}

const PRIVATE = 'This is the private key, which must not leave your server. Paste the public one.';
