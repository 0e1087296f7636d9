import {
  DEFAULT_PAYMASTER_SETTINGS,
  delegationTo,
  EIP7702_MARKER,
  normalizeAddress,
  type Address,
  type Hex,
  type TokenMode,
  type UserOperationV07,
} from '@paymaster/domain';
import {
  policySnapshotBuilder,
  randomAddress,
  rulesPolicyBuilder,
  tokenListingBuilder,
  userOperationV07Builder,
} from '@paymaster/domain/testing';
import { compilePolicy } from '@paymaster/policy';
import { NO_DEADLINE } from '@paymaster/turns';
import { encodeFunctionData, erc20Abi, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Caller } from '../../callers/caller';
import { AccountImplementations } from '../../chains/account-implementations';
import { judgeTokenPayment } from './token-policy';
import { tokenRegistry } from '../../chains/token-registry';

const BATCH = parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)']);
const BATCH_OF_TUPLES = parseAbi(['function executeBatch((address to, uint256 value, bytes data)[] calls)']);
const SIMPLE_7702: Address = '0xe6cae83bde06e4c305530e199d7217f42808555b';
const listed = { to: randomAddress(), data: '0x12345678' as Hex };
const token = tokenListingBuilder().build();
const paymasterContract = randomAddress();

interface Call {
  readonly to: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

const batch = (calls: readonly Call[]): Hex =>
  encodeFunctionData({
    abi: BATCH,
    functionName: 'executeBatch',
    args: [calls.map(({ to }) => to), calls.map(({ value = 0n }) => value), calls.map(({ data }) => data)],
  });
const batchOfTuples = (calls: readonly Call[]): Hex =>
  encodeFunctionData({
    abi: BATCH_OF_TUPLES,
    functionName: 'executeBatch',
    args: [calls.map(({ to, data, value = 0n }) => ({ to, data, value }))],
  });
const approve = (spender: Address = paymasterContract, to: Address = token.address): Call => ({
  to,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 5n] }),
});

function ask(
  callData: Hex,
  tokenMode: TokenMode = 'whitelistedCalls',
  changes: Partial<UserOperationV07> & {
    /** The chain's answer; left out if the code under test must not ask the chain. */
    code?: Hex;
    delegates?: readonly Address[];
    isQuote?: boolean;
    isStub?: boolean;
  } = {},
): Promise<unknown> {
  const { code, delegates = null, isQuote = false, isStub = false, ...fields } = changes;
  const accounts = new AccountImplementations({
    code: () => (code ? Promise.resolve(code) : Promise.reject(new Error('not asked'))),
    storageAt: () => Promise.reject(new Error('not asked')),
    ethCall: () => Promise.reject(new Error('not asked')),
  });
  const snapshot = policySnapshotBuilder()
    .with('tokens', [token])
    .with('contracts', [{ address: listed.to, selectors: ['0x12345678'] }])
    .with('policies', [rulesPolicyBuilder({ eip7702Delegates: delegates }).build()])
    .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, tokenMode })
    .build();
  const paymaster = { snapshot, policy: compilePolicy(snapshot) };
  return judgeTokenPayment({
    caller: { paymaster, chain: { accounts }, deadlineMs: NO_DEADLINE } as unknown as Caller,
    ...{ isQuote, isStub },
    operation: { ...userOperationV07Builder('0.8').with('callData', callData).build(), ...fields },
    account: undefined,
    registry: tokenRegistry(paymaster, { tokens: [] }),
    paymasterContract,
  });
}

describe('judgeTokenPayment', () => {
  it.each<[string, Hex]>([
    ['calls that are not whitelisted', batch([approve(randomAddress())])],
    ['call data that nobody understands', '0xdeadbeef'],
    ['no call at all', '0x'],
  ])('takes %s where the user pays for any call', async (_title, callData) => {
    const trace = [{ rule: 'accountDeployed' }, { rule: 'noEip7702', outcome: 'pass' }];
    await expect(ask(callData, 'anyCall')).resolves.toMatchObject({ trace });
  });

  it.each<TokenMode>(['anyCall', 'whitelistedCalls'])(
    'refuses an account that is seen to have no code, with %s too, unless the operation deploys it',
    async (tokenMode) => {
      const [refusal, delegates] = [{ reason: 'ACCOUNT_NOT_DEPLOYED' }, [randomAddress()]];
      await expect(ask(batch([listed]), tokenMode, { code: '0x', delegates })).rejects.toMatchObject(refusal);
      const factory = '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985';
      await expect(ask(batch([listed]), tokenMode, { delegates, factory })).resolves.toBeDefined();
      await expect(ask(batch([listed]), 'anyCall', { delegates, isQuote: true })).resolves.toMatchObject({ trace: [] });
    },
  );

  it.each<TokenMode>(['anyCall', 'whitelistedCalls'])(
    'takes an account that delegates to a listed contract, with %s too, and names the delegate to sign',
    async (tokenMode) => {
      const [delegate, other] = [SIMPLE_7702, randomAddress()];
      const callData = batchOfTuples([listed]);
      const runs = { code: delegationTo(delegate) };
      const taken = { accountFacts: { eip7702Delegate: delegate } };
      const refusal = { reason: 'EIP7702_NOT_SPONSORED' };
      for (const marker of [{}, { factory: EIP7702_MARKER, factoryData: '0x' as Hex }]) {
        await expect(ask(callData, tokenMode, { ...runs, ...marker, delegates: [delegate] })).resolves.toMatchObject(
          taken,
        );
        await expect(ask(callData, tokenMode, { ...runs, ...marker, delegates: [other] })).rejects.toMatchObject(
          refusal,
        );
      }
      // Signed for an account that does not delegate: the chain is not asked whether it does.
      const some = { accountFacts: { eip7702Delegate: expect.any(String) as string } };
      await expect(ask(callData, tokenMode, { delegates: [] })).resolves.not.toMatchObject(some);
    },
  );

  it.each<TokenMode>(['anyCall', 'whitelistedCalls'])(
    'takes a new delegation to a listed contract that the sender signed, with %s too, and asks nobody',
    async (tokenMode) => {
      const owner = privateKeyToAccount(generatePrivateKey());
      const { r, s, yParity = 0 } = await owner.signAuthorization({ address: SIMPLE_7702, chainId: 1, nonce: 0 });
      const eip7702Auth = {
        ...{ chainId: 1n, address: SIMPLE_7702, nonce: 0n, r: BigInt(r), s: BigInt(s) },
        yParity: yParity as 0 | 1,
      };
      const sender = normalizeAddress(owner.address);
      const callData = batchOfTuples([listed]);
      const delegates = [SIMPLE_7702];
      const taken = { accountFacts: { eip7702Delegate: SIMPLE_7702 } };
      await expect(ask(callData, tokenMode, { delegates, sender, eip7702Auth })).resolves.toMatchObject(taken);
      const foreign = { field: 'params[0].eip7702Auth' };
      const other = { delegates, sender: randomAddress(), eip7702Auth };
      await expect(ask(callData, tokenMode, other)).rejects.toMatchObject(foreign);
      await expect(ask(callData, tokenMode, { ...other, isStub: true })).resolves.toMatchObject(taken);
      const refusal = { reason: 'EIP7702_NOT_SPONSORED' };
      await expect(ask(callData, tokenMode, { sender, eip7702Auth })).rejects.toMatchObject(refusal);
    },
  );

  it('takes a whitelisted call with the approval of the paymaster in front', async () => {
    await expect(ask(batch([approve(), listed]))).resolves.toMatchObject({
      trace: expect.arrayContaining([expect.anything()]),
    });
    await expect(ask(batch([listed]))).resolves.toMatchObject({ trace: expect.arrayContaining([expect.anything()]) });
  });

  const { data } = approve();
  it.each<[string, string, Call]>([
    ['another spender', 'CONTRACT_NOT_REGISTERED', approve(randomAddress())],
    ['another contract', 'CONTRACT_NOT_REGISTERED', approve(paymasterContract, randomAddress())],
    ['coin sent along', 'CONTRACT_NOT_REGISTERED', { ...approve(), value: 1n }],
    ['a byte more', 'CONTRACT_NOT_REGISTERED', { ...approve(), data: `${data}00` }],
    ['a byte less', 'CONTRACT_NOT_REGISTERED', { ...approve(), data: data.slice(0, -2) as Hex }],
    ['another method', 'CONTRACT_NOT_REGISTERED', { ...approve(), data: `0xa9059cbb${data.slice(10)}` }],
    [
      'dirt above the address',
      'CONTRACT_NOT_REGISTERED',
      { ...approve(), data: `${data.slice(0, 10)}01${data.slice(12)}` as Hex },
    ],
  ])('refuses an approval with %s', async (_title, reason, call) => {
    await expect(ask(batch([call, listed]))).rejects.toMatchObject({ reason });
  });

  it('refuses an approval alone, because it contains no whitelisted call', async () => {
    await expect(ask(batch([approve()]))).rejects.toMatchObject({ reason: 'NOTHING_TO_SPONSOR' });
  });

  it.each<TokenMode>(['anyCall', 'whitelistedCalls'])(
    'refuses data behind the marker, with %s too: the simulation of the payment would not make that call',
    async (tokenMode) => {
      const marked = { factory: EIP7702_MARKER, factoryData: '0x00' as Hex };
      await expect(ask(batchOfTuples([listed]), tokenMode, marked)).rejects.toMatchObject({
        field: 'params[0].factoryData',
      });
    },
  );

  it('refuses what it does not understand', async () => {
    await expect(ask('0xdeadbeef')).rejects.toMatchObject({ reason: 'CALL_DATA_NOT_UNDERSTOOD' });
  });
});
