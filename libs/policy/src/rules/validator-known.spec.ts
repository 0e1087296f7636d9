import { concat } from 'ethers';
import { DEFAULT_PAYMASTER_SETTINGS, type Address, type Hex, type PaymasterSettings } from '@paymaster/domain';
import { policySnapshotBuilder, randomAddress, randomHex, userOperationV07Builder } from '@paymaster/domain/testing';
import { KNOWN_VALIDATORS } from '../accounts/known-validators';
import { decodeCalls } from '../accounts/decode-calls';
import * as encode from '../testing/encode-calls';
import { compilePolicy } from '../policies/compile-policy';
import { evaluate } from './evaluate';
import type { EvaluationInput } from './evaluation-input';

const NEXUS_FACTORY: Address = '0x00000bb19a3579f4d779215def97afbd0e30db55';
const SIMPLE_FACTORY: Address = '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985';
const K1 = '00000004171351c442b202678c48d8ab5b321e8f';
const KERNEL_ECDSA = '845adb2c711129d4f3966735ed98a9f09fc4ce57';
const NOBODY = '00'.repeat(20);
const KNOWN_NEXUS: Partial<EvaluationInput> = { accountImplementation: { known: true, nonceLayout: 'nexus' } };
const UNKNOWN = 'UNKNOWN_ACCOUNT_VALIDATOR';

const stranger = () => randomAddress().slice(2);
const calls: [encode.TestCall] = [{ to: randomAddress(), valueWei: 0n, data: concat(['0x40c10f19', randomHex(64)]) }];
const erc7579 = encode.encodeErc7579Calls(calls);
const simple = encode.encodeSingle('execute', calls);

const key = (...parts: string[]): bigint => BigInt(`0x${parts.join('')}${'00'.repeat(7)}2a`);
const nexus = (mode: string, validator: string, free = '0102ff') => key(free, mode, validator);
const kernel = (prefix: string, validator: string) => key(prefix, validator, 'abcd');
const validatorFirst = (validator: string) => key(validator, '00112233');

interface Scenario {
  callData?: Hex;
  factory?: Address;
  settings?: Partial<PaymasterSettings>;
  facts?: Partial<EvaluationInput>;
}

function verdictOf(nonce: bigint, { callData = erc7579, factory, settings, facts }: Scenario = {}) {
  const operation = userOperationV07Builder()
    .with('nonce', nonce)
    .with('callData', callData)
    .with('factory', factory)
    .build();
  const policy = compilePolicy(
    policySnapshotBuilder()
      .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, sponsorAnyContract: true, ...settings })
      .build(),
  );
  const decoded = decodeCalls({ callData, entryPointVersion: '0.7' });
  return evaluate({ operation, decoded, policy, hasCode: true, ...facts });
}

/** `granted`, or why not. */
function outcome(nonce: bigint, scenario?: Scenario): string {
  const verdict = verdictOf(nonce, scenario);
  return verdict.allowed ? 'granted' : verdict.reason;
}

describe('validatorKnown', () => {
  it.each([
    ['Nexus, its K1 validator', nexus('00', K1)],
    ['Nexus, its default validator', nexus('00', NOBODY)],
    ['Kernel, its root validator', kernel('0000', KERNEL_ECDSA)],
    ['Kernel, a named one', kernel('0001', KERNEL_ECDSA)],
    ['others, a named one', validatorFirst(K1)],
    ['all of them, no key at all', 7n],
    ['others, a small key', (99n << 64n) | 1n],
    ["others, viem's default key, which is the time", (1_763_900_000_000n << 64n) | 1n],
  ])('sponsors ERC-7579 calls of %s', (_title, nonce) => {
    expect(outcome(nonce)).toBe('granted');
    expect(outcome(nonce, { callData: encode.prefixExecuteUserOp(erc7579) })).toBe('granted');
  });

  it.each([
    ['Nexus that installs a module, its K1 validator named', () => nexus('01', K1)],
    ['Nexus that installs a module of its caller', () => nexus('01', stranger(), '000000')],
    ['Nexus that is set up (PREP)', () => nexus('02', NOBODY, '000000')],
    ['Nexus in a mode that nobody knows', () => nexus('7f', K1)],
    ['Nexus, a validator of its caller', () => nexus('00', stranger(), '000000')],
    ['Kernel that enables its validator', () => kernel('0101', KERNEL_ECDSA)],
    ['Kernel that enables a permission', () => kernel('0102', `deadbeef${'00'.repeat(16)}`)],
    ['Kernel, a permission', () => kernel('0002', `deadbeef${'00'.repeat(16)}`)],
    ['Kernel, a validator of its caller', () => kernel('0001', stranger())],
    ['others, a key that may name somebody', () => 2n ** 112n],
    ['others, a validator of their caller', () => validatorFirst(stranger())],
  ])('refuses ERC-7579 calls of %s', (_title, nonceOf) => {
    const nonce = nonceOf();
    expect(outcome(nonce)).toBe(UNKNOWN);
    expect(outcome(nonce, { settings: { requireKnownAccounts: true }, facts: KNOWN_NEXUS })).toBe(UNKNOWN);
    expect(outcome(nonce, { callData: encode.prefixExecuteUserOp(erc7579) })).toBe(UNKNOWN);
    // Code that nobody knows may do so anyway, and is not sponsored where accounts have to be known.
    expect(outcome(nonce, { settings: { allowUnknownFactories: true } })).toBe('granted');
    const both = { allowUnknownFactories: true, requireKnownAccounts: true };
    expect(outcome(nonce, { settings: both, facts: KNOWN_NEXUS })).toBe(UNKNOWN);
  });

  it.each<[string, Scenario]>([
    ['that a known factory deploys', { factory: NEXUS_FACTORY }],
    ['of a known implementation', { settings: { requireKnownAccounts: true }, facts: KNOWN_NEXUS }],
  ])('holds a Nexus account %s to its own nonce, whatever it calls', (_title, scenario) => {
    const anything = { sponsorDeployments: 'always' as const, ...scenario?.settings };
    // A new account has no function but those of its family.
    for (const callData of [erc7579, scenario?.factory ? '0x' : simple] as const) {
      const ask = (nonce: bigint) => outcome(nonce, { ...scenario, callData, settings: anything });
      expect(ask(nexus('00', K1))).toBe('granted');
      for (const nonce of [nexus('01', K1), nexus('00', stranger()), kernel('0000', KERNEL_ECDSA)]) {
        expect(ask(nonce)).toBe(UNKNOWN);
      }
    }
  });

  it('says how it read the nonce', () => {
    const line = (input: string, outcome: string) => ({ rule: 'validatorKnown', input, outcome });
    const nexusAccount = { settings: { requireKnownAccounts: true }, facts: KNOWN_NEXUS };
    expect(verdictOf(nexus('00', K1), nexusAccount).trace.at(-1)).toEqual(line('nexus', 'pass'));
    expect(verdictOf(nexus('00', K1)).trace.at(-1)).toEqual(line('a known validator', 'pass'));
    const nonce = nexus('01', K1);
    const written = `0x${nonce.toString(16)}`;
    const refused = verdictOf(nonce, nexusAccount);
    expect(refused.trace.at(-1)).toEqual(line(written, 'refuse'));
    expect(refused).toMatchObject({
      message: `The nonce ${written} names a validator or a mode of validation that is not known`,
    });
  });

  it('leaves parallel nonces to accounts that read no validator from them', () => {
    const nonce = nexus('01', stranger());
    expect(outcome(nonce, { callData: simple })).toBe('granted');
    expect(outcome(nonce, { callData: simple, factory: SIMPLE_FACTORY })).toBe('granted');
    // No validator is installed in a Safe7579 yet, so its launchpad asks the owners.
    expect(outcome(validatorFirst(stranger()), { callData: encode.encodeSetupSafe(calls) })).toBe('granted');
    const known = { settings: { requireKnownAccounts: true }, facts: { accountImplementation: { known: true } } };
    expect(outcome(nonce, { callData: simple, ...known })).toBe('granted');
  });

  it('has no known validator that another layout would read as a mode which installs modules', () => {
    const spelledByNexus = [...KNOWN_VALIDATORS].flatMap((validator) => [
      validator.slice(4, 6),
      validator.slice(8, 10),
    ]);
    for (const mode of ['01', '02']) expect(spelledByNexus).not.toContain(mode);
  });
});
