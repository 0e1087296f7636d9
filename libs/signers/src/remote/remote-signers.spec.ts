import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { getBytes, keccak256, recoverAddress, hexlify } from 'ethers';
import { STAND_IN_KINDS, StandingSigners, type StandingSigner } from '../testing/standing-signers';
import type { SignerMode } from '../testing/signer-stand-in';
import type { VaultStandIn } from '../testing/vault-stand-in';
import { SignerError } from '../signer/signer-error';
import { makeSigner } from '../set/make-signer';
import { parseSigners } from '../set/parse-signers';
import type { RemoteSigner } from './remote-signer';

/** Less than what an impatient test waits, more than a busy machine takes. */
const PATIENT_MS = 20_000;
const IMPATIENT_MS = 400;

const message = () => {
  const preimage = randomBytes(66);
  return { preimage, digest: getBytes(keccak256(preimage)) };
};

describe.each(STAND_IN_KINDS)('a key in %s', (kind) => {
  let world: StandingSigners;
  let standing: StandingSigner;

  beforeAll(async () => {
    world = new StandingSigners();
    standing = await world.start(kind);
  });
  afterAll(() => world?.stop());
  beforeEach(() => {
    standing.server.mode = 'ok';
  });

  const signerOf = async (changes: object = {}, timeoutMs = PATIENT_MS): Promise<RemoteSigner> => {
    const raw = { signers: [{ ...standing.definition, ...changes }] };
    const [definition] = parseSigners(raw, { path: 'signers.json', nodeEnv: 'production' });
    return (await makeSigner(definition!, timeoutMs)) as RemoteSigner;
  };

  const failureOf = async (mode: SignerMode, timeoutMs = PATIENT_MS): Promise<SignerError> => {
    standing.server.mode = mode;
    const { digest, preimage } = message();
    const signer = await signerOf({}, timeoutMs);
    const error = await signer.sign(digest, preimage).catch((caught: unknown) => caught);
    signer.close();
    expect(error).toBeInstanceOf(SignerError);
    return error as SignerError;
  };

  it('signs 20 digests in the form the contract accepts, over connections that stay open', async () => {
    const signer = await signerOf();
    const connectionsBefore = standing.server.connections;
    for (let round = 0; round < 20; round++) {
      const { digest, preimage } = message();
      const signature = await signer.sign(digest, preimage);
      expect(signature).toHaveLength(65);
      expect(recoverAddress(digest, hexlify(signature)).toLowerCase()).toBe(signer.address);
    }
    signer.close();
    expect(standing.server.problems).toEqual([]);
    expect(standing.server.connections - connectionsBefore).toBe(1);
  });

  it('turns a high s into a low s that recovers to the same address', async () => {
    standing.server.mode = 'highS';
    const signer = await signerOf();
    const { digest, preimage } = message();
    const signature = hexlify(await signer.sign(digest, preimage));
    signer.close();
    // ethers refuses a high s.
    expect(recoverAddress(digest, signature).toLowerCase()).toBe(signer.address);
  });

  it.each<[SignerMode, SignerError['kind']]>([
    ['http500', 'refused'],
    ['throttled', 'throttled'],
    ['closes', 'connection'],
    ['wrongKey', 'lying'],
    ['wrongDigest', 'lying'],
    ['truncated', 'malformed'],
    ['hugeBody', 'malformed'],
    ['wrongContentType', 'malformed'],
  ])('%s is %s, and nothing of the answer is repeated', async (mode, expected) => {
    const error = await failureOf(mode);
    expect(error.kind).toBe(expected);
    expect(error.message).not.toMatch(/secret|arn:|127\.0\.0\.1|hvs\./);
  });

  it.each<SignerMode>(['hang', 'trickle'])('%s is a timeout, on time', async (mode) => {
    const startedAt = Date.now();
    expect((await failureOf(mode, IMPATIENT_MS)).kind).toBe('timeout');
    expect(Date.now() - startedAt).toBeLessThan(IMPATIENT_MS * 10);
  });

  it('tries once more when the other end has just closed the connection', async () => {
    const signer = await signerOf();
    await signer.sign(message().digest, message().preimage).catch(() => undefined);
    standing.server.mode = 'closesOnce';
    const { digest, preimage } = message();
    await expect(signer.sign(digest, preimage)).resolves.toHaveLength(65);
    signer.close();
  });

  if (kind === 'web3signer')
    it('gets a bounded number of calls at once; a request without a turn in time is refused, and the signer is not blamed', async () => {
      standing.server.mode = 'hang';
      const signer = await signerOf({}, 2_000);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 100 }, () => {
          const { digest, preimage } = message();
          return signer.sign(digest, preimage);
        }),
      );
      signer.close();
      const kinds = outcomes.map((outcome) => (outcome as { reason: SignerError }).reason.kind);
      expect(kinds.filter((kindOfFailure) => kindOfFailure === 'timeout')).toHaveLength(64);
      expect(kinds.filter((kindOfFailure) => kindOfFailure === 'busy')).toHaveLength(36);
    });

  if (kind === 'aws-kms')
    it('knows the address of its key before it signs, also after the key has changed', async () => {
      const right = await signerOf();
      await expect(right.assertOwnKey()).resolves.toBeUndefined();
      const wrong = await signerOf({ address: `0x${'ab'.repeat(20)}` });
      await expect(wrong.assertOwnKey()).rejects.toThrow(`the key's address is ${standing.server.address}, not 0xabab`);
      right.close();
      wrong.close();
    });

  if (kind === 'vault') {
    it('signs the same with the other marshaling', async () => {
      const signer = await signerOf({ marshaling: 'jws' });
      const { digest, preimage } = message();
      await expect(signer.sign(digest, preimage)).resolves.toHaveLength(65);
      signer.close();
    });

    it('reads a renewed token as soon as the old one is refused', async () => {
      const vault = standing.server as VaultStandIn;
      const signer = await signerOf();
      await signer.sign(message().digest, message().preimage);
      vault.token = 'hvs.renewed';
      const refused = await signer.sign(message().digest, message().preimage).catch((error: unknown) => error);
      expect(refused).toMatchObject({ kind: 'refused', message: 'HTTP status 403' });
      writeFileSync(String(standing.definition['tokenFile']), vault.token);
      await expect(signer.sign(message().digest, message().preimage)).resolves.toHaveLength(65);
      signer.close();
    });
  }
});
