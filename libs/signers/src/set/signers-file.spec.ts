import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encryptKeystoreJsonSync, Wallet } from 'ethers';
import { StandingSigners, type StandingSigner } from '../testing/standing-signers';
import { parseSigners } from './parse-signers';
import { SignersFile } from './signers-file';

const ADDRESS = `0x${'ab'.repeat(20)}`;
const kms = { name: 'kms', kind: 'aws-kms', address: ADDRESS, keyId: 'alias/paymaster', region: 'eu-central-1' };
const vault = {
  ...{ name: 'vault', kind: 'vault', address: `0x${'cd'.repeat(20)}`, url: 'https://vault:8200' },
  ...{ key: 'paymaster', tokenFile: 'token' },
};

describe('parseSigners', () => {
  const parse = (signers: unknown, nodeEnv = 'production') =>
    parseSigners({ signers }, { path: 'signers.json', nodeEnv });

  it('fills in defaults and lower-cases addresses', () => {
    expect(parse([{ ...vault, address: `0x${'CD'.repeat(20)}` }])).toEqual([
      { ...vault, mount: 'transit', marshaling: 'asn1' },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['no signer', [], 'signers must NOT have fewer than 1 items'],
    ['nine', Array(9).fill(kms), 'signers must NOT have more than 8 items'],
    ['an unknown kind', [{ ...kms, kind: 'hsm' }], 'signers.0.kind must be equal to one of the allowed values'],
    ['a raw key', [{ ...kms, kind: 'privateKey' }], 'signers.0.kind must be equal to one of the allowed values'],
    ['an unknown field', [kms, { ...vault, token: 'x' }], 'signers.1 must NOT have additional properties (token)'],
    ['a missing field', [{ ...kms, keyId: undefined }], "signers.0 must have required property 'keyId'"],
    ['a wrong region', [{ ...kms, region: 'Frankfurt' }], 'signers.0.region must match pattern'],
    ['a path in a key', [{ ...vault, key: '../x' }], 'signers.0.key must match pattern'],
    ['a secret in a URL', [{ ...vault, url: 'https://u:p@vault' }], 'signers.0.url must match pattern'],
    ['a name twice', [kms, { ...vault, name: 'kms' }], 'signers.1.name kms is there twice'],
    ['an address twice', [kms, { ...vault, address: ADDRESS }], `signers.1.address ${ADDRESS} is there twice`],
    ['no TLS', [{ ...vault, url: 'http://vault:8200' }], 'signers.0.url must be https'],
    ['an endpoint without TLS', [{ ...kms, endpoint: 'http://10.0.0.1' }], 'signers.0.endpoint must be https'],
    [
      'half of a client certificate',
      [
        {
          name: 'w',
          kind: 'web3signer',
          address: ADDRESS,
          url: 'https://w',
          publicKey: `0x${'1'.repeat(128)}`,
          keyFile: 'k',
        },
      ],
      'signers.0 must have property certFile when property keyFile is present',
    ],
    [
      'the public key of another address',
      [{ name: 'w', kind: 'web3signer', address: ADDRESS, url: 'https://w', publicKey: `0x${'1'.repeat(128)}` }],
      'signers.0.publicKey has the address 0x',
    ],
  ])('refuses %s and names the field', (_title, signers, problem) => {
    expect(() => parse(signers)).toThrow(`signers.json: ${problem}`);
  });

  it('does without TLS in development, and on this machine', () => {
    expect(() => parse([{ ...vault, url: 'http://vault:8200' }], 'development')).not.toThrow();
    for (const url of ['http://127.0.0.1:8200', 'http://[::1]:8200', 'http://localhost:8200'])
      expect(() => parse([{ ...vault, url }])).not.toThrow();
    expect(() => parse([{ ...vault, url: 'http://127.0.0.1.example.org' }])).toThrow('must be https');
  });
});

describe('SignersFile', () => {
  let world: StandingSigners;
  let first: StandingSigner;
  let second: StandingSigner;
  let file: SignersFile;

  beforeEach(async () => {
    world = new StandingSigners();
    [first, second] = await Promise.all([world.start('aws-kms'), world.start('vault')]);
    file = new SignersFile(world.path, { nodeEnv: 'production', timeoutMs: 20_000, listeners: {} });
  });
  afterEach(() => world?.stop());

  it('keeps unchanged signers when it is read again, and detects changes', async () => {
    world.list(first);
    const [before] = await file.read();
    expect(file.hasChanged()).toBe(false);
    world.list(second, first);
    expect(file.hasChanged()).toBe(true);
    const [added, kept] = await file.read();
    expect(kept).toBe(before);
    expect(added?.address).toBe(second.server.address);
    expect(file.hasChanged()).toBe(false);
    for (const signer of [added, kept]) signer?.close();
  });

  it('lists a signer that cannot be reached as down', async () => {
    second.server.mode = 'closes';
    world.list(first, second);
    const [up, down] = await file.read();
    expect([up?.isUp, down?.isUp, down?.downBecause]).toEqual([true, false, 'connection']);
    for (const signer of [up, down]) signer?.close();
  });

  it('is invalid when a signer signs with another key', async () => {
    second.server.mode = 'wrongKey';
    world.list(first, second);
    await expect(file.read()).rejects.toThrow(/signers\.1 \(vault-1\): the signature is not of 0x/);
  });

  it('takes a keystore only with the address that is in it; its paths begin where the file is', async () => {
    const wallet = Wallet.createRandom();
    const keystore = encryptKeystoreJsonSync({ address: wallet.address, privateKey: wallet.privateKey }, 'sesame', {
      scrypt: { N: 2 },
    });
    writeFileSync(join(world.folder, 'keystore.json'), keystore);
    writeFileSync(join(world.folder, 'passphrase'), 'sesame\n');
    const files = { keystoreFile: 'keystore.json', passphraseFile: 'passphrase' };
    const entry = { name: 'local', kind: 'keystore', address: wallet.address, ...files };
    world.list(entry);
    const [signer] = await file.read();
    expect(signer?.isLocal).toBe(true);

    world.list({ ...entry, address: `0x${randomBytes(20).toString('hex')}` });
    await expect(file.read()).rejects.toThrow(
      `signers.0 (local): the keystore's address is ${wallet.address.toLowerCase()}, not 0x`,
    );
  });

  it.each([
    ['is not there', undefined, 'cannot be read'],
    ['is not JSON', '{', 'is not JSON'],
  ])('says so when it %s', async (_title, text, problem) => {
    if (text !== undefined) writeFileSync(world.path, text);
    await expect(file.read()).rejects.toThrow(`${world.path}: ${problem}`);
  });
});
