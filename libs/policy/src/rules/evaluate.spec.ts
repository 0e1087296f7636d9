import { concat } from 'ethers';
import {
  DEFAULT_PAYMASTER_SETTINGS,
  EIP7702_MARKER,
  SponsorshipRefusedError,
  type Address,
  type Hex,
  type PaymasterSettings,
  type SponsorshipPolicy,
} from '@paymaster/domain';
import {
  policySnapshotBuilder,
  randomAddress,
  randomHex,
  rulesPolicyBuilder,
  userOperationV06Builder,
  userOperationV07Builder,
} from '@paymaster/domain/testing';
import { compileKnownAccounts } from '../accounts/known-accounts';
import { decodeCalls } from '../accounts/decode-calls';
import * as encode from '../testing/encode-calls';
import { compilePolicy } from '../policies/compile-policy';
import { evaluate, POLICY_RULES } from './evaluate';
import { callsOf, type EvaluationInput } from './evaluation-input';
import { traceIfAllowed } from '../policies/verdict';

const contract = randomAddress();
const stranger = randomAddress();
const sender = randomAddress();
const mint: Hex = '0x40c10f19';
const mintCall: encode.TestCall = { to: contract, valueWei: 0n, data: concat([mint, randomHex(64)]) };
const SIMPLE_FACTORY: Address = '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985';
const SIMPLE_FACTORY_NAME = 'SimpleAccountFactory for EntryPoint v0.7';
const SIMPLE_7702: Address = '0xe6cae83bde06e4c305530e199d7217f42808555b';
const NO_SELECTORS = ['0x40c10f', '0x40c10f1900', '00x40c10f19'] as Hex[];
const NOTHING_SET =
  'No policies were set on the dashboard. Please set policies to allow gas sponsorship via paymasters';
const SAFE_FACTORY: Address = '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67';

interface Scenario {
  settings?: Partial<PaymasterSettings>;
  /** Default: `mint` of the contract. */
  contracts?: { address: Address; selectors: Hex[] }[];
  /** Default: one call of `mint`. */
  calls?: encode.TestCall[] | 'none';
  callData?: Hex;
  factory?: Address;
  factoryData?: Hex;
  policies?: readonly SponsorshipPolicy[];
  extra?: Partial<EvaluationInput>;
}

function verdictOf(scenario: Scenario) {
  const { settings, contracts = [{ address: contract, selectors: [mint] }], calls = [mintCall], extra } = scenario;
  const callData = scenario.callData ?? (calls === 'none' ? '0x' : encode.encodeBatchOfTuples(calls));
  const operation = userOperationV07Builder()
    .with('sender', sender)
    .with('callData', callData)
    .with('factory', scenario.factory)
    .with('factoryData', scenario.factoryData)
    .build();
  const policy = compilePolicy(
    policySnapshotBuilder()
      .with('contracts', contracts)
      .with('policies', scenario.policies ?? [])
      .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, ...settings })
      .build(),
  );
  return evaluate({
    operation,
    policy,
    decoded: decodeCalls({ callData, entryPointVersion: operation.entryPointVersion }),
    hasCode: true,
    ...extra,
  });
}

/** An account that runs a delegate which a policy lists. */
const delegatedTo = (eip7702Delegate: Address): Scenario => ({
  policies: [rulesPolicyBuilder({ eip7702Delegates: [eip7702Delegate] }).build()],
  extra: { eip7702Delegate },
});

const refused = (reason: string) => expect.objectContaining({ allowed: false, reason });
const allowed = expect.objectContaining({ allowed: true });

describe('evaluate', () => {
  describe('nothing whitelisted', () => {
    it.each([
      ['no contract at all', []],
      ['a contract without methods', [{ address: contract, selectors: [] }]],
      ['entries that are no selectors', [{ address: contract, selectors: NO_SELECTORS }]],
    ])('should refuse with the sentence SDKs look for: %s', (_title, contracts) => {
      expect(verdictOf({ contracts })).toMatchObject({
        reason: 'NO_POLICIES_SET',
        message: NOTHING_SET,
      });
    });

    it('should go on to the other rules where a switch sponsors something', () => {
      const settings = { sponsorDeployments: 'always' as const };
      expect(verdictOf({ contracts: [], settings })).toEqual(refused('CONTRACT_NOT_REGISTERED'));
      expect(verdictOf({ contracts: [], settings: { sponsorAnyContract: true } })).toEqual(allowed);
      const transfer = { to: stranger, valueWei: 1n, data: '0x' };
      expect(verdictOf({ contracts: [], settings: { sponsorNativeTransfers: true }, calls: [transfer] })).toEqual(
        allowed,
      );
    });
  });

  it('should say which contract is not registered, in the words SDKs look for', () => {
    expect(verdictOf({ calls: [{ ...mintCall, to: stranger }] })).toMatchObject({
      reason: 'CONTRACT_NOT_REGISTERED',
      message: expect.stringMatching(new RegExp(`Smart contract data not found.*${stranger}`)),
    });
  });

  it('should say which method of which contract is not whitelisted', () => {
    const verdict = verdictOf({ calls: [mintCall, { ...mintCall, data: '0xdeadbeef' }] });
    expect(verdict).toMatchObject({ reason: 'METHOD_NOT_WHITELISTED' });
    expect(!verdict.allowed && verdict.message).toContain(`0xdeadbeef of contract ${contract}`);
  });

  it('should match a whitelist written in any case', () => {
    const contracts = [
      { address: contract.toUpperCase().replace('0X', '0x') as Address, selectors: ['0x40C10F19' as Hex] },
      { address: contract, selectors: ['0x11111111' as Hex] },
    ];
    expect(verdictOf({ contracts })).toEqual(allowed);
    expect(verdictOf({ contracts, calls: [{ ...mintCall, data: '0x11111111' }] })).toEqual(allowed);
  });

  it('should refuse call data that is not understood, and delegatecalls with their own reason', () => {
    expect(verdictOf({ callData: '0xdeadbeef' })).toEqual(refused('CALL_DATA_NOT_UNDERSTOOD'));
    const delegate = encode.encodeSafe({ to: contract, data: mint, operation: 1 });
    expect(verdictOf({ callData: delegate })).toEqual(refused('DELEGATE_CALL_REFUSED'));
    const settings = { sponsorAnyContract: true, sponsorNativeTransfers: true };
    expect(verdictOf({ callData: '0xdeadbeef', settings })).toEqual(refused('CALL_DATA_NOT_UNDERSTOOD'));
    expect(verdictOf({ callData: delegate, settings })).toEqual(refused('DELEGATE_CALL_REFUSED'));
  });

  describe('allowCallDataSuffix', () => {
    const suffixed: Hex = `${encode.encodeBatchOfTuples([mintCall])}${randomHex(50).slice(2)}`;

    it('should sponsor call data with bytes behind the arguments by default, and refuse it when switched off', () => {
      const off = { settings: { allowCallDataSuffix: false } };
      expect(verdictOf({ callData: suffixed })).toEqual(allowed);
      const input = 'executeBatchOfTuples, 1 calls, 50 bytes behind them';
      expect(verdictOf({ callData: suffixed }).trace).toContainEqual({
        rule: 'callDataUnderstood',
        input,
        outcome: 'pass',
      });
      expect(verdictOf(off)).toEqual(allowed);
      expect(verdictOf({ ...off, callData: suffixed })).toMatchObject({
        reason: 'CALL_DATA_SUFFIX_NOT_SPONSORED',
        message:
          'callData has 50 bytes behind the arguments of the account function. The paymaster sponsors no such data',
      });
    });

    it('should refuse them whatever the other switches say', () => {
      const settings = { allowCallDataSuffix: false, sponsorAnyContract: true, allowUnknownFactories: true };
      expect(verdictOf({ settings, callData: suffixed })).toEqual(refused('CALL_DATA_SUFFIX_NOT_SPONSORED'));
    });
  });

  describe('sponsorAnyContract', () => {
    const settings = { sponsorAnyContract: true };

    it('should sponsor any method of any contract', () => {
      expect(verdictOf({ settings, calls: [{ to: stranger, valueWei: 0n, data: '0x12345678' }] })).toEqual(allowed);
    });

    it.each([
      ['data shorter than a selector', { to: stranger, valueWei: 0n, data: '0x123456' }, 'METHOD_NOT_WHITELISTED'],
      ['a native transfer', { to: stranger, valueWei: 1n, data: '0x' }, 'NATIVE_TRANSFER_NOT_SPONSORED'],
      [
        'a transfer with four bytes for disguise',
        { to: stranger, valueWei: 1n, data: mint },
        'NATIVE_TRANSFER_NOT_SPONSORED',
      ],
      ['a call to the account itself', { to: sender, valueWei: 0n, data: '0xf2fde38b' }, 'SELF_CALL_REFUSED'],
    ])('should still refuse %s', (_title, bad, reason) => {
      expect(verdictOf({ settings, calls: [mintCall, bad] })).toEqual(refused(reason));
    });

    it('should sponsor value to a method that is whitelisted by name', () => {
      expect(verdictOf({ settings, calls: [{ ...mintCall, valueWei: 1n }] })).toEqual(allowed);
    });
  });

  describe('sponsorNativeTransfers', () => {
    const settings = { sponsorNativeTransfers: true };

    it('should sponsor transfers to anybody, beside whitelisted calls', () => {
      const transfer = { to: stranger, valueWei: 5n, data: '0x' };
      expect(verdictOf({ settings, calls: [transfer, mintCall, { ...transfer, to: sender }] })).toEqual(allowed);
    });

    it('should not sponsor a method call because it carries value', () => {
      const call = { to: stranger, valueWei: 5n, data: mint };
      expect(verdictOf({ settings, calls: [call] })).toEqual(refused('CONTRACT_NOT_REGISTERED'));
    });
  });

  describe('calls of the account to itself', () => {
    const selfCall = (data: string) => ({ to: sender, valueWei: 0n, data });
    const addOwner: Hex = '0x7065cb48';

    it('should allow one only where the account address itself is whitelisted', () => {
      const contracts = [{ address: sender, selectors: [addOwner] }];
      expect(verdictOf({ contracts, calls: [selfCall(addOwner)] })).toEqual(allowed);
      expect(verdictOf({ contracts, calls: [selfCall('0xf2fde38b')] })).toEqual(refused('SELF_CALL_REFUSED'));
    });

    it('should never allow one that forwards calls, whitelisted or not', () => {
      const nested = encode.encodeSingle('execute', [{ to: stranger, valueWei: 0n, data: mint }]);
      const contracts = [{ address: sender, selectors: ['0xb61d27f6' as Hex, '0xac9650d8' as Hex] }];
      expect(verdictOf({ contracts, calls: [selfCall(nested)] })).toEqual(refused('SELF_CALL_REFUSED'));
      expect(verdictOf({ contracts, calls: [selfCall('0xac9650d8')] })).toEqual(refused('SELF_CALL_REFUSED'));
    });

    it('should never allow the zero address, whitelisted or not', () => {
      const zero: Address = `0x${'00'.repeat(20)}`;
      const contracts = [{ address: zero, selectors: [mint] }];
      expect(verdictOf({ contracts, calls: [{ ...mintCall, to: zero }] })).toEqual(refused('SELF_CALL_REFUSED'));
    });

    it('should see the account in a sender of any case', () => {
      const operation = userOperationV07Builder()
        .with('sender', sender.toUpperCase().replace('0X', '0x') as Address)
        .build();
      const calls = [selfCall(addOwner)];
      expect(verdictOf({ calls, settings: { sponsorAnyContract: true }, extra: { operation } })).toEqual(
        refused('SELF_CALL_REFUSED'),
      );
    });
  });

  it('should refuse an operation that does nothing', () => {
    expect(verdictOf({ calls: 'none' })).toEqual(refused('NOTHING_TO_SPONSOR'));
    expect(verdictOf({ calls: 'none', settings: { sponsorAnyContract: true } })).toEqual(refused('NOTHING_TO_SPONSOR'));
  });

  describe('deployments', () => {
    it.each([
      ['never', [mintCall], 'DEPLOYMENT_NOT_SPONSORED'],
      ['never', 'none', 'DEPLOYMENT_NOT_SPONSORED'],
      ['withCall', [mintCall], undefined],
      ['withCall', 'none', 'DEPLOYMENT_NOT_SPONSORED'],
      ['withCall', [], 'DEPLOYMENT_NOT_SPONSORED'],
      ['withCall', [mintCall, { ...mintCall, data: '0xdeadbeef' }], 'METHOD_NOT_WHITELISTED'],
      ['always', [mintCall], undefined],
      ['always', 'none', undefined],
      ['always', [{ ...mintCall, to: stranger }], 'CONTRACT_NOT_REGISTERED'],
    ] as const)('%s, with calls %j: %s', (sponsorDeployments, calls, reason) => {
      const verdict = verdictOf({
        settings: { sponsorDeployments },
        calls: calls === 'none' ? 'none' : [...calls],
        factory: SIMPLE_FACTORY,
      });
      expect(verdict).toEqual(reason ? refused(reason) : allowed);
    });

    it('should read the factory out of a v0.6 initCode', () => {
      const decoded = decodeCalls({ callData: encode.encodeSingle('execute', [mintCall]), entryPointVersion: '0.6' });
      const deployedBy = (factory: Address) =>
        verdictOf({
          extra: {
            decoded,
            operation: userOperationV06Builder()
              .with('initCode', concat([factory, randomHex(68)]) as Hex)
              .build(),
          },
        });
      expect(deployedBy('0x9406cc6185a346906296840746125a0e44976454')).toEqual(allowed);
      expect(deployedBy(stranger)).toEqual(refused('UNKNOWN_ACCOUNT_FACTORY'));
    });

    it('should refuse an unknown factory unless the switch or the operator allows it', () => {
      expect(verdictOf({ factory: stranger })).toEqual(refused('UNKNOWN_ACCOUNT_FACTORY'));
      expect(verdictOf({ factory: stranger, settings: { allowUnknownFactories: true } })).toEqual(allowed);
      const knownAccounts = compileKnownAccounts({ factories: [stranger] });
      expect(verdictOf({ factory: stranger, extra: { knownAccounts } })).toEqual(allowed);
    });

    it.each<[string, Address]>([
      ['Safe', SAFE_FACTORY],
      ['Biconomy V2', '0x000000a56aaca3e9a4c479ea6b6cd0dbcb6634f5'],
    ])('should refuse an unknown setup of %s, even when the operator lists the factory', (_title, factory) => {
      const scenario = { factory, factoryData: '0xdeadbeef' as Hex };
      expect(verdictOf(scenario)).toEqual(refused('UNKNOWN_ACCOUNT_SETUP'));
      expect(verdictOf({ ...scenario, settings: { allowUnknownFactories: true } })).toEqual(allowed);
      const knownAccounts = compileKnownAccounts({ factories: [factory] });
      expect(verdictOf({ ...scenario, extra: { knownAccounts } })).toEqual(refused('UNKNOWN_ACCOUNT_SETUP'));
    });

    it('should always sponsor one where a WALLET_DEPLOYMENT policy is active, from known factories only', () => {
      const policies = [{ policyId: 'd', name: 'Deployments', type: 'WALLET_DEPLOYMENT' } as const];
      const settings = { sponsorDeployments: 'never' as const };
      const deployment = { settings, policies, contracts: [], calls: 'none' as const };
      expect(verdictOf({ ...deployment, factory: SIMPLE_FACTORY })).toEqual(allowed);
      expect(verdictOf({ ...deployment, factory: stranger })).toEqual(refused('UNKNOWN_ACCOUNT_FACTORY'));
      expect(verdictOf({ ...deployment, policies: [], factory: SIMPLE_FACTORY })).toEqual(refused('NO_POLICIES_SET'));
      expect(verdictOf({ ...deployment, calls: [mintCall], factory: SIMPLE_FACTORY })).toEqual(
        refused('CONTRACT_NOT_REGISTERED'),
      );
    });
  });

  it('should refuse an account that is known to have no code, unless its operation deploys it', () => {
    const extra = { hasCode: false };
    for (const settings of [{}, { sponsorAnyContract: true }, { allowUnknownFactories: true }]) {
      expect(verdictOf({ settings, extra })).toEqual(refused('ACCOUNT_NOT_DEPLOYED'));
      expect(verdictOf({ settings, extra: { hasCode: undefined as never } })).toEqual(allowed);
    }
    expect(verdictOf({ factory: SIMPLE_FACTORY, extra })).toEqual(allowed);
  });

  it('should refuse calls to what makes its caller do anything, unless that very method is whitelisted', () => {
    const manager: Address = '0xdb9b1e94b5b69df7e401ddbede43491141047db3';
    const calls = [{ to: manager, valueWei: 0n, data: concat(['0xcef6d209', randomHex(64)]) }];
    const settings = { sponsorAnyContract: true };
    expect(verdictOf({ calls, settings })).toEqual(refused('SELF_CALL_REFUSED'));
    expect(verdictOf({ calls, contracts: [{ address: manager, selectors: [mint] }] })).toEqual(
      refused('SELF_CALL_REFUSED'),
    );
    expect(verdictOf({ calls, contracts: [{ address: manager, selectors: ['0xcef6d209'] }] })).toEqual(allowed);
  });

  it('should refuse a function that the accounts of a known factory hand to a module, which a signature may install', () => {
    const callData = encode.encodeErc7579Calls([mintCall]);
    const unknown = refused('CALL_DATA_NOT_UNDERSTOOD');
    expect(verdictOf({ factory: SIMPLE_FACTORY })).toEqual(allowed);
    expect(verdictOf({ factory: SIMPLE_FACTORY, callData })).toEqual(unknown);
    const anyFactory = { allowUnknownFactories: true };
    expect(verdictOf({ factory: SIMPLE_FACTORY, callData, settings: anyFactory })).toEqual(allowed);
    const strict = { ...anyFactory, requireKnownAccounts: true };
    expect(verdictOf({ factory: SIMPLE_FACTORY, callData, settings: strict })).toEqual(unknown);
    expect(verdictOf({ factory: SIMPLE_FACTORY, settings: strict })).toEqual(allowed);
  });

  describe('requireKnownAccounts', () => {
    const settings = { requireKnownAccounts: true };

    it('should refuse a deployed account unless its implementation is known', () => {
      const unknown = refused('UNKNOWN_ACCOUNT_IMPLEMENTATION');
      expect(verdictOf({ settings })).toEqual(unknown);
      expect(verdictOf({ settings, extra: { accountImplementation: { known: false } } })).toEqual(unknown);
      expect(verdictOf({ settings, extra: { accountImplementation: { known: true } } })).toEqual(allowed);
      expect(verdictOf({ extra: { accountImplementation: { known: false } } })).toEqual(allowed);
    });

    it('should refuse a function that the implementation hands to a module of its own', () => {
      const of = (...shapes: string[]) => ({ accountImplementation: { known: true, shapes: new Set(shapes) } });
      expect(verdictOf({ settings, extra: of('executeBatchOfTuples') })).toEqual(allowed);
      expect(verdictOf({ settings, extra: of('execute', 'none') })).toEqual(refused('CALL_DATA_NOT_UNDERSTOOD'));
    });

    it('should judge a new account by its factory', () => {
      expect(verdictOf({ settings, factory: SIMPLE_FACTORY })).toEqual(allowed);
      const anyFactory = { ...settings, allowUnknownFactories: true };
      expect(verdictOf({ settings: anyFactory, factory: stranger })).toEqual(refused('UNKNOWN_ACCOUNT_IMPLEMENTATION'));
      expect(verdictOf({ settings: anyFactory, factory: SAFE_FACTORY, factoryData: '0x' })).toEqual(
        refused('UNKNOWN_ACCOUNT_IMPLEMENTATION'),
      );
    });
  });

  describe('trace', () => {
    it('should have one line for every rule, in order, when the operation is sponsored', () => {
      expect(verdictOf({}).trace).toEqual([
        { rule: 'policiesSet', input: '1 whitelisted methods', outcome: 'pass' },
        { rule: 'callDataUnderstood', input: 'executeBatchOfTuples, 1 calls', outcome: 'pass' },
        { rule: 'noDelegateCall', input: 'calls only', outcome: 'pass' },
        { rule: 'somethingToSponsor', input: '1 calls', outcome: 'pass' },
        { rule: 'noSelfCall', input: 'no call to the account itself', outcome: 'pass' },
        { rule: 'nativeTransfers', input: 'none', outcome: 'pass' },
        { rule: 'contractsRegistered', input: '1 calls', outcome: 'pass' },
        { rule: 'methodsWhitelisted', input: '1 calls', outcome: 'pass' },
        { rule: 'accountDeployed', input: 'has code', outcome: 'pass' },
        { rule: 'noEip7702', input: 'no delegation', outcome: 'pass' },
        { rule: 'delegateUnderstood', input: 'no delegation', outcome: 'skip' },
        { rule: 'deploymentSponsored', input: 'no deployment', outcome: 'skip' },
        { rule: 'factoryKnown', input: 'no deployment', outcome: 'skip' },
        { rule: 'accountKnown', input: 'not required', outcome: 'skip' },
        { rule: 'validatorKnown', input: 'the nonce names no validator', outcome: 'skip' },
      ]);
    });

    it('should end with the rule that refused, and name what it saw', () => {
      const { trace } = verdictOf({ calls: [mintCall, { ...mintCall, data: '0xdeadbeef' }] });
      expect(trace.map(({ rule }) => rule)).toEqual(POLICY_RULES.slice(0, 8).map(({ name }) => name));
      expect(trace.at(-1)).toEqual({
        rule: 'methodsWhitelisted',
        input: `0xdeadbeef of ${contract}`,
        outcome: 'refuse',
      });
    });

    it.each<[Scenario, string, string, string]>([
      [{ contracts: [] }, 'policiesSet', '0 whitelisted methods', NOTHING_SET],
      [
        { callData: '0xdeadbeef' },
        'callDataUnderstood',
        'UNKNOWN_SHAPE: account function 0xdeadbeef',
        'callData is not understood, so it is not sponsored: account function 0xdeadbeef',
      ],
      [
        { callData: encode.encodeSafe({ to: contract, data: mint, operation: 1 }) },
        'noDelegateCall',
        `a delegatecall to ${contract}`,
        `Delegatecalls are not sponsored: a delegatecall to ${contract}`,
      ],
      [
        { calls: 'none' },
        'somethingToSponsor',
        'no call and no deployment',
        'The operation neither calls anything nor deploys its account',
      ],
      [
        { calls: [{ ...mintCall, to: sender, data: '0xf2fde38b' }] },
        'noSelfCall',
        `0xf2fde38b of ${sender}`,
        `Calls of the account to itself are not sponsored: 0xf2fde38b of ${sender}`,
      ],
      [
        { calls: [{ to: stranger, valueWei: 3n, data: '0x' }] },
        'nativeTransfers',
        `3 wei to ${stranger}`,
        `Native transfers are not sponsored by this paymaster: a transfer to ${stranger}`,
      ],
      [
        { calls: [{ ...mintCall, to: stranger }] },
        'contractsRegistered',
        stranger,
        `Smart contract data not found: ${stranger} is not registered with this paymaster`,
      ],
      [
        { calls: [{ ...mintCall, data: '0xdeadbeef' }] },
        'methodsWhitelisted',
        `0xdeadbeef of ${contract}`,
        `Not whitelisted: method 0xdeadbeef of contract ${contract}`,
      ],
      [
        { calls: [{ ...mintCall, data: '0x123456' }] },
        'methodsWhitelisted',
        `0x123456 of ${contract}`,
        `Not whitelisted: call data shorter than a method selector of contract ${contract}`,
      ],
      [
        { extra: { hasCode: false } },
        'accountDeployed',
        'no code',
        `Account ${sender} has no code, and the operation has no factory that deploys it`,
      ],
      [
        { extra: { eip7702Delegate: stranger } },
        'noEip7702',
        stranger,
        `This EIP-7702 delegation is not sponsored: no policy lists its delegate ${stranger}`,
      ],
      [
        { factory: EIP7702_MARKER },
        'noEip7702',
        'unknown delegate',
        'This EIP-7702 delegation is not sponsored: nobody can say whose code the account will run. A new delegation needs eip7702Auth',
      ],
      [
        delegatedTo(stranger),
        'delegateUnderstood',
        `${stranger} is not a known one`,
        `callData is not understood, so it is not sponsored: the delegate ${stranger} is not a known one`,
      ],
      [
        { ...delegatedTo(SIMPLE_7702), callData: encode.encodeSingle('executeNcC', [mintCall]) },
        'delegateUnderstood',
        `${SIMPLE_7702} has no such function`,
        `callData is not understood, so it is not sponsored: the delegate ${SIMPLE_7702} has no such function`,
      ],
      [
        { factory: SIMPLE_FACTORY, settings: { sponsorDeployments: 'never' } },
        'deploymentSponsored',
        'never, 1 calls',
        'Account deployments are not sponsored by this paymaster',
      ],
      [
        { factory: SIMPLE_FACTORY, calls: 'none' },
        'deploymentSponsored',
        'withCall, 0 calls',
        'An account deployment is sponsored only together with a sponsored call',
      ],
      [{ factory: stranger }, 'factoryKnown', stranger, `The account factory ${stranger} is not a known one`],
      [
        { factory: SAFE_FACTORY, factoryData: '0xdeadbeef' },
        'factoryKnown',
        'the factory function is not understood',
        'The account would be set up with something that is not known: the factory function is not understood',
      ],
      [
        { ...delegatedTo(SIMPLE_7702), factory: EIP7702_MARKER, factoryData: '0x00' },
        'factoryKnown',
        'a call to the delegate before the first validation',
        'The account would be set up with something that is not known: a call to the delegate before the first validation',
      ],
      [
        { factory: SIMPLE_FACTORY, callData: encode.encodeErc7579Calls([mintCall]) },
        'factoryKnown',
        `no such function: ${SIMPLE_FACTORY_NAME}`,
        `callData is not understood, so it is not sponsored: the account (${SIMPLE_FACTORY_NAME}) has no such function`,
      ],
      [
        { settings: { requireKnownAccounts: true } },
        'accountKnown',
        'unknown implementation',
        `The implementation of account ${sender} is not a known one`,
      ],
      [
        { factory: stranger, settings: { requireKnownAccounts: true, allowUnknownFactories: true } },
        'accountKnown',
        'not deployed by a known factory',
        `The implementation of account ${sender} is not a known one`,
      ],
      [
        {
          settings: { requireKnownAccounts: true },
          extra: { accountImplementation: { known: true, shapes: new Set(['execute']) } },
        },
        'accountKnown',
        'no such function: known implementation',
        'callData is not understood, so it is not sponsored: the account (known implementation) has no such function',
      ],
    ])('should say to the client what it refuses, row %#', (scenario, rule, input, message) => {
      const verdict = verdictOf(scenario);
      expect(verdict).toMatchObject({ allowed: false, message });
      expect(verdict.trace.at(-1)).toEqual({ rule, input, outcome: 'refuse' });
    });

    it.each<[Scenario, string, string, 'pass' | 'skip']>([
      [
        { callData: encode.encodeSafe({ to: contract, data: mint, operation: 1 }) },
        'callDataUnderstood',
        'DELEGATE_CALL',
        'pass',
      ],
      [{ settings: { sponsorNativeTransfers: true } }, 'nativeTransfers', 'sponsored', 'skip'],
      [{ settings: { sponsorAnyContract: true } }, 'contractsRegistered', 'any contract is sponsored', 'skip'],
      [{ factory: SIMPLE_FACTORY }, 'accountDeployed', 'the operation says what it will run', 'skip'],
      [{ extra: { hasCode: undefined as never } }, 'accountDeployed', 'its code was not read', 'skip'],
      [delegatedTo(SIMPLE_7702), 'noEip7702', `a policy lists ${SIMPLE_7702}`, 'pass'],
      [delegatedTo(SIMPLE_7702), 'delegateUnderstood', 'Simple7702Account for EntryPoint v0.8', 'pass'],
      [
        { ...delegatedTo(stranger), settings: { allowUnknownFactories: true } },
        'delegateUnderstood',
        'unknown code is allowed',
        'skip',
      ],
      [{ factory: SIMPLE_FACTORY }, 'deploymentSponsored', 'withCall, 1 calls', 'pass'],
      [{ factory: SIMPLE_FACTORY }, 'factoryKnown', SIMPLE_FACTORY_NAME, 'pass'],
      [{ ...delegatedTo(SIMPLE_7702), factory: EIP7702_MARKER }, 'factoryKnown', 'a delegation, no factory', 'pass'],
      [
        { factory: stranger, settings: { allowUnknownFactories: true } },
        'factoryKnown',
        'unknown factories are allowed',
        'skip',
      ],
      [
        { settings: { requireKnownAccounts: true }, extra: { accountImplementation: { known: true } } },
        'accountKnown',
        'known implementation',
        'pass',
      ],
      [
        { factory: SIMPLE_FACTORY, settings: { requireKnownAccounts: true } },
        'accountKnown',
        'deployed by a known factory',
        'pass',
      ],
      [
        { ...delegatedTo(SIMPLE_7702), settings: { requireKnownAccounts: true } },
        'accountKnown',
        'Simple7702Account for EntryPoint v0.8',
        'pass',
      ],
      [{ settings: { allowUnknownFactories: true } }, 'validatorKnown', 'the nonce names no validator', 'skip'],
    ])('should say to the owner what it saw, row %#', (scenario, rule, input, outcome) => {
      expect(verdictOf(scenario).trace).toContainEqual({ rule, input, outcome });
    });

    it('should make no calls out of call data that is not understood', () => {
      expect(callsOf({ decoded: { understood: false, failure: 'NOT_HEX', detail: '' } } as never)).toEqual([]);
    });

    it('should travel in the error, after the lines of earlier verdicts', () => {
      const earlier = [{ rule: 'fundingWallet', input: 'set', outcome: 'pass' as const }];
      const verdict = verdictOf({ calls: 'none' });
      const error = catchRefusal(() => traceIfAllowed(verdict, earlier));
      expect(error).toBeInstanceOf(SponsorshipRefusedError);
      expect(error).toMatchObject({ reason: 'NOTHING_TO_SPONSOR', trace: [...earlier, ...verdict.trace] });
    });

    it('should be handed on when the verdict is a yes', () => {
      expect(traceIfAllowed(verdictOf({}))).toHaveLength(POLICY_RULES.length);
    });
  });
});

function catchRefusal(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('expected a refusal');
}
