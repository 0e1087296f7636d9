import {
  DEFAULT_PAYMASTER_SETTINGS,
  EIP7702_MARKER,
  NO_DEADLINE,
  type Address,
  type Hex,
  type TokenMode,
  type UserOperationV07,
} from '@paymaster/domain';
import {
  policySnapshotBuilder,
  randomAddress,
  tokenListingBuilder,
  userOperationV07Builder,
} from '@paymaster/domain/testing';
import { compilePolicy } from '@paymaster/policy';
import { encodeFunctionData, erc20Abi, parseAbi } from 'viem';
import type { Caller } from '../callers/caller';
import { AccountImplementations } from '../chains/account-implementations';
import { assertPayableInTokens } from './token-policy';
import { tokenRegistry } from './token-registry';

const BATCH = parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)']);
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
const approve = (spender: Address = paymasterContract, to: Address = token.address): Call => ({
  to,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 5n] }),
});

function ask(
  callData: Hex,
  tokenMode: TokenMode = 'whitelistedCalls',
  changes: Partial<UserOperationV07> & { code?: Hex; isQuote?: boolean } = {},
): Promise<unknown> {
  const { code = '0x00', isQuote = false, ...fields } = changes;
  const accounts = new AccountImplementations({
    code: () => Promise.resolve(code),
    storageAt: () => Promise.reject(new Error('not asked')),
    transactionCount: () => Promise.reject(new Error('not asked')),
  });
  const snapshot = policySnapshotBuilder()
    .with('tokens', [token])
    .with('contracts', [{ address: listed.to, selectors: ['0x12345678'] }])
    .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, tokenMode })
    .build();
  const paymaster = { snapshot, policy: compilePolicy(snapshot) };
  return assertPayableInTokens({
    caller: { paymaster, chain: { accounts }, deadlineMs: NO_DEADLINE } as unknown as Caller,
    isQuote,
    operation: { ...userOperationV07Builder('0.8').with('callData', callData).build(), ...fields },
    account: undefined,
    registry: tokenRegistry(paymaster, { tokens: [] }),
    paymasterContract,
  });
}

describe('assertPayableInTokens', () => {
  it.each<[string, Hex]>([
    ['calls that are not whitelisted', batch([approve(randomAddress())])],
    ['call data that nobody understands', '0xdeadbeef'],
    ['no call at all', '0x'],
  ])('takes %s where the user pays for any call', async (_title, callData) => {
    await expect(ask(callData, 'anyCall')).resolves.toMatchObject([{ rule: 'accountDeployed', outcome: 'pass' }]);
  });

  it.each<TokenMode>(['anyCall', 'whitelistedCalls'])(
    'refuses an account without code that is not deployed by the operation, with %s too; a quote of any call asks nobody',
    async (tokenMode) => {
      const refusal = { reason: 'ACCOUNT_NOT_DEPLOYED' };
      await expect(ask(batch([listed]), tokenMode, { code: '0x' })).rejects.toMatchObject(refusal);
      const factory = '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985';
      await expect(ask(batch([listed]), tokenMode, { code: '0x', factory })).resolves.toBeDefined();
      await expect(ask(batch([listed]), 'anyCall', { code: '0x', isQuote: true })).resolves.toEqual([]);
    },
  );

  it('takes any call of an account that delegates, and whitelisted ones where a policy lists the delegate', async () => {
    const code: Hex = `0xef0100${randomAddress().slice(2)}`;
    await expect(ask(batch([listed]), 'anyCall', { code })).resolves.toBeDefined();
    const refusal = { reason: 'EIP7702_NOT_SPONSORED' };
    await expect(ask(batch([listed]), 'whitelistedCalls', { code })).rejects.toMatchObject(refusal);
  });

  it('takes a whitelisted call with the approval of the paymaster in front', async () => {
    await expect(ask(batch([approve(), listed]))).resolves.not.toHaveLength(0);
    await expect(ask(batch([listed]))).resolves.not.toHaveLength(0);
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

  it('refuses an approval alone: nothing of it is whitelisted', async () => {
    await expect(ask(batch([approve()]))).rejects.toMatchObject({ reason: 'NOTHING_TO_SPONSOR' });
  });

  it.each<TokenMode>(['anyCall', 'whitelistedCalls'])(
    'refuses operations that delegate by EIP-7702, with %s too: the payment is simulated on what the chain has',
    async (tokenMode) => {
      const eip7702Auth = { chainId: 1n, address: randomAddress(), nonce: 0n, r: 1n, s: 1n, yParity: 0 } as const;
      const factory = EIP7702_MARKER;
      await expect(ask(batch([listed]), tokenMode, { factory })).rejects.toMatchObject({ field: 'params[0].factory' });
      await expect(ask(batch([listed]), tokenMode, { factory, eip7702Auth })).rejects.toMatchObject({
        field: 'params[0].eip7702Auth',
      });
    },
  );

  it('refuses what it does not understand', async () => {
    await expect(ask('0xdeadbeef')).rejects.toMatchObject({ reason: 'CALL_DATA_NOT_UNDERSTOOD' });
  });
});
