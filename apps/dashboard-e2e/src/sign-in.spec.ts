import { randomUUID } from 'node:crypto';
import { readStack } from '@paymaster/devnet';
import { createSiweMessage } from 'viem/siwe';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { accountCommand } from './support/account';

const { dashboard: page, chainId } = readStack();

/** As the page's own requests: the address of the page is the origin. */
async function send(method: string, path: string, { cookie = '', body }: { cookie?: string; body?: object } = {}) {
  const answer = await fetch(`${page}/api/v2/public/sdk${path}`, {
    method,
    headers: { origin: page, cookie, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { data, reason } = (await answer.json()) as { data?: Record<string, unknown>; reason?: string };
  return { status: answer.status, data, reason, cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '' };
}

describe('signing in to the running dashboard', () => {
  it('goes by a code of the command line, until the person signs out', async () => {
    const account = `e2e ${randomUUID()}`;
    const made = JSON.parse(await accountCommand('sign-in-code', '--json', '--account', account)) as { code: string };
    const { status, cookie } = await send('POST', '/session/code', { body: { code: made.code } });
    expect(status).toBe(200);
    expect((await send('GET', '/session', { cookie })).data).toMatchObject({
      accounts: [{ name: account, role: 'owner' }],
    });
    expect((await send('DELETE', '/session', { cookie })).status).toBe(200);
    expect((await send('GET', '/session', { cookie })).reason).toBe('NOT_SIGNED_IN');
  });

  it('goes by a wallet that nobody knows, who then has no account, where sign-up is open', async () => {
    const wallet = privateKeyToAccount(generatePrivateKey());
    const { data } = await send('GET', '/session/nonce');
    const message = createSiweMessage({
      ...{ address: wallet.address, chainId, domain: new URL(page).host, uri: page, version: '1' },
      nonce: String(data?.['nonce']),
    });
    const body = { message, signature: await wallet.signMessage({ message }) };
    expect(await send('POST', '/session/wallet', { body })).toMatchObject({
      ...{ status: 200, data: { person: { walletAddress: wallet.address.toLowerCase() }, accounts: [] } },
    });
  });
});
