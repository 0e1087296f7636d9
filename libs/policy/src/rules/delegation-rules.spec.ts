import { concat } from 'ethers';
import {
  DEFAULT_PAYMASTER_SETTINGS,
  EIP7702_MARKER,
  type Address,
  type Eip7702Authorization,
  type Hex,
  type PaymasterSettings,
  type UserOperation,
} from '@paymaster/domain';
import {
  policySnapshotBuilder,
  randomAddress,
  randomHex,
  rulesPolicyBuilder,
  userOperationV06Builder,
  userOperationV07Builder,
} from '@paymaster/domain/testing';
import { decodeCalls } from '../accounts/decode-calls';
import * as encode from '../testing/encode-calls';
import { compilePolicy } from '../policies/compile-policy';
import { checkAccount } from './delegation-rules';
import { evaluate } from './evaluate';

const SIMPLE_7702: Address = '0xe6cae83bde06e4c305530e199d7217f42808555b';
const unknown = randomAddress();
const stranger = randomAddress();
const contract = randomAddress();
const mint: Hex = '0x40c10f19';
const calls: encode.TestCall[] = [{ to: contract, valueWei: 0n, data: concat([mint, randomHex(64)]) }];
const eip7702Auth: Eip7702Authorization = { chainId: 1n, address: SIMPLE_7702, nonce: 0n, r: 1n, s: 1n, yParity: 0 };

interface Scenario {
  readonly operation?: Partial<UserOperation>;
  /** Whose code the account runs; undefined where nobody can say, or it does not delegate. */
  readonly delegate?: Address | undefined;
  readonly listed?: readonly Address[] | null;
  readonly settings?: Partial<PaymasterSettings>;
  readonly callData?: Hex;
}

/** `allowed`, or the reason. */
function outcome({ operation: changes, delegate, listed = [SIMPLE_7702, unknown], settings, callData }: Scenario) {
  const operation = {
    ...userOperationV07Builder('0.8').build(),
    callData: callData ?? encode.encodeBatchOfTuples(calls),
    ...changes,
  } as UserOperation;
  const policy = compilePolicy(
    policySnapshotBuilder()
      .with('contracts', [{ address: contract, selectors: [mint] }])
      .with('policies', listed === null ? [] : [rulesPolicyBuilder({ eip7702Delegates: listed }).build()])
      .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, ...settings })
      .build(),
  );
  const decoded = decodeCalls({
    callData: operation.callData,
    entryPointVersion: operation.entryPointVersion,
  });
  const verdict = evaluate({ operation, decoded, policy, hasCode: true, eip7702Delegate: delegate });
  return verdict.allowed ? 'allowed' : verdict.reason;
}

const marked = { factory: EIP7702_MARKER, factoryData: '0x' } as const;
/** As an operation may say that its account delegates, or not say it. */
const FORMS: readonly [string, Partial<UserOperation>][] = [
  ['with the marker and an authorization', { ...marked, eip7702Auth }],
  ['with the marker alone', marked],
  ['with an authorization alone', { eip7702Auth }],
  ['without saying so', {}],
];

describe.each(FORMS)('an operation of a delegated account, %s', (_title, operation) => {
  it('should be sponsored where a policy lists the delegate', () => {
    expect(outcome({ operation, delegate: SIMPLE_7702 })).toBe('allowed');
    const shouted: Address = `0x${SIMPLE_7702.slice(2).toUpperCase()}`;
    expect(outcome({ operation, delegate: shouted, listed: [shouted] })).toBe('allowed');
  });

  it('should be refused where none does, whatever the switches', () => {
    const settings = { allowUnknownFactories: true, sponsorDeployments: 'always', sponsorAnyContract: true } as const;
    for (const listed of [null, [], [stranger]]) {
      expect(outcome({ operation, delegate: SIMPLE_7702, listed, settings })).toBe('EIP7702_NOT_SPONSORED');
    }
  });

  it('should be held to the whitelist', () => {
    const callData = encode.encodeBatchOfTuples([...calls, { to: stranger, valueWei: 0n, data: mint }]);
    expect(outcome({ operation, delegate: SIMPLE_7702, callData })).toBe('CONTRACT_NOT_REGISTERED');
  });

  it('should be refused where the delegate has no such function: its fallback would do nothing', () => {
    for (const callData of [encode.encodeBatch('executeBatch', calls), encode.encodeSingle('executeNcC', calls)]) {
      expect(outcome({ operation, delegate: SIMPLE_7702, callData })).toBe('CALL_DATA_NOT_UNDERSTOOD');
    }
  });

  it('should be refused where nobody knows how the delegate reads call data, unless that is allowed', () => {
    expect(outcome({ operation, delegate: unknown })).toBe('CALL_DATA_NOT_UNDERSTOOD');
    const settings = { allowUnknownFactories: true };
    expect(outcome({ operation, delegate: unknown, settings })).toBe('allowed');
    const strict = { ...settings, requireKnownAccounts: true };
    expect(outcome({ operation, delegate: unknown, settings: strict })).toBe('UNKNOWN_ACCOUNT_IMPLEMENTATION');
    expect(outcome({ operation, delegate: SIMPLE_7702, settings: strict })).toBe('allowed');
  });
});

describe('an operation that delegates', () => {
  it.each(FORMS.slice(0, 3))('should be refused when nobody can say to whom, %s', (_title, operation) => {
    expect(outcome({ operation })).toBe('EIP7702_NOT_SPONSORED');
    expect(outcome({ operation: { ...operation, entryPointVersion: '0.7' } })).toBe('EIP7702_NOT_SPONSORED');
  });

  it.each(['0x7702', EIP7702_MARKER] as const)('should be seen by its factory %s', (factory) => {
    expect(outcome({ operation: { factory } })).toBe('EIP7702_NOT_SPONSORED');
  });

  it('should be seen by the marker in initCode', () => {
    const operation = userOperationV06Builder()
      .with('callData', encode.encodeSingle('execute', calls))
      .with('initCode', EIP7702_MARKER)
      .build();
    expect(outcome({ operation })).toBe('EIP7702_NOT_SPONSORED');
  });

  it('should not be taken for one by a factory that only starts like the marker', () => {
    expect(outcome({ operation: { factory: `0x7702aa${'0'.repeat(34)}` } })).toBe('UNKNOWN_ACCOUNT_FACTORY');
  });

  it('should be refused with anything behind the marker: the delegate would be called with it', () => {
    const operation = { factory: EIP7702_MARKER, factoryData: '0x00' } as const;
    expect(outcome({ operation, delegate: SIMPLE_7702 })).toBe('UNKNOWN_ACCOUNT_SETUP');
    const settings = { allowUnknownFactories: true };
    expect(outcome({ operation, delegate: SIMPLE_7702, settings })).toBe('allowed');
    const strict = { ...settings, requireKnownAccounts: true };
    expect(outcome({ operation, delegate: SIMPLE_7702, settings: strict })).toBe('UNKNOWN_ACCOUNT_IMPLEMENTATION');
  });

  it('should count as a deployment where it has an authorization, and as a deployed account where not', () => {
    const alone = { callData: '0x', delegate: SIMPLE_7702 } as const;
    const [withAuthorization, markerAlone] = [{ operation: { ...marked, eip7702Auth } }, { operation: marked }];
    expect(outcome({ ...alone, ...withAuthorization })).toBe('DEPLOYMENT_NOT_SPONSORED');
    const always = { settings: { sponsorDeployments: 'always' } } as const;
    expect(outcome({ ...alone, ...withAuthorization, ...always })).toBe('allowed');
    expect(outcome({ ...alone, ...markerAlone, ...always })).toBe('NOTHING_TO_SPONSOR');
    const never = { delegate: SIMPLE_7702, settings: { sponsorDeployments: 'never' } } as const;
    expect(outcome({ ...never, ...withAuthorization })).toBe('DEPLOYMENT_NOT_SPONSORED');
    expect(outcome({ ...never, ...markerAlone })).toBe('allowed');
  });
});

describe('checkAccount', () => {
  const check = (facts: { hasCode: boolean; eip7702Delegate?: Address }) =>
    checkAccount({
      operation: userOperationV07Builder('0.8').build(),
      policy: compilePolicy(
        policySnapshotBuilder()
          .with('policies', [rulesPolicyBuilder({ eip7702Delegates: [SIMPLE_7702] }).build()])
          .build(),
      ),
      ...facts,
    });

  it('should ask for code that may be signed for, and for nothing else', () => {
    const hasCode = { rule: 'accountDeployed', input: 'has code', outcome: 'pass' };
    expect(check({ hasCode: true })).toEqual({
      allowed: true,
      trace: [hasCode, { rule: 'noEip7702', input: 'no delegation', outcome: 'pass' }],
    });
    expect(check({ hasCode: true, eip7702Delegate: SIMPLE_7702 })).toMatchObject({ allowed: true });
    expect(check({ hasCode: true, eip7702Delegate: stranger })).toMatchObject({ reason: 'EIP7702_NOT_SPONSORED' });
    expect(check({ hasCode: false })).toMatchObject({ reason: 'ACCOUNT_NOT_DEPLOYED' });
  });
});
