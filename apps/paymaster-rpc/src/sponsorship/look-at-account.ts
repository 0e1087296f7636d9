import { authorityOf } from '@paymaster/chain';
import {
  factoryOf,
  InvalidParamsError,
  type Address,
  type Eip7702Authorization,
  type UserOperation,
} from '@paymaster/domain';
import { claimsEip7702Delegation, hasEip7702Marker } from '@paymaster/policy';
import type { Caller } from '../callers/caller';

/** What the policy has to know of the account besides the operation. */
export interface AccountFacts {
  /** Whose code it will run by EIP-7702 when the operation lands. */
  readonly eip7702Delegate?: Address | undefined;
  /** Only where the paymaster requires known accounts. */
  readonly accountImplementation?: { readonly known: boolean };
}

interface Look {
  readonly caller: Caller;
  readonly operation: UserOperation;
  /** Nothing will be signed: an authorization may have a placeholder for a signature, as the operation has. */
  readonly isStub?: boolean;
}

const NOTHING: AccountFacts = {};
const AUTHORIZATION = 'params[0].eip7702Auth';

/**
 * Asks the chain about the account, where the policy needs it. An operation that delegates nothing costs no question,
 * unless the paymaster requires known accounts or has a policy on delegates; then answers are remembered.
 *
 * @throws {InvalidParamsError} for an authorization that the account did not sign or cannot use
 * @throws {DependencyUnavailableError} `chain`
 */
export async function lookAtAccount(look: Look): Promise<AccountFacts> {
  const { caller, operation } = look;
  if (claimsEip7702Delegation(operation)) return { eip7702Delegate: await claimedDelegate(look) };
  if (factoryOf(operation)) return NOTHING;
  const { settings, policies } = caller.paymaster.policy;
  if (!settings.requireKnownAccounts && !policies.needs.delegate) return NOTHING;
  const { deadlineMs } = caller;
  const { accounts } = caller.chain;
  const { sender } = operation;
  // Asked first: its reading of the code serves both.
  const known = settings.requireKnownAccounts ? await accounts.isKnown(sender, deadlineMs) : undefined;
  const eip7702Delegate = await accounts.delegateOf(sender, deadlineMs);
  return known === undefined ? { eip7702Delegate } : { eip7702Delegate, accountImplementation: { known } };
}

/**
 * The delegate that will hold when the operation lands, or undefined when nobody can say.
 *
 * With the marker the signature is bound to the delegate, as the EntryPoint binds the account's: it is the
 * authorization's, else the one on chain. Without the marker the authorization may be left out of the transaction, so
 * it is believed only where it says what the chain says. Other EntryPoints know no marker.
 */
async function claimedDelegate({ caller, operation, isStub = false }: Look): Promise<Address | undefined> {
  const { sender } = operation;
  const { deadlineMs } = caller;
  const { accounts } = caller.chain;
  const { eip7702Delegates } = caller.paymaster.policy.policies;
  const authorization = operation.entryPointVersion === '0.6' ? undefined : operation.eip7702Auth;
  const claimed = authorization?.address;
  // Refused whatever else is true: nobody is asked.
  if (eip7702Delegates.size === 0 || (claimed && !eip7702Delegates.has(claimed))) return claimed;
  const isBound = operation.entryPointVersion === '0.8' && hasEip7702Marker(operation);
  if (!authorization) return isBound ? accounts.currentDelegateOf(sender, deadlineMs) : undefined;
  if (!isBound && (await accounts.currentDelegateOf(sender, deadlineMs)) !== claimed) return undefined;
  if (!isStub) assertSignedBy(sender, authorization);
  await assertNextNonce(caller, { sender, authorization });
  return claimed;
}

function assertSignedBy(sender: Address, authorization: Eip7702Authorization): void {
  if (authorityOf(authorization) === sender) return;
  throw new InvalidParamsError(AUTHORIZATION, `${AUTHORIZATION} is not signed by the sender.`);
}

/** An authorization with another nonce is passed over when the transaction is executed. */
async function assertNextNonce(
  { chain, deadlineMs }: Caller,
  { sender, authorization }: { sender: Address; authorization: Eip7702Authorization },
): Promise<void> {
  const nonce = await chain.accounts.nonceOf(sender, deadlineMs);
  if (authorization.nonce === nonce) return;
  const field = `${AUTHORIZATION}.nonce`;
  throw new InvalidParamsError(field, `${field} must be ${nonce}, the transaction count of the sender.`);
}
