import { randomAddress } from '@paymaster/domain/testing';
import { decodeCalls, type DecodeResult } from '@paymaster/policy';
import { encodeFunctionData, parseAbi, zeroHash } from 'viem';
import type { Address, Hex } from '@paymaster/domain';
import { executeCall } from '../../testing/rpc-call';
import { approvesMost, mayApprove } from './approvals';

const token = randomAddress();
const spender = randomAddress();
const [other, owner] = [randomAddress(), randomAddress()];
const ABI = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function increaseAllowance(address spender, uint256 added)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function transfer(address to, uint256 amount)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
]);
const data = (functionName: 'approve' | 'increaseAllowance' | 'transfer', ...args: [Address, bigint]): Hex =>
  encodeFunctionData({ abi: ABI, functionName, args });
const permit = (value: bigint): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'permit', args: [owner, spender, value, 1n, 27, zeroHash, zeroHash] });

const callsOf = (callData: Hex): DecodeResult => decodeCalls({ callData, entryPointVersion: '0.7' });
const call = (callData: Hex, to = token): DecodeResult => callsOf(executeCall({ to, data: callData }));

describe('mayApprove', () => {
  it.each<[string, DecodeResult]>([
    ['approve', call(data('approve', spender, 1n))],
    ['increaseAllowance', call(data('increaseAllowance', spender, 1n))],
    ['permit', call(permit(1n))],
    [
      'approve behind a reset, in a batch',
      callsOf(
        encodeFunctionData({
          abi: ABI,
          functionName: 'executeBatch',
          args: [[token, token], [], [data('approve', spender, 0n), data('approve', spender, 2n ** 256n - 1n)]],
        }),
      ),
    ],
    ['calls that nobody can read', callsOf('0x12345678')],
  ])('is true with %s', (_title, decoded) => {
    expect(mayApprove(decoded, { token, spender })).toBe(true);
  });

  it.each<[string, DecodeResult]>([
    ['no call', callsOf('0x')],
    ['another call', call('0xd09de08a')],
    ['an approval of nothing', call(data('approve', spender, 0n))],
    ['a permit of nothing', call(permit(0n))],
    ['an approval of somebody else', call(data('approve', other, 1n))],
    ['an approval of another token', call(data('approve', spender, 1n), other)],
    ['a transfer', call(data('transfer', spender, 1n))],
    ['an approval that ends early', call(data('approve', spender, 1n).slice(0, -64) as Hex)],
  ])('is false with %s', (_title, decoded) => {
    expect(decoded.understood).toBe(true);
    expect(mayApprove(decoded, { token, spender })).toBe(false);
  });
});

describe('approvesMost', () => {
  const most = 2n ** 256n - 1n;

  it('is an approval of the most that there can be, of this token and for this spender', () => {
    expect(approvesMost(call(data('approve', spender, most)), { token, spender })).toBe(true);
    expect(approvesMost(call(data('approve', spender, most - 1n)), { token, spender })).toBe(false);
    expect(approvesMost(call(data('approve', other, most)), { token, spender })).toBe(false);
    expect(approvesMost(call(data('approve', spender, most), other), { token, spender })).toBe(false);
    expect(approvesMost(callsOf('0x12345678'), { token, spender })).toBe(false);
  });
});
