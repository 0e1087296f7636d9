import {
  ChainProvider,
  createDigestHasher,
  encodePaymasterAndData,
  encodeSponsorData,
  PAYMASTER_GAS_CONSTANTS,
  type DigestHasher,
} from '@paymaster/chain';
import { randomSignableOperation, SponsoredChain, sponsorFieldsBuilder, UNHURRIED } from '@paymaster/chain/testing';
import { until } from '@paymaster/domain/testing';
import { STAND_IN_KINDS, StandingSigners, type StandingSigner } from '../testing/standing-signers';
import { LocalKeySigner } from './local-key-signer';
import { openSigners } from '../set/open-signers';
import type { SignerSet } from '../set/signer-set';
import { SignerUpkeep } from '../set/signer-upkeep';
import { SignerMembership } from './signer-membership';

const PATIENT_MS = 60_000;
const VERSIONS = ['0.6', '0.7', '0.8', '0.9'] as const;

describe('signers elsewhere and the real contract', () => {
  let chain: SponsoredChain;
  let hasher: DigestHasher;
  let world: StandingSigners;
  const standing: StandingSigner[] = [];

  beforeAll(async () => {
    [chain, hasher] = await Promise.all([SponsoredChain.start(), createDigestHasher()]);
    world = new StandingSigners();
    for (const kind of STAND_IN_KINDS) standing.push(await world.start(kind));
    await chain.addSigners(
      VERSIONS,
      standing.map(({ server }) => server.address),
    );
  });
  afterAll(async () => {
    await world?.stop();
    await chain?.stop();
  });

  /** Whether the contract accepts the set's signature of a random operation. */
  const isAccepted = async (input: {
    set: SignerSet;
    membership: SignerMembership;
    version: (typeof VERSIONS)[number];
  }): Promise<boolean> => {
    const { set, membership, version } = input;
    const { entryPoint, paymaster } = chain.world.of(version);
    const paymasterGasLimits = PAYMASTER_GAS_CONSTANTS[version];
    const operation = randomSignableOperation(version);
    const sponsorFields = sponsorFieldsBuilder()
      .with('fundingWallet', chain.world.wallet)
      .with('unaccountedGas', paymasterGasLimits.unaccountedGas)
      .build();
    const context = { chainId: chain.world.chainId, paymaster, entryPoint, sponsorFields, paymasterGasLimits };
    const digest = hasher.digest(operation, context);
    const signature = await set.sign({ digest, preimage: hasher.preimage, contract: membership.trustOf(version) });
    const paymasterData = encodeSponsorData(sponsorFields, signature);
    const paymasterAndData = encodePaymasterAndData({ version, paymaster, paymasterGasLimits, paymasterData });
    return !(await chain.world.validate(operation, paymasterAndData, paymasterGasLimits)).signatureFailed;
  };

  const open = async () => {
    const { set, file } = await openSigners({
      source: { kind: 'file', path: world.path },
      nodeEnv: 'production',
      timeoutMs: PATIENT_MS,
    });
    const provider = new ChainProvider({ chainId: chain.world.chainId, rpcUrls: [chain.url] }, UNHURRIED);
    const membership = new SignerMembership(
      { chainId: chain.world.chainId, entryPoints: chain.entryPoints },
      provider,
      set,
    );
    await membership.start();
    return { set, file, membership };
  };

  it.each(STAND_IN_KINDS.map((kind, index) => [kind, index] as const))(
    'the contract accepts what %s signs, for every EntryPoint version',
    async (_kind, index) => {
      const { server } = standing[index]!;
      world.list(standing[index]!);
      const { set, membership } = await open();
      for (const version of VERSIONS) {
        for (const mode of ['ok', 'highS'] as const) {
          server.mode = mode;
          expect(await isAccepted({ set, membership, version })).toBe(true);
        }
      }
      server.mode = 'ok';
      expect(server.problems).toEqual([]);
      membership.stop();
      set.close();
    },
  );

  it('rotates a signer under load: no request is refused, and the contract accepts every signature', async () => {
    const [old, , lasting] = standing as [StandingSigner, StandingSigner, StandingSigner];
    const fresh = await world.start('vault');
    world.list(old, lasting);
    const { set, file, membership } = await open();
    const upkeep = new SignerUpkeep(set, file, { lookMs: 20, probeMs: 20 });
    set.onChange(() => void membership.start());
    upkeep.start();

    const outcomes: boolean[] = [];
    let isOver = false;
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) outcomes.push(await isAccepted({ set, membership, version: '0.7' }));
      }),
    );
    await until(() => old.server.signatures > 0 && outcomes.length > 5);

    await chain.addSigners(['0.7'], [fresh.server.address]);
    world.list(fresh, old, lasting);
    await until(() => set.addresses().length === 3);
    const knownAt = fresh.server.signatures;
    await until(() => fresh.server.signatures > knownAt + 5);
    world.list(fresh, lasting);
    await until(() => set.addresses().length === 2);
    const lastOfOld = old.server.signatures;
    await until(() => fresh.server.signatures > knownAt + 15);
    await chain.callPaymaster('0.7', 'removeSigner', [old.server.address]);
    const before = outcomes.length;
    await until(() => outcomes.length > before + 5);
    isOver = true;
    await load;

    expect(outcomes.filter((accepted) => !accepted)).toEqual([]);
    expect(old.server.signatures - lastOfOld).toBeLessThanOrEqual(4);
    membership.stop();
    upkeep.stop();
  });

  /** A signer that the chain's contracts know, where the contract for v0.7 is of another generation. */
  async function beside(generation: 'first' | 'second') {
    const { paymaster } = await chain.deployBeside('0.7', generation);
    const { '0.7': served, ...others } = chain.entryPoints;
    const provider = new ChainProvider({ chainId: chain.world.chainId, rpcUrls: [chain.url] }, UNHURRIED);
    const signer = new LocalKeySigner(Buffer.alloc(32, 7));
    const membership = new SignerMembership(
      { chainId: chain.world.chainId, entryPoints: { ...others, '0.7': { ...served!, paymaster } } },
      provider,
      { addresses: () => [signer.address], isUp: () => true },
    );
    await membership.start();
    membership.stop();
    return { membership, signer };
  }

  it('signs for contracts of the second generation beside those of the third', async () => {
    const { membership, signer } = await beside('second');
    expect(membership.strangerTo(signer.address)).toEqual([]);
    for (const version of ['0.6', '0.7', '0.8', '0.9'] as const)
      expect(() => membership.assertMember(version)).not.toThrow();
  });

  it('signs nothing for a contract of the first generation, which accepts the key and no signature', async () => {
    const { membership, signer } = await beside('first');
    expect(membership.strangerTo(signer.address)).toEqual(['0.7']);
    expect(() => membership.assertMember('0.8')).not.toThrow();
    expect(() => membership.assertMember('0.7')).toThrow('is of another generation: it accepts no signature');
  });

  it('keeps the former signers when the changed file is invalid', async () => {
    const [, vault, web3signer] = standing as [StandingSigner, StandingSigner, StandingSigner];
    world.list(vault);
    const { set, file, membership } = await open();
    const refused: string[] = [];
    const upkeep = new SignerUpkeep(set, file, { lookMs: 20, onRefused: (error) => refused.push(String(error)) });
    upkeep.start();
    world.list({ ...web3signer.definition, surprise: true });
    await until(() => refused.length > 0);
    expect(refused).toEqual([expect.stringContaining('signers.0 must NOT have additional properties (surprise)')]);
    expect(upkeep.trouble).toBe(refused[0]!.replace('SignerKeyError: ', ''));
    expect(await isAccepted({ set, membership, version: '0.8' })).toBe(true);
    membership.stop();
    upkeep.stop();
  });
});
