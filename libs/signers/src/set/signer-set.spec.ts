import { randomBytes } from 'node:crypto';
import { RequestTimedOutError, type Address } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { getBytes, keccak256 } from 'ethers';
import { ecdsaRecover } from 'secp256k1';
import type { ContractTrust } from '../signer/signer';
import { LocalKeySigner } from '../signer/local-key-signer';
import { StandingSigners, type StandingSigner } from '../testing/standing-signers';
import type { SignerFailure } from '../signer/signer-error';
import { LiveSigner, type SignerListeners } from './live-signer';
import { addressOfPublicKey } from '../signer/public-key-address';
import { makeSigner } from './make-signer';
import { parseSigners } from './parse-signers';
import { SignerSet } from './signer-set';
import { SignerUpkeep } from './signer-upkeep';

const PATIENT_MS = 20_000;
const everybody: ContractTrust = { trusts: () => true };

describe('SignerSet', () => {
  let world: StandingSigners;
  let first: StandingSigner;
  let second: StandingSigner;
  const told: string[] = [];

  beforeEach(async () => {
    told.length = 0;
    world = new StandingSigners();
    [first, second] = await Promise.all([world.start('web3signer'), world.start('vault')]);
  });
  afterEach(() => world?.stop());

  const setOf = async (standing: readonly StandingSigner[], timeoutMs = PATIENT_MS): Promise<SignerSet> => {
    const listeners: SignerListeners = {};
    const raw = { signers: standing.map(({ definition }) => definition) };
    const definitions = parseSigners(raw, { path: 'signers.json', nodeEnv: 'production' });
    const live = await Promise.all(
      definitions.map(async (one) => new LiveSigner(one.name, await makeSigner(one, timeoutMs), listeners)),
    );
    const set = new SignerSet(live, listeners, timeoutMs);
    set.listen({
      onDown: ({ name }, { kind }) => told.push(`${name} down: ${kind}`),
      onUp: ({ name }) => told.push(`${name} up`),
    });
    return set;
  };

  const request = (contract = everybody) => {
    const preimage = randomBytes(66);
    return { preimage, digest: getBytes(keccak256(preimage)), contract };
  };

  /** The signer of a signature. */
  const signedBy = async (set: SignerSet, contract = everybody): Promise<Address> => {
    const asked = request(contract);
    const signature = await set.sign(asked);
    return addressOfPublicKey(ecdsaRecover(signature.subarray(0, 64), signature[64]! - 27, asked.digest, false));
  };

  it('signs the right input even if the caller reuses the buffer of the preimage', async () => {
    const third = await world.start('web3signer');
    const set = await setOf([first, third]);
    first.server.mode = 'http500';
    const asked = request();
    const signing = set.sign(asked);
    asked.preimage.fill(0);
    const signature = await signing;
    const point = ecdsaRecover(signature.subarray(0, 64), signature[64]! - 27, asked.digest, false);
    expect(addressOfPublicKey(point)).toBe(third.server.address);
    set.close();
  });

  const burst = (set: SignerSet, size: number) => Promise.allSettled(Array.from({ length: size }, () => signedBy(set)));

  it('asks the first, and only the second where the contract does not trust the first', async () => {
    const set = await setOf([first, second]);
    expect(await signedBy(set)).toBe(first.server.address);
    expect(await signedBy(set, { trusts: (address: Address) => address !== first.server.address })).toBe(
      second.server.address,
    );
    set.close();
  });

  it('asks no signer for a request whose deadline is over', async () => {
    const set = await setOf([first, second]);
    const { requests } = first.server;
    await expect(set.sign({ ...request(), deadlineMs: performance.now() })).rejects.toThrow(RequestTimedOutError);
    expect(first.server.requests).toBe(requests);
    set.close();
  });

  it('does not count a failure against a signer that had little time', async () => {
    const set = await setOf([first, second]);
    // The first's timer may be some milliseconds early: then the second is asked, too.
    for (const { server } of [first, second]) server.mode = 'hang';
    for (let round = 0; round < 4; round++) {
      const late = { ...request(), deadlineMs: performance.now() + 100 };
      await expect(set.sign(late)).rejects.toThrow(RequestTimedOutError);
    }
    expect(told).toEqual([]);
    for (const { server } of [first, second]) server.mode = 'ok';
    expect(await signedBy(set)).toBe(first.server.address);
    set.close();
  });

  it('signs with a key of this process at once, without a promise', () => {
    const key = new LocalKeySigner(randomBytes(32));
    const listeners: SignerListeners = {};
    const set = new SignerSet([new LiveSigner('local', key, listeners)], listeners, PATIENT_MS);
    const asked = request();
    expect(set.sign(asked)).toEqual(key.sign(asked.digest));
    const seconds: number[] = [];
    set.observe({ signed: (name, took) => seconds.push(name === 'local' ? took : -1), failed: () => undefined });
    expect(set.sign(asked)).toEqual(key.sign(asked.digest));
    expect(seconds).toHaveLength(1);
    expect(seconds[0]).toBeGreaterThanOrEqual(0);
  });

  it('fails no request of a burst while one of two is down, and asks it no more', async () => {
    const set = await setOf([first, second]);
    const failures: SignerFailure[] = [];
    set.observe({ signed: () => undefined, failed: (_name, kind) => failures.push(kind) });
    await first.server.stop();
    const outcomes = await burst(set, 100);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(told).toEqual([`${first.definition.name} down: connection`]);
    expect(set.isUp(first.server.address)).toBe(false);

    failures.length = 0;
    expect(await signedBy(set)).toBe(second.server.address);
    expect(failures).toEqual([]);
    set.close();
  });

  it('asks the next after the timeout of a hanging signer', async () => {
    const set = await setOf([first, second], 300);
    first.server.mode = 'hang';
    const startedAt = performance.now();
    expect(await signedBy(set)).toBe(second.server.address);
    expect(performance.now() - startedAt).toBeGreaterThan(290);
    set.close();
  });

  it('never returns a wrong signature: the lying signer is down at once, and the next one signs', async () => {
    const set = await setOf([first, second]);
    first.server.mode = 'wrongKey';
    expect(await signedBy(set)).toBe(second.server.address);
    expect(told).toEqual([`${first.definition.name} down: lying`]);
    set.close();
  });

  it('fails at once when all signers are down, until a probe brings one back', async () => {
    const set = await setOf([first, second]);
    first.server.mode = second.server.mode = 'http500';
    await burst(set, 3);
    expect(told).toHaveLength(2);
    const requests = first.server.requests + second.server.requests;
    await expect(Promise.resolve(set.sign(request()))).rejects.toMatchObject({
      reason: 'DEPENDENCY_UNAVAILABLE',
      dependency: 'signer',
    });
    expect(first.server.requests + second.server.requests).toBe(requests);

    const upkeep = new SignerUpkeep(set, undefined, { probeMs: 20 });
    upkeep.start();
    second.server.mode = 'ok';
    await until(() => set.isUp(second.server.address));
    expect(await signedBy(set)).toBe(second.server.address);
    expect(set.isUp(first.server.address)).toBe(false);
    upkeep.stop();
  });

  it('uses the next while one is throttled, without counting it as down', async () => {
    const set = await setOf([first, second]);
    first.server.mode = 'throttled';
    expect(await signedBy(set)).toBe(second.server.address);
    const asked = first.server.requests;
    expect(await signedBy(set)).toBe(second.server.address);
    expect(first.server.requests).toBe(asked);
    expect(told).toEqual([]);
    set.close();
  });

  it('waits for the only signer while it is throttled, and asks it again after the pause', async () => {
    const set = await setOf([first]);
    first.server.mode = 'throttled';
    const signing = signedBy(set);
    await until(() => first.server.requests > 0);
    first.server.mode = 'ok';
    expect(await signing).toBe(first.server.address);
    set.close();
  });

  it('keeps the pace of a quota: allowed requests are signed, the rest is refused in time, and no signer is down', async () => {
    const set = await setOf([first], 2_000);
    await signedBy(set);
    first.server.quotaPerSecond = 20;
    const outcomes: boolean[] = [];
    const startedAt = performance.now();
    const clients = Array.from({ length: 20 }, async () => {
      while (performance.now() - startedAt < 3_000) {
        const asked = performance.now();
        outcomes.push(
          await signedBy(set).then(
            () => true,
            () => false,
          ),
        );
        expect(performance.now() - asked).toBeLessThan(4_000);
      }
    });
    await Promise.all(clients);
    const granted = outcomes.filter(Boolean).length;
    // 3 s at 20 requests a second, plus the second that the last requests wait.
    expect(granted).toBeGreaterThan(40);
    expect(granted).toBeLessThanOrEqual(100);
    expect(first.server.requests).toBeLessThan(5 * granted);
    expect(told).toEqual([]);
    set.close();
  });

  it('refuses within its deadline when the quota does not come back', async () => {
    const set = await setOf([first], 500);
    first.server.mode = 'throttled';
    const startedAt = performance.now();
    const outcomes = await burst(set, 50);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    // Throttled signers are paused and not called again and again: each gets its first call, and few after the pauses.
    expect(first.server.requests).toBeLessThan(200);
    expect(first.server.signatures).toBe(0);
    set.close();
  });
});
