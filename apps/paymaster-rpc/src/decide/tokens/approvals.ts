import { factoryOf, type Address, type UserOperation } from '@paymaster/domain';
import type { DecodeResult, InnerCall } from '@paymaster/policy';

/** Functions of tokens that let a spender pull: selector, and the position of the spender among the arguments. */
const GRANTS: Readonly<Record<string, { readonly spender: number; readonly amount: number }>> = {
  // approve(address spender, uint256 amount) of ERC-20.
  '0x095ea7b3': { spender: 0, amount: 1 },
  // increaseAllowance(address spender, uint256 addedValue) of OpenZeppelin.
  '0x39509351': { spender: 0, amount: 1 },
  // permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) of EIP-2612.
  '0xd505accf': { spender: 1, amount: 2 },
};

/** Who is to pay whom, in which token. */
export interface Approval {
  readonly token: Address;
  readonly spender: Address;
}

/**
 * Whether the calls of an operation may let the spender pull the token: one of them does so, or nobody can read them.
 * What they really do is shown by the simulation of the final call.
 */
export function mayApprove(decoded: DecodeResult, approval: Approval): boolean {
  return !decoded.understood || decoded.calls.some((call) => grants(call, approval));
}

/**
 * Whether the deployment of the account may let the spender pull the token: its data names both. Safe's relay kit
 * approves the paymaster in the set up of a new Safe.
 */
export function deploymentMayApprove(operation: UserOperation, { token, spender }: Approval): boolean {
  const data = factoryOf(operation)?.factoryData.toLowerCase() ?? '0x';
  return data.includes(token.slice(2)) && data.includes(spender.slice(2));
}

/**
 * Whether one of the calls approves the most that there can be. permissionless puts such an approval in front of what
 * it estimates (`prepareUserOperationForErc20Paymaster`), adds up the limits, and approves the sum in what it sends.
 * It cannot add limits that come with the stub, because viem leaves them text.
 */
export function approvesMost(decoded: DecodeResult, approval: Approval): boolean {
  if (!decoded.understood) return false;
  return decoded.calls.some((call) => grants(call, approval) && call.data.slice(74) === 'f'.repeat(64));
}

function grants({ to, data, selector }: InnerCall, { token, spender }: Approval): boolean {
  const grant = selector !== undefined && Object.hasOwn(GRANTS, selector) ? GRANTS[selector] : undefined;
  if (!grant || to !== token) return false;
  const argument = (position: number): string => data.slice(10 + 64 * position, 74 + 64 * position);
  return argument(grant.spender) === spender.slice(2).padStart(64, '0') && /[^0]/.test(argument(grant.amount));
}
