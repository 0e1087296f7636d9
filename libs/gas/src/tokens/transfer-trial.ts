import type { ChainProvider, StateOverrides, TouchedSlot } from '@paymaster/chain';
import { paymasterPuppetAbi, paymasterPuppetRuntimeBytecode } from '@paymaster/contract-abis';
import { ceilDiv, ZERO_ADDRESS, type Address, type Hex } from '@paymaster/domain';
import { Interface } from 'ethers';
import { simulateTokenPayment, type TokenPathOutcome } from '../simulation/token-payment';
import { contentOf } from './balance-slot';
import { randomAccount } from './random-account';
import type { TokenProblem } from './token-refused.error';

const PUPPET = new Interface(paymasterPuppetAbi);
const TOKEN = new Interface([
  'function transfer(address to,uint256 amount)',
  'function approve(address spender,uint256 amount)',
]);

/** A token whose transfer takes more than this is refused. */
const TRIAL_GAS = 1_000_000n;
/** The additional gas of `transferFrom` over `transfer`: it reads and writes an allowance in a cold slot. */
const ALLOWANCE_GAS = 5_500n;
/**
 * The gas that the trial's `transferFrom` saves because of the `approve` before it: that slot and the token's account
 * are warm.
 */
const WARMED_GAS = 7_500n;
const MARGIN_PERCENT = 30n;

/** The result of moving the token. */
export type TransferTrial = { readonly transferGas: number } | { readonly problem: TokenProblem };

/**
 * Moves a token between accounts that own nothing else, and reads both sides. It makes three simulations, each of which
 * reads one balance: the sender's after `transfer`, the receiver's after `transfer`, and the receiver's after
 * `transferFrom` on an allowance.
 *
 * @param holder owns `holdingBaseUnits`, written into `slot`
 * @returns an upper bound on one `transfer` or `transferFrom` to a new owner, slots cold, with 30 % on top; or what
 *   is wrong
 * @throws what {@link simulateTokenPayment} throws
 */
export async function tryTransfers(
  provider: Pick<ChainProvider, 'ethCall' | 'chain'>,
  trial: {
    token: Address;
    holder: Address;
    slot: TouchedSlot;
    holdingBaseUnits: bigint;
    amountBaseUnits: bigint;
  },
): Promise<TransferTrial> {
  const { token, holder, holdingBaseUnits, amountBaseUnits } = trial;
  const [receiver, spender] = [randomAccount(), randomAccount()];
  const transfer = asPuppet(token, TOKEN.encodeFunctionData('transfer', [receiver, amountBaseUnits]));
  const approve = asPuppet(token, TOKEN.encodeFunctionData('approve', [spender, amountBaseUnits]));
  const run = (input: { sender: Address; callData: Hex; amount: bigint }) =>
    simulateTokenPayment({
      provider,
      entryPoint: randomAccount(),
      overrides: puppetsWith(contentOf(trial.slot, holdingBaseUnits), [holder, input.sender]),
      request: {
        ...input,
        ...{ token, receiver, paymaster: spender, way: 'batchApproval', permit: '0x' },
        ...{ senderCreator: ZERO_ADDRESS, initCode: '0x', deploymentGas: 0n, callGasLimit: TRIAL_GAS },
      },
    });
  const [sent, received, allowed] = await Promise.all([
    run({ sender: holder, callData: transfer, amount: 0n }),
    run({ sender: receiver, callData: asPuppet(holder, transfer), amount: 0n }),
    run({ sender: holder, callData: approve, amount: amountBaseUnits }),
  ]);
  const moved = tokenCallOf(sent);
  if (!moved || !moved.accepted || received.balanceBaseUnits === 0n) return { problem: 'TRANSFER_FAILS' };
  const exact =
    sent.balanceBaseUnits === holdingBaseUnits - amountBaseUnits && received.balanceBaseUnits === amountBaseUnits;
  if (!exact) return { problem: 'TAKES_A_FEE' };
  if (!allowed.paid) return { problem: allowed.paymentReturned === moved.returned ? 'TAKES_A_FEE' : 'TRANSFER_FAILS' };

  const [fromTransfer, fromTransferFrom] = [moved.gasUsed + ALLOWANCE_GAS, allowed.paymentGas + WARMED_GAS];
  const mostGas = fromTransfer > fromTransferFrom ? fromTransfer : fromTransferFrom;
  return { transferGas: Number(ceilDiv(mostGas * (100n + MARGIN_PERCENT), 100n)) };
}

function asPuppet(target: Address, data: string): Hex {
  return PUPPET.encodeFunctionData('execute', [target, data]) as Hex;
}

/** The code of `PaymasterPuppet` at these accounts; other overrides are kept. */
function puppetsWith(overrides: StateOverrides, accounts: readonly Address[]): StateOverrides {
  const puppets = accounts.map((account) => [account, { ...overrides[account], code: paymasterPuppetRuntimeBytecode }]);
  return { ...overrides, ...Object.fromEntries(puppets) };
}

/** The puppet's report on its call of the token; undefined when the puppet itself ran out of gas. */

function tokenCallOf(outcome: TokenPathOutcome): { accepted: boolean; returned: Hex; gasUsed: bigint } | undefined {
  if (!outcome.callsSucceeded) return undefined;
  const [success, returned, gasUsed] = PUPPET.decodeFunctionResult('execute', outcome.callsReturned).toArray() as [
    boolean,
    Hex,
    bigint,
  ];
  return { accepted: success && isAccepted(returned), returned, gasUsed };
}

/** Whether a token's answer means success; the contract reads it in the same way: empty, or true. */
function isAccepted(returned: Hex): boolean {
  return returned === '0x' || (returned.length >= 66 && BigInt(returned.slice(0, 66)) === 1n);
}
