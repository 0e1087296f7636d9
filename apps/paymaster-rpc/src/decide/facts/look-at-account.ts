import { authorityOf } from '@paymaster/chain';
import {
  eip7702AuthOf,
  factoryOf,
  InvalidParamsError,
  initCodeOf,
  skipsFactoryOfExisting,
  takesEip7702Marker,
  type Address,
  type Eip7702Authorization,
  type UserOperation,
} from '@paymaster/domain';
import { claimsEip7702Delegation, knownFactoryOf, type DecodeResult } from '@paymaster/policy';
import type { AccountCode } from '../../chains/account-implementations';
import type { Caller } from '../../callers/caller';
import { judgeCalls, type AccountFacts } from '../rules/sponsorship-policy';

export interface Look {
  readonly caller: Caller;
  readonly operation: UserOperation;
  /** The calls to check; left out where the account may make any call. */
  readonly decoded?: DecodeResult;
  /** Of an operation that was promised: its factory was found to deploy its sender, before the sender was there. */
  readonly judged?: unknown;
  /** Nothing will be signed: an authorization may have a placeholder for a signature, as the operation has. */
  readonly isStub?: boolean | undefined;
}

const NOTHING: AccountFacts = {};
/** The best facts that a read of the chain can find. */
const AT_BEST: AccountFacts = { hasCode: true, accountImplementation: { known: true } };
const FACTORY_AT_BEST: AccountFacts = { isPublishedFactory: true };
const AUTHORIZATION = 'params[0].eip7702Auth';
const FACTORY = 'params[0].factory';

/**
 * Finds out what is known of the account, and which delegate's code it will run by EIP-7702. The signature is bound to
 * that delegate, or to no delegate. So the chain is asked only where a policy lists delegates, or where the paymaster
 * requires known accounts. Of an account that the operation deploys at most the factory is read (on EntryPoint v0.9 the
 * account too), and no account whose code is remembered.
 *
 * @throws {SponsorshipRefusedError} for what is refused whatever the chain says; then the chain is not asked
 * @throws {InvalidParamsError} for an authorization that the account did not sign, and for a factory that does not deploy it
 * @throws {DependencyUnavailableError} `chain`
 */
export async function lookAtAccount(look: Look): Promise<AccountFacts> {
  const { caller, operation, decoded } = look;
  if (claimsEip7702Delegation(operation)) return { eip7702Delegate: await claimedDelegate(look) };
  if (factoryOf(operation)) {
    const facts = await lookAtFactory(look);
    if (skipsFactoryOfExisting(operation.entryPointVersion)) await assertDeploysSender(look, facts);
    return facts;
  }
  const { accounts } = caller.chain;
  const { sender } = operation;
  const { settings, policies } = caller.paymaster.policy;
  const isJudgedByCode = decoded !== undefined && settings.requireKnownAccounts;
  const remembered = accounts.rememberedCode(sender);
  if (remembered && !isJudgedByCode) return factsOf(remembered);
  if (!isJudgedByCode && policies.eip7702Delegates.size === 0) return NOTHING;
  if (decoded) judgeCalls(look, { decoded, accountFacts: AT_BEST });
  if (!isJudgedByCode) return factsOf(await accounts.currentCode(sender, caller));
  // This comes first, because the code that it reads answers both questions.
  const accountImplementation = await accounts.implementationOf(sender, caller);
  const code = accounts.rememberedCode(sender) ?? (await accounts.currentCode(sender, caller));
  return { ...factsOf(code), accountImplementation };
}

/**
 * Whether the chain has the published factory at the address of a known one, where the family says what that is. The
 * chain is asked at most twice a minute about each factory, and not about operations that are refused anyway.
 */
async function lookAtFactory({ caller, operation, decoded }: Look): Promise<AccountFacts> {
  const { factories, knownAccounts } = caller.chain;
  const factory = knownFactoryOf(operation, knownAccounts);
  if (!factory?.onChain) return NOTHING;
  if (decoded) judgeCalls({ caller, operation }, { decoded, accountFacts: FACTORY_AT_BEST });
  return { isPublishedFactory: await factories.isPublished(factory, caller.deadlineMs) };
}

function factsOf(code: AccountCode | undefined): AccountFacts {
  return { hasCode: code !== undefined, eip7702Delegate: code?.delegate };
}

/**
 * The delegate of an operation that says that its account delegates: the authorization's, else the delegate on chain;
 * undefined when neither is known. The signature fails with every other delegate, so it does not matter whether the
 * authorization comes into force. The chain is asked only about a marker without an authorization.
 */
async function claimedDelegate({ caller, operation, isStub = false }: Look): Promise<Address | undefined> {
  const { sender } = operation;
  const { eip7702Delegates } = caller.paymaster.policy.policies;
  const authorization = eip7702AuthOf(operation);
  if (authorization) {
    if (!isStub && eip7702Delegates.has(authorization.address)) assertSignedBy(sender, authorization);
    return authorization.address;
  }
  // Other EntryPoints take the marker for a factory. Where no policy lists a delegate, all are refused without a read.
  if (!takesEip7702Marker(operation.entryPointVersion) || eip7702Delegates.size === 0) return undefined;
  return (await caller.chain.accounts.currentCode(sender, caller))?.delegate;
}

/**
 * Whether the account already has the delegation that the operation's authorization would set. If it has, a bundler
 * could leave the authorization out and keep the gas that is paid for it.
 *
 * @throws {DependencyUnavailableError} `chain`
 */
export async function delegatesAlready({ caller, operation }: Look): Promise<boolean> {
  const authorization = eip7702AuthOf(operation);
  if (!authorization) return false;
  const { accounts } = caller.chain;
  const { sender } = operation;
  const code = accounts.rememberedCode(sender) ?? (await accounts.currentCode(sender, caller));
  return code?.delegate === authorization.address;
}

/**
 * A known factory says what the account's code will be, and the rules rely on it. An EntryPoint that skips the factory
 * of an account with code would let an attacker pass his own code off as that factory's. So the sender's address must
 * be the one that the factory gives, and still be without code. Only the factory can put code there.
 */
async function assertDeploysSender(look: Look, accountFacts: AccountFacts): Promise<void> {
  const { caller, operation, decoded, judged } = look;
  const { accounts, config } = caller.chain;
  const { sender, entryPointVersion } = operation;
  const contracts = config.entryPoints[entryPointVersion];
  if (!decoded || !contracts || caller.paymaster.policy.settings.allowUnknownFactories) return;
  // Checked before the factory runs, because only a known factory may run here.
  judgeCalls({ caller, operation }, { decoded, accountFacts });
  // Where the account's code decides, it may be another by now.
  if (judged && !caller.paymaster.policy.settings.requireKnownAccounts) return;
  if (accounts.rememberedCode(sender) ?? (await accounts.currentCode(sender, caller))) {
    const sentence = 'stands beside a sender that has code: EntryPoint v0.9 would not call it. Leave it out';
    throw new InvalidParamsError(FACTORY, `${FACTORY} ${sentence}.`);
  }
  const deployment = {
    entryPoint: contracts.entryPoint,
    initCode: initCodeOf(operation),
    gas: config.bounds.maxVerificationGasLimit,
  };
  if ((await accounts.deployedBy(deployment, caller)) === sender) return;
  throw new InvalidParamsError(FACTORY, `${FACTORY} does not deploy the sender.`);
}

function assertSignedBy(sender: Address, authorization: Eip7702Authorization): void {
  if (authorityOf(authorization) === sender) return;
  throw new InvalidParamsError(AUTHORIZATION, `${AUTHORIZATION} is not signed by the sender.`);
}
