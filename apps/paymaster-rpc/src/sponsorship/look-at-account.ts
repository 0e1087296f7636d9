import { authorityOf } from '@paymaster/chain';
import {
  factoryOf,
  InvalidParamsError,
  type Address,
  type Eip7702Authorization,
  type UserOperation,
} from '@paymaster/domain';
import { claimsEip7702Delegation, hasEip7702Marker, type DecodeResult, type EvaluationInput } from '@paymaster/policy';
import type { AccountCode } from '../chains/account-implementations';
import type { Caller } from '../callers/caller';
import { assertSponsored } from './sponsorship-policy';

/** What the policy has to know of the account besides the operation. */
export type AccountFacts = Pick<EvaluationInput, 'hasCode' | 'eip7702Delegate' | 'accountImplementation'>;

interface Look {
  readonly caller: Caller;
  readonly operation: UserOperation;
  /** The calls to judge. */
  readonly decoded: DecodeResult;
  /** Nothing will be signed: an authorization may have a placeholder for a signature, as the operation has. */
  readonly isStub?: boolean;
}

const NOTHING: AccountFacts = {};
/** The best that the chain can say. */
const AT_BEST: AccountFacts = { hasCode: true, accountImplementation: { known: true } };
const AUTHORIZATION = 'params[0].eip7702Auth';

/**
 * Asks the chain about the account. An account that the operation deploys costs no question, and neither does one whose
 * code is remembered, unless the paymaster requires known accounts; then the answer is remembered for a while.
 *
 * @throws {SponsorshipRefusedError} for what is refused whatever the chain says: it is not asked then
 * @throws {InvalidParamsError} for an authorization that the account did not sign or cannot use
 * @throws {DependencyUnavailableError} `chain`
 */
export async function lookAtAccount(look: Look): Promise<AccountFacts> {
  const { caller, operation, decoded } = look;
  if (claimsEip7702Delegation(operation)) return { eip7702Delegate: await claimedDelegate(look) };
  if (factoryOf(operation)) return NOTHING;
  const { accounts } = caller.chain;
  const { sender } = operation;
  const { requireKnownAccounts } = caller.paymaster.policy.settings;
  const remembered = accounts.rememberedCode(sender);
  if (remembered && !requireKnownAccounts) return factsOf(remembered);
  assertSponsored(look, { decoded, accountFacts: AT_BEST });
  if (!requireKnownAccounts) return factsOf(await accounts.currentCode(sender, caller));
  // Asked first: its reading of the code serves both.
  const accountImplementation = await accounts.implementationOf(sender, caller);
  return { ...factsOf(await codeOf(look)), accountImplementation };
}

/**
 * The account's code, or undefined where it has none.
 *
 * @throws {DependencyUnavailableError} `chain`
 */
export async function codeOf({ caller, operation: { sender } }: Pick<Look, 'caller' | 'operation'>) {
  const { accounts } = caller.chain;
  return accounts.rememberedCode(sender) ?? (await accounts.currentCode(sender, caller));
}

function factsOf(code: AccountCode | undefined): AccountFacts {
  return { hasCode: code !== undefined, eip7702Delegate: code?.delegate };
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
  const currentDelegate = async () => (await caller.chain.accounts.currentCode(sender, caller))?.delegate;
  const { eip7702Delegates } = caller.paymaster.policy.policies;
  const authorization = operation.entryPointVersion === '0.6' ? undefined : operation.eip7702Auth;
  const claimed = authorization?.address;
  // Refused whatever else is true: nobody is asked.
  if (eip7702Delegates.size === 0 || (claimed && !eip7702Delegates.has(claimed))) return claimed;
  const isBound = operation.entryPointVersion === '0.8' && hasEip7702Marker(operation);
  if (!authorization) return isBound ? currentDelegate() : undefined;
  if (!isBound && (await currentDelegate()) !== claimed) return undefined;
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
  caller: Caller,
  { sender, authorization }: { sender: Address; authorization: Eip7702Authorization },
): Promise<void> {
  const nonce = await caller.chain.accounts.nonceOf(sender, caller);
  if (authorization.nonce === nonce) return;
  const field = `${AUTHORIZATION}.nonce`;
  throw new InvalidParamsError(field, `${field} must be ${nonce}, the transaction count of the sender.`);
}
