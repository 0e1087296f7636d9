import { demoPermitTokenAbi } from '@paymaster/contract-abis';
import { ENTRY_POINT_VERSIONS, normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import type { Abi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { refusalOf, worthOf, type AttackTarget, type GrantedOperation } from './testing/attack-target';
import { startAttackWorld, type AttackWorld } from './testing/attack-world';

const PERMIT_TYPES = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;
const VALUE = 10n ** 12n;
const DEADLINE = 2n ** 256n - 1n;

let world: AttackWorld;
beforeAll(async () => (world = await startAttackWorld()));
afterAll(() => world?.stop());

describe.each(ENTRY_POINT_VERSIONS)('charging by permit, EntryPoint v%s', (version) => {
  const owner = privateKeyToAccount(generatePrivateKey());
  let target: AttackTarget;
  let sender: Address;
  let signature: Hex;

  beforeEach(async () => {
    const { address } = world.tokens.USDx;
    target = await world.newTarget(version, { address, decimals: 6 });
    sender = await target.newSender({ owner: normalizeAddress(owner.address), baseUnits: VALUE });
    signature = await owner.signTypedData({
      domain: { name: world.tokens.USDx.name, version: '1', chainId: 31337, verifyingContract: address },
      types: PERMIT_TYPES,
      primaryType: 'Permit',
      message: { owner: sender, spender: world.paymasters[version], value: VALUE, nonce: 0n, deadline: DEADLINE },
    });
  });

  const permitOf = (bytes: Hex) => ({
    permit: { value: VALUE.toString(), deadline: DEADLINE.toString(), signature: bytes },
  });
  const sign = async (...calls: Parameters<AttackTarget['draft']>[1]): Promise<GrantedOperation> => {
    const granted = await target.sign(await target.draft(sender, calls), permitOf(signature));
    expect(granted.fields.way).toBe('permit');
    return granted;
  };
  const expectPaidInFull = async (granted: GrantedOperation): Promise<void> => {
    const outcome = await target.during(async () => {
      const [landed] = await target.land([granted]);
      expect(landed).toMatchObject({ success: true, due: undefined });
    });
    expect(outcome.etherSpentWei).toBeGreaterThan(0n);
    expect(outcome.tokensReceived).toBeGreaterThanOrEqual(worthOf(outcome.walletSpentWei, granted.fields));
  };

  it('is paid by an operation that revokes what the permit allowed and sends its tokens away', async () => {
    await expectPaidInFull(await sign(target.approvePaymaster(0n), target.trap('sweep', target.sweepTo())));
  });

  it('is paid when a stranger took the permit from the mempool and used it first', async () => {
    const granted = await sign();
    const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)];
    await world.chain.call({
      ...{ to: world.tokens.USDx.address, abi: demoPermitTokenAbi as Abi, name: 'permit' },
      args: [sender, world.paymasters[version], VALUE, DEADLINE, v, r, s],
    });
    await expectPaidInFull(granted);
  });

  it('signs nothing for a permit that the owner did not sign', async () => {
    const stranger = privateKeyToAccount(generatePrivateKey());
    const forged = await stranger.signMessage({ message: 'a permit' });
    const operation = await target.draft(sender, []);
    expect((await refusalOf(target.sign(operation, permitOf(forged)))).reason).toBe('TOKEN_ALLOWANCE_TOO_LOW');
  });

  it('cannot land after the tokens left the account, and costs no other party anything', async () => {
    const granted = await sign();
    await world.chain.asAccount(sender, target.token('transfer', [world.chain.outsider, VALUE]));
    const outcome = await target.during(() => expect(target.land([granted])).rejects.toThrow());
    expect(outcome).toEqual({ etherSpentWei: 0n, walletSpentWei: 0n, tokensReceived: 0n });
  });
});
