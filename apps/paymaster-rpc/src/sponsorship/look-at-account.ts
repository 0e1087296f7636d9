import { authorityOf } from '@paymaster/chain';
import {
  factoryOf,
  InvalidParamsError,
  type Address,
  type Eip7702Authorization,
  type UserOperation,
} from '@paymaster/domain';
import { claimsEip7702Delegation, type DecodeResult, type EvaluationInput } from '@paymaster/policy';
import type { AccountCode } from '../chains/account-implementations';
import type { Caller } from '../callers/caller';
import { assertSponsored } from './sponsorship-policy';

/** What the policy has to know of the account besides the operation. */
export type AccountFacts = Pick<EvaluationInput, 'hasCode' | 'eip7702Delegate' | 'accountImplementation'>;

interface Look {
  readonly caller: Caller;
  readonly operation: UserOperation;
  /** The calls to judge; left out where the account may make any. */
  readonly decoded?: DecodeResult;
  /** Nothing will be signed: an authorization may have a placeholder for a signature, as the operation has. */
  readonly isStub?: boolean;
}

const NOTHING: AccountFacts = {};
/** The best that the chain can say. */
const AT_BEST: AccountFacts = { hasCode: true, accountImplementation: { known: true } };
const AUTHORIZATION = 'params[0].eip7702Auth';

/**
 * What is known of the account, and whose code it will run by EIP-7702. The signature is bound to that delegate, or to
 * none: so the chain is asked only where a policy lists delegates, or where the paymaster requires known accounts. An
 * account that the operation deploys costs no question, and neither does one whose code is remembered.
 *
 * @throws {SponsorshipRefusedError} for what is refused whatever the chain says: it is not asked then
 * @throws {InvalidParamsError} for an authorization that the account did not sign
 * @throws {DependencyUnavailableError} `chain`
 */
export async function lookAtAccount(look: Look): Promise<AccountFacts> {
  const { caller, operation, decoded } = look;
  if (claimsEip7702Delegation(operation)) return { eip7702Delegate: await claimedDelegate(look) };
  if (factoryOf(operation)) return NOTHING;
  const { accounts } = caller.chain;
  const { sender } = operation;
  const { settings, policies } = caller.paymaster.policy;
  const isJudgedByCode = decoded !== undefined && settings.requireKnownAccounts;
  const remembered = accounts.rememberedCode(sender);
  if (remembered && !isJudgedByCode) return factsOf(remembered);
  if (!isJudgedByCode && policies.eip7702Delegates.size === 0) return NOTHING;
  if (decoded) assertSponsored(look, { decoded, accountFacts: AT_BEST });
  if (!isJudgedByCode) return factsOf(await accounts.currentCode(sender, caller));
  // Asked first: its reading of the code serves both.
  const accountImplementation = await accounts.implementationOf(sender, caller);
  const code = accounts.rememberedCode(sender) ?? (await accounts.currentCode(sender, caller));
  return { ...factsOf(code), accountImplementation };
}

function factsOf(code: AccountCode | undefined): AccountFacts {
  return { hasCode: code !== undefined, eip7702Delegate: code?.delegate };
}

/**
 * The delegate of an operation that says that its account delegates, or undefined when nobody can say: the
 * authorization's, else the one on chain. The signature fails with any other, so that it does not matter whether the
 * authorization comes into force, and the chain is asked only about a marker without one.
 */
async function claimedDelegate({ caller, operation, isStub = false }: Look): Promise<Address | undefined> {
  const { sender } = operation;
  const { eip7702Delegates } = caller.paymaster.policy.policies;
  const authorization = operation.entryPointVersion === '0.6' ? undefined : operation.eip7702Auth;
  if (authorization) {
    if (!isStub && eip7702Delegates.has(authorization.address)) assertSignedBy(sender, authorization);
    return authorization.address;
  }
  // Other EntryPoints take the marker for a factory. And where no delegate is listed, all are refused: nobody is asked.
  if (operation.entryPointVersion !== '0.8' || eip7702Delegates.size === 0) return undefined;
  return (await caller.chain.accounts.currentCode(sender, caller))?.delegate;
}

function assertSignedBy(sender: Address, authorization: Eip7702Authorization): void {
  if (authorityOf(authorization) === sender) return;
  throw new InvalidParamsError(AUTHORIZATION, `${AUTHORIZATION} is not signed by the sender.`);
}
