import { PAYMASTER_SIGNATURE_SUFFIX, userOpHash, type CompleteOperation } from '@paymaster/chain';
import {
  lyingProxy,
  misbehaves,
  simpleAccountArtifact,
  SponsoredChain,
  type SponsoredOperation,
} from '@paymaster/chain/testing';
import {
  BundlerRefusedError,
  DependencyUnavailableError,
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { ContractFactory, getBytes, Wallet } from 'ethers';
import { ValidationTrial } from './validation-trial';

/** Accounts that answer every call with 1, which an EntryPoint reads as "the signature is wrong", or revert. */
const NO_MAN = '0x600160005260206000f3';
const REVERTS = '0x60006000fd';
const BOUNDS = { maxVerificationGasLimit: 2_000_000n };

describe('ValidationTrial', () => {
  let chain: SponsoredChain;
  let trial: ValidationTrial;
  beforeAll(async () => {
    chain = await SponsoredChain.start();
    trial = trialAt(chain.url);
  });
  afterAll(() => chain?.stop());

  const trialAt = (url: string, timeoutMs = 60_000) =>
    new ValidationTrial({ chainId: 31337, rpcUrls: [url], bounds: BOUNDS }, { timeoutMs });
  const placeOf = (version: EntryPointVersion) => ({
    entryPoint: normalizeAddress(chain.entryPoints[version]!.entryPoint),
    deadlineMs: performance.now() + 60_000,
  });
  const refusal = (complete: CompleteOperation, by = trial) =>
    by.refusal({ complete, ...placeOf(complete.operation.entryPointVersion) });
  const withCode = async (code: string): Promise<Address> => {
    const account = randomAddress();
    await chain.rpc('anvil_setCode', account, code);
    return account;
  };

  describe.each(ENTRY_POINT_VERSIONS)('on EntryPoint v%s', (version) => {
    it('lets pass what can land, and does not run its calls', async () => {
      expect(await refusal(completeOf(await chain.sponsored({ version })))).toBeUndefined();
      expect(await refusal(completeOf(await chain.sponsored({ version, reverts: true })))).toBeUndefined();
    });

    it.each([
      ['AA24 signature error', NO_MAN, -32_507],
      ['AA23 reverted', REVERTS, -32_500],
    ])('refuses an account that fails with %s', async (reason, code, errorCode) => {
      const refused = await refusal(completeOf(await chain.sponsored({ version, sender: await withCode(code) })));
      expect(refused).toBeInstanceOf(BundlerRefusedError);
      expect(refused).toMatchObject({ code: errorCode, details: { aaCode: reason.slice(0, 4) } });
      expect(refused?.message).toContain(reason);
    });

    it('refuses what was changed after we signed it, and what nobody can pay', async () => {
      const { operation, paymaster } = completeOf(await chain.sponsored({ version }));
      const changed = { ...operation, callGasLimit: operation.callGasLimit + 1n };
      expect(await refusal({ operation: changed, paymaster })).toMatchObject({
        ...{ code: -32_507, details: { aaCode: 'AA34' } },
      });
      const poor = completeOf(await chain.sponsored({ version, wallet: randomAddress() }));
      expect(await refusal(poor)).toMatchObject({ code: -32_501, details: { aaCode: 'AA33' } });
    });

    it('judges no operation whose nonce is not the next, and none by its time', async () => {
      const sender = await withCode(NO_MAN);
      expect(await refusal(completeOf(await chain.sponsored({ version, sender, nonce: 1n })))).toBeUndefined();
      expect(await refusal(completeOf(await chain.sponsored({ version, sender, nonce: 0n })))).toBeDefined();
      expect(await refusal(completeOf(await chain.sponsored({ version, validUntilSeconds: 2 })))).toBeUndefined();
    });
  });

  it('reads the signature of a real account', async () => {
    const { entryPoint } = chain.entryPoints['0.7']!;
    const owner = Wallet.createRandom();
    const { abi, bytecode } = simpleAccountArtifact('0.7', 'SimpleAccountFactory');
    const deployer = await chain.world.rpc.getSigner(chain.world.deployer);
    const factory = await new ContractFactory(abi, bytecode, deployer).deploy(entryPoint);
    await factory.waitForDeployment();
    const sender = normalizeAddress(String(await factory.getFunction('getAddress(address,uint256)')(owner.address, 0)));
    const create = factory.interface.encodeFunctionData('createAccount', [owner.address, 0]);
    await chain.send(normalizeAddress(await factory.getAddress()), create);
    const { operation, paymaster } = completeOf(await chain.sponsored({ version: '0.7', sender, nonce: 0n }));
    const signedBy = async (wallet: Pick<Wallet, 'signMessage'>): Promise<CompleteOperation> => {
      const hash = userOpHash({ operation, paymaster }, { ...placeOf('0.7'), chainId: 31337 });
      return { operation: { ...operation, signature: (await wallet.signMessage(getBytes(hash))) as Hex }, paymaster };
    };
    expect(await refusal(await signedBy(owner))).toBeUndefined();
    expect(await refusal(await signedBy(Wallet.createRandom()))).toMatchObject({ details: { aaCode: 'AA24' } });
  });

  it('runs the code to which an account delegates with the operation', async () => {
    const { operation, paymaster } = completeOf(await chain.sponsored({ version: '0.8' }));
    const eip7702Auth = {
      chainId: 31337n,
      nonce: 0n,
      r: 1n,
      s: 1n,
      yParity: 0 as const,
      address: await withCode(NO_MAN),
    };
    const delegating = { ...operation, sender: randomAddress(), eip7702Auth } as typeof operation;
    expect(await refusal({ operation: delegating, paymaster })).toMatchObject({ details: { aaCode: 'AA24' } });
  });

  it('tries nothing with more gas than this platform signs', async () => {
    const { operation, paymaster } = completeOf(
      await chain.sponsored({ version: '0.7', sender: await withCode(NO_MAN) }),
    );
    const greedy = { ...operation, verificationGasLimit: BOUNDS.maxVerificationGasLimit + 1n };
    expect(await refusal({ operation: greedy, paymaster })).toBeUndefined();
  });

  it('waits no longer than its time for a node that hangs', async () => {
    const node = await lyingProxy(chain.url, misbehaves('hang', ['eth_call']));
    const complete = completeOf(await chain.sponsored({ version: '0.7' }));
    const startedMs = performance.now();
    await expect(refusal(complete, trialAt(node.url, 300))).rejects.toThrow(DependencyUnavailableError);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    await node.stop();
  });

  it('throws where no node answers', async () => {
    const node = await lyingProxy(chain.url, misbehaves('invalidJson', ['eth_call']));
    await expect(refusal(completeOf(await chain.sponsored({ version: '0.7' })), trialAt(node.url))).rejects.toThrow(
      'cannot be read',
    );
    await node.stop();
  });
});

/** A landed form of an operation, as a client sends it. */
function completeOf({ operation, packed }: SponsoredOperation): CompleteOperation {
  const { entryPointVersion: version } = operation;
  const data = String(packed['paymasterAndData']);
  const [paymaster, none] = [
    data.slice(0, 42) as Address,
    { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n },
  ];
  if (version === '0.6') return { operation, paymaster: { paymaster, ...none, paymasterData: `0x${data.slice(42)}` } };
  const limits = {
    paymasterVerificationGasLimit: BigInt(`0x${data.slice(42, 74)}`),
    paymasterPostOpGasLimit: BigInt(`0x${data.slice(74, 106)}`),
  };
  if (version !== '0.9')
    return { operation, paymaster: { paymaster, ...limits, paymasterData: `0x${data.slice(106)}` } };
  const end = data.length - (PAYMASTER_SIGNATURE_SUFFIX.length - 2);
  const paymasterSignature: Hex = `0x${data.slice(end - 130, end)}`;
  return {
    operation,
    paymaster: { paymaster, ...limits, paymasterData: `0x${data.slice(106, end - 130)}`, paymasterSignature },
  };
}
