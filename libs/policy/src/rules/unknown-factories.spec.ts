import {
  DEFAULT_PAYMASTER_SETTINGS,
  type Address,
  type Hex,
  type PaymasterSettings,
  type UserOperation,
} from '@paymaster/domain';
import {
  policySnapshotBuilder,
  randomAddress,
  randomHex,
  userOperationV06Builder,
  userOperationV07Builder,
} from '@paymaster/domain/testing';
import { concat, Interface } from 'ethers';
import { decodeCalls } from '../accounts/decode-calls';
import { KNOWN_ACCOUNT_FACTORIES, type KnownAccountFactory } from '../accounts/known-factories';
import { compilePolicy, type CompiledPolicy } from '../policies/compile-policy';
import * as encode from '../testing/encode-calls';
import { evaluate } from './evaluate';
import type { EvaluationInput } from './evaluation-input';

const contract = randomAddress();
const mint: Hex = '0x40c10f19';
const call: encode.TestCall = { to: contract, valueWei: 0n, data: concat([mint, randomHex(64)]) };

/** Call data of every kind that accounts of the families have, and some that none has. */
const CALL_DATA: readonly Hex[] = [
  encode.encodeSingle('execute', [call]),
  encode.encodeSingle('executeNcC', [call]),
  encode.encodeBatch('executeBatch', [call]),
  encode.encodeBatchWithoutValues([call]),
  encode.encodeBatchOfTuples([call]),
  encode.encodeErc7579Calls([call]),
  encode.encodeSafeCalls([call]),
  '0x',
  '0xdeadbeef',
];
/** The owner's signer, a validator that nobody knows, and ModularAccount's own signer. */
const NONCES = [0n, BigInt(`0x${'c0'.repeat(20)}`) << 96n, 1n << 64n];
/** Calls of factories that deploy known accounts, and one that nobody understands. */
const FACTORY_DATA = [
  new Interface(['function createAccount(address, uint256)']).encodeFunctionData('createAccount', [contract, 1]),
  new Interface(['function createAccount(address, bytes)']).encodeFunctionData('createAccount', [contract, '0x']),
  new Interface(['function createAccount(address, bytes32)']).encodeFunctionData('createAccount', [
    contract,
    randomHex(32),
  ]),
  new Interface(['function createSemiModularAccount(address, uint256)']).encodeFunctionData(
    'createSemiModularAccount',
    [contract, 1],
  ),
  '0xdeadbeef',
] as Hex[];

const concatHex = (...parts: Hex[]) => concat(parts) as Hex;

interface Asked {
  readonly factory: Address | undefined;
  readonly factoryData: Hex;
  readonly callData: Hex;
  readonly nonce: bigint;
  readonly facts: Partial<EvaluationInput>;
}

const VERSIONS = ['0.6', '0.7'] as const;
/** Built once: a test below asks about some ten thousand operations. */
const BASE = { '0.6': userOperationV06Builder().build(), '0.7': userOperationV07Builder().build() };
const DECODED = new Map(
  CALL_DATA.map((callData) => [
    callData,
    {
      '0.6': decodeCalls({ callData, entryPointVersion: '0.6' }),
      '0.7': decodeCalls({ callData, entryPointVersion: '0.7' }),
    },
  ]),
);

function policyOf(settings: Partial<PaymasterSettings>): CompiledPolicy {
  return compilePolicy(
    policySnapshotBuilder()
      .with('contracts', [{ address: contract, selectors: [mint] }])
      .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, sponsorDeployments: 'always', ...settings })
      .build(),
  );
}

/** One for each EntryPoint version. */
function verdictOf({ factory, factoryData, callData, nonce, facts }: Asked, policy: CompiledPolicy) {
  return VERSIONS.map((version) => {
    const asked = { callData, nonce };
    const operation: UserOperation =
      version === '0.6'
        ? { ...BASE[version], ...asked, initCode: factory ? concatHex(factory, factoryData) : '0x' }
        : { ...BASE[version], ...asked, ...(factory && { factory, factoryData }) };
    return evaluate({ operation, policy, decoded: DECODED.get(callData)![version], hasCode: true, ...facts });
  });
}

const FACTS: readonly Partial<EvaluationInput>[] = [
  { isPublishedFactory: true },
  { isPublishedFactory: false },
  { accountImplementation: { known: true } },
  { accountImplementation: { known: false } },
];
const everything = (factory: Address | undefined): Asked[] =>
  FACTORY_DATA.flatMap((factoryData) =>
    CALL_DATA.flatMap((callData) =>
      NONCES.flatMap((nonce) => FACTS.map((facts) => ({ factory, factoryData, callData, nonce, facts }))),
    ),
  );

describe('allowUnknownFactories', () => {
  const factories: (Pick<KnownAccountFactory, 'name'> & { address?: Address })[] = [
    ...KNOWN_ACCOUNT_FACTORIES,
    { name: 'none, of a deployed account' },
    { name: 'a stranger', address: randomAddress() },
  ];

  it.each(factories)('should only loosen, and not change how known accounts are judged: $name', ({ address }) => {
    for (const requireKnownAccounts of [false, true]) {
      const [without, within] = [false, true].map((allowUnknownFactories) =>
        policyOf({ requireKnownAccounts, allowUnknownFactories }),
      ) as [CompiledPolicy, CompiledPolicy];
      for (const asked of everything(address)) {
        const off = verdictOf(asked, without);
        const on = verdictOf(asked, within);
        off.forEach((verdict, index) => {
          // Line by line, so that nothing that is read from the verdict differs.
          if (verdict.allowed) expect(on[index]).toEqual(verdict);
        });
      }
    }
  });

  it('should let in what is not known', () => {
    const asked: Asked = {
      ...{ factory: randomAddress(), factoryData: '0xdeadbeef', callData: CALL_DATA[0]!, nonce: 0n, facts: {} },
    };
    expect(verdictOf(asked, policyOf({}))).toMatchObject([{ reason: 'UNKNOWN_ACCOUNT_FACTORY' }, { allowed: false }]);
    expect(verdictOf(asked, policyOf({ allowUnknownFactories: true }))).toMatchObject([
      { allowed: true },
      { allowed: true },
    ]);
  });
});

describe('a known factory that the chain has to be asked about', () => {
  const asked: Asked = {
    factory: '0x4be0ddfebca9a5a4a617dee4dece99e7c862dceb',
    factoryData: FACTORY_DATA[1]!,
    callData: CALL_DATA[0]!,
    nonce: 0n,
    facts: {},
  };

  it('should not be known until the chain has it', () => {
    const known = { ...asked, facts: { isPublishedFactory: true } };
    expect(verdictOf(known, policyOf({}))[1]).toMatchObject({ allowed: true });
    for (const facts of [{}, { isPublishedFactory: false }]) {
      expect(verdictOf({ ...asked, facts }, policyOf({}))[1]).toMatchObject({
        reason: 'UNKNOWN_ACCOUNT_FACTORY',
        message: expect.stringContaining('other code'),
      });
      const settings = { requireKnownAccounts: true, allowUnknownFactories: true };
      expect(verdictOf({ ...asked, facts }, policyOf(settings))[1]).toMatchObject({
        reason: 'UNKNOWN_ACCOUNT_IMPLEMENTATION',
      });
    }
  });
});
