import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getBytes, keccak256 } from 'ethers';
import { Web3SignerStandIn } from '../testing/web3-signer-stand-in';
import { makeSigner } from '../set/make-signer';
import { parseSigners } from '../set/parse-signers';
import type { RemoteSigner } from './remote-signer';

const message = () => {
  const preimage = randomBytes(66);
  return { preimage, digest: getBytes(keccak256(preimage)) };
};

describe('a signer behind TLS that asks for a certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-tls-'));
  const file = (name: string) => join(folder, name);
  let server: Web3SignerStandIn;

  /** A key and a certificate that vouches for itself. */
  const selfSigned = (name: string) =>
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
        ...['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'],
        ...['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)],
      ],
      { stdio: 'ignore' },
    );

  beforeAll(async () => {
    for (const name of ['server', 'gateway', 'stranger']) selfSigned(name);
    server = await Web3SignerStandIn.start(randomBytes(32), {
      key: readFileSync(file('server.key')),
      cert: readFileSync(file('server.pem')),
      ca: readFileSync(file('gateway.pem')),
      requestCert: true,
      rejectUnauthorized: true,
    });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  const signWith = async (files: object): Promise<Uint8Array> => {
    const { address, url, identifier: publicKey } = server;
    const entry = { name: 'w3s', kind: 'web3signer', address, url, publicKey, ...files };
    const [definition] = parseSigners({ signers: [entry] }, { path: 'signers.json', nodeEnv: 'production' });
    const signer = (await makeSigner(definition!, 30_000)) as RemoteSigner;
    const { digest, preimage } = message();
    return signer.sign(digest, preimage).finally(() => signer.close());
  };
  const client = (name: string) => ({ certFile: file(`${name}.pem`), keyFile: file(`${name}.key`) });

  it('signs for the gateway that shows its certificate and knows the authority', async () => {
    await expect(signWith({ caFile: file('server.pem'), ...client('gateway') })).resolves.toHaveLength(65);
  });

  it.each<[string, () => object]>([
    ['whose authority is not known', () => client('gateway')],
    ['of another authority', () => ({ caFile: file('stranger.pem'), ...client('gateway') })],
    ['that does not know the certificate shown', () => ({ caFile: file('server.pem'), ...client('stranger') })],
    ['that is shown none', () => ({ caFile: file('server.pem') })],
  ])('gets nothing from a server %s', async (_title, files) => {
    const before = server.requests;
    await expect(signWith(files())).rejects.toMatchObject({ kind: 'connection' });
    expect(server.requests).toBe(before);
  });

  it('names a certificate file that is not there', async () => {
    await expect(signWith({ caFile: file('none.pem') })).rejects.toThrow(`caFile ${file('none.pem')} cannot be read`);
  });
});
