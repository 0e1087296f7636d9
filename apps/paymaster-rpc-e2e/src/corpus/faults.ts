import { maxUint256, numberToHex } from 'viem';
import { CANONICAL_DELEGATE, type Stack } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { executeBatch, type InnerCall } from '../support/call-data';
import { add, INCREMENT, RESET, TIP } from '../support/demo-contract';
import type { Fees } from '../support/fees';
import { rules } from '../support/policies';
import { LIMITS, SPONSORED } from '../support/sponsor';
import { approveCall, type Token } from '../support/tokens';
import type { WireOperation } from '../support/wire-operation';

/** Who sends the operation: an account with tokens, one without, one that no policy lists. None of them is deployed. */
type Sender = 'holder' | 'penniless' | 'unlisted';
type AccountFields = Pick<WireOperation, 'sender' | 'nonce' | 'factory' | 'factoryData'>;

/** What requests are made from. */
export interface Given {
  readonly stack: Stack;
  readonly fees: Fees;
  readonly accounts: Readonly<Record<Sender, AccountFields>>;
  readonly tokens: { readonly good: Hex; readonly priceless: Hex };
  /** The address of an owner's server that verifies no operation. */
  readonly webhook: string;
  /** An operation that its paymaster and its account have signed. */
  readonly signed: WireOperation;
}

/** A paymaster to be made for requests. */
export interface Wish {
  readonly methods: readonly string[] | null;
  readonly settings: Readonly<Record<string, unknown>>;
  /** `policyData` of its RULES policy. */
  readonly rules: Readonly<Record<string, unknown>>;
  readonly wallet: 'rich' | 'empty' | 'none';
  readonly isSuspended: boolean;
  /** It shares a limit of one operation that another paymaster has used up. */
  readonly isCountUsedUp: boolean;
  readonly webhook: string | null;
  /** A token whose price nobody knows. */
  readonly priceless: string | null;
  /** The restrictions of the named key with which it is asked; undefined: its own key. */
  readonly key: Readonly<Record<string, unknown>> | undefined;
}

/** A request and its paymaster before they are made. A fault is a patch of it: members of objects are merged. */
interface Draft {
  readonly wish: Wish;
  readonly path: { readonly chain: string; readonly key: string | undefined };
  readonly headers: Readonly<Record<string, string>>;
  readonly frame: Readonly<Record<string, unknown>>;
  /** White space behind the body, and bytes that are cut off its end. */
  readonly text: { readonly padding: number; readonly cut: number };
  readonly from: Sender;
  readonly isDeployment: boolean;
  /** Members of the operation, over those that it has by itself. */
  readonly op: Readonly<Record<string, unknown>>;
  /** Calls of the batch besides `increment`, by name. `sender` and `demo` stand for the account and the demo contract. */
  readonly calls: Readonly<Record<string, Omit<InnerCall, 'to'> & { readonly to: Hex | 'sender' | 'demo' }>>;
  /** In place of the batch. */
  readonly callData: string | undefined;
  readonly approves: boolean;
  readonly entryPoint: Hex | undefined;
  readonly chainId: Hex;
  readonly token: Hex;
  /** Members of the mode object, the context, or what else a dialect has of the kind. */
  readonly context: Readonly<Record<string, unknown>>;
}
/** Members that change, each of any depth. */
type Patch = { readonly [Key in keyof Draft]?: Draft[Key] extends object ? object : Draft[Key] };

/** A request as it is sent, and the paymaster it is sent to. */
export interface Plan {
  readonly wish: Wish;
  readonly chain: string;
  /** In place of the paymaster's own. */
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** {@link POLICY} stands for the id of the paymaster's policy. */
  readonly body: string;
  /** Spaces behind the body. */
  readonly padding: number;
}

export const STRANGER: Hex = `0x${'5a'.repeat(20)}`;
export const POLICY = '00000000-0000-4000-8000-00000000f0f0';
const ORIGIN = 'https://dapp.example';
const UNKNOWN_KEY = 'AAAAAAAAA.00000000-0000-4000-8000-000000000000';
/** 65 bytes with a low s that recover to nobody. */
const DUMMY_SIGNATURE = `0x${'ff'.repeat(15)}f0${'00'.repeat(16)}7${'a'.repeat(63)}1c`;
const MORE_THAN_256_KIB = 262_145;
const FORGED = { chainId: '0x0', nonce: '0x0', r: '0x1', s: '0x1', yParity: '0x0' };
/** Stands for the address of a token without a price. */
const PRICELESS = '0x';
/** Long gone by. */
const BEFORE = 1_000_000_000;
const TOO_MUCH_GAS = numberToHex(900_000_000);
const gwei = (count: number): Hex => numberToHex(BigInt(count) * 10n ** 9n);
const fees = (maxFeePerGas: Hex, maxPriorityFeePerGas: Hex): Patch => ({ op: { maxFeePerGas, maxPriorityFeePerGas } });
const ofKey = (key: object): Patch => ({ wish: { key } });

/** Each fault of a request or of its paymaster, by name. */
export const FAULTS = {
  // The HTTP request and the JSON-RPC frame.
  mediaType: { headers: { 'content-type': 'text/plain' } },
  tooLarge: { text: { padding: MORE_THAN_256_KIB } },
  notJson: { text: { cut: 1 } },
  noId: { frame: { id: undefined } },
  otherJsonRpc: { frame: { jsonrpc: '1.0' } },
  methodIsNoText: { frame: { method: 5 } },
  unknownMethod: { frame: { method: 'pm_nothing' } },
  // Who asks.
  chainNotServed: { path: { chain: '1' } },
  malformedKey: { path: { key: 'none' } },
  unknownKey: { path: { key: UNKNOWN_KEY } },
  expiredKey: ofKey({ expiresAt: 'soon' }),
  foreignOrigin: { headers: { origin: 'https://elsewhere.example' } },
  originNotOfKey: ofKey({ allowedOrigins: ['https://other.example'] }),
  networkNotOfKey: ofKey({ allowedNetworks: ['203.0.113.0/24'] }),
  forgedSession: { headers: { 'x-session-token': 'a.b.c' } },
  noSession: ofKey({ sessionRequired: true }),
  methodNotOfKey: ofKey({ allowedMethods: ['pm_chainId'] }),
  keyWithoutBundler: ofKey({ bundler: 'off' }),
  suspended: { wish: { isSuspended: true } },
  // Params.
  lacksNonce: { op: { nonce: undefined } },
  malformedToken: { token: '0x12' },
  malformedCallData: { op: { callData: 'x' } },
  explanationsOff: { wish: { settings: { explainToClients: false } } },
  noMode: { context: { mode: undefined, sponsorshipInfo: undefined, tokenInfo: undefined } },
  noModeObject: { context: { sponsorshipInfo: undefined, tokenInfo: undefined } },
  shortExpiry: { context: { expiryDuration: 60 } },
  unknownAccountVersion: { context: { sponsorshipInfo: { smartAccountInfo: { name: 'SAFE', version: '9.9.9' } } } },
  otherChain: { chainId: '0x1' },
  notConsumed: { context: { shouldConsume: false } },
  unknownPolicy: { context: { policyId: 'unknown' } },
  unknownEntryPoint: { entryPoint: STRANGER },
  packedField: { op: { gasFees: '0x' } },
  fieldOfV06: { op: { initCode: '0x' } },
  reservedSender: { op: { sender: '0x0000000071727De22E5E9d8BAf0edAc6f37da032' } },
  hugeNonce: { op: { nonce: `0x1${'0'.repeat(64)}` } },
  hugeLimit: { op: { preVerificationGas: `0x1${'0'.repeat(32)}` } },
  tipAboveFee: { op: { maxPriorityFeePerGas: gwei(1_000_000) } },
  factoryDataAlone: { op: { factory: undefined } },
  hugeOperation: { op: { signature: `0x${'11'.repeat(10_000)}` } },
  senderNotOfKey: ofKey({ allowedSenders: [STRANGER] }),
  tokenModeOff: { wish: { settings: { tokenMode: 'off' } } },
  noFee: fees('0x0', '0x0'),
  longExpiry: { context: { expiryDuration: 86_400 } },
  unknownToken: { token: STRANGER },
  // What the operation does.
  forgedAuthorization: { isDeployment: false, op: { eip7702Auth: { ...FORGED, address: CANONICAL_DELEGATE } } },
  nothingWhitelisted: { wish: { methods: null } },
  notUnderstood: { callData: '0xdeadbeef' },
  nothingToSponsor: { isDeployment: false, callData: '0x' },
  selfCall: { calls: { selfCall: { to: 'sender', data: INCREMENT } } },
  nativeTransfer: { calls: { nativeTransfer: { to: STRANGER, data: '0x', valueWei: 1n } } },
  foreignContract: { calls: { foreignContract: { to: STRANGER, data: INCREMENT } } },
  foreignMethod: { calls: { foreignMethod: { to: 'demo', data: RESET } } },
  notDeployed: { isDeployment: false },
  foreignDelegate: { isDeployment: false, op: { eip7702Auth: { ...FORGED, address: STRANGER } } },
  deploymentsOff: { wish: { settings: { sponsorDeployments: 'never' } } },
  unknownFactory: { op: { factory: STRANGER } },
  // The owner's policy.
  policyEnded: { wish: { rules: { endsAt: BEFORE } } },
  senderNotListed: { from: 'unlisted' },
  tooManyCalls: { calls: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, { to: 'demo', data: INCREMENT }])) }, // prettier-ignore
  tooMuchValue: { calls: { tooMuchValue: { to: 'demo', data: TIP, valueWei: 6n } } },
  foreignArgument: { calls: { foreignArgument: { to: 'demo', data: add(11n) } } },
  // Money, gas and fees.
  noWallet: { wish: { wallet: 'none' } },
  emptyWallet: { wish: { wallet: 'empty' } },
  pricelessToken: { token: PRICELESS, wish: { priceless: PRICELESS } },
  noLimit: { op: { callGasLimit: '0x0' } },
  callGasTooHigh: { op: { callGasLimit: TOO_MUCH_GAS } },
  verificationGasTooHigh: { op: { verificationGasLimit: TOO_MUCH_GAS } },
  preVerificationGasTooHigh: { op: { preVerificationGas: TOO_MUCH_GAS } },
  feeTooLow: fees('0x2', '0x1'),
  equalFeesTooHigh: fees(gwei(900_000), gwei(900_000)),
  tipTooHigh: fees(gwei(900_001), gwei(900_000)),
  feeTooHigh: fees(gwei(900_000), '0x1'),
  costCap: { wish: { settings: { maxOperationCostWei: '1' } } },
  callReverts: { calls: { callReverts: { to: 'demo', data: add(maxUint256) } } },
  noTokens: { from: 'penniless' },
  noApproval: { approves: false },
  webhookRefuses: { wish: { webhook: 'refuses' } },
  countUsedUp: { wish: { isCountUsedUp: true } },
  budgetTooSmall: { wish: { rules: { limits: [{ scope: 'PAYMASTER', measure: 'WEI', amount: '1', cycle: 'LIFETIME' }] } } }, // prettier-ignore
  budgetOfKeyTooSmall: ofKey({ limits: [{ scope: 'KEY', measure: 'WEI', amount: '1', cycle: 'MONTH' }] }),
  // What bundlers are sent.
  unsponsored: { ...ofKey({ bundler: 'sponsored' }), op: { paymaster: undefined, paymasterData: undefined } },
  wrongSignature: { op: { signature: DUMMY_SIGNATURE } },
} as const satisfies Readonly<Record<string, Patch>>;
export type Fault = keyof typeof FAULTS;

/** The fault whose trace is recorded for every use case: ways to ask that decide alike have the same others. */
export const TRACED: Fault = 'foreignMethod';

/** A session that is not believed is there; a delegation is something to sponsor. */
const CONTRADICTIONS: readonly (readonly Fault[])[] = [
  ['forgedSession', 'noSession'],
  ['nothingToSponsor', 'foreignDelegate'],
];

/** One way to ask, in one dialect. */
export interface UseCase {
  readonly name: string;
  readonly method: string;
  readonly params: (draft: Draft, operation: object, given: Given) => readonly unknown[];
  /** What it asks besides what all requests have. */
  readonly base?: object;
  /** Its refusals are also recorded where they are explained; of the others, that of {@link TRACED} is. */
  readonly isExplained?: true;
  /** Its faults, in the order in which the gateway finds them. */
  readonly order: readonly Fault[];
}

const FRAME = ['mediaType', 'tooLarge', 'notJson', 'noId', 'otherJsonRpc', 'methodIsNoText', 'unknownMethod'] as const;
const CALLER = [
  ...(['chainNotServed', 'malformedKey', 'unknownKey', 'expiredKey', 'foreignOrigin', 'originNotOfKey'] as const),
  ...(['networkNotOfKey', 'forgedSession', 'noSession', 'methodNotOfKey'] as const),
];
const ASKED = [...FRAME, ...CALLER];
const SHAPE = ['lacksNonce', 'malformedCallData', 'suspended'] as const;
const MODE = ['noMode', 'noModeObject', 'shortExpiry', 'unknownAccountVersion'] as const;
const OPERATION = [
  ...(['unknownEntryPoint', 'packedField', 'fieldOfV06', 'reservedSender', 'hugeNonce', 'hugeLimit'] as const),
  ...(['tipAboveFee', 'factoryDataAlone', 'hugeOperation'] as const),
];
/** A stub's fees are not judged. */
const OPERATION_OF_STUB = OPERATION.filter((fault) => fault !== 'tipAboveFee');
/** Alchemy's clients send fees and limits as what they override. */
const OPERATION_OF_ALCHEMY = [...OPERATION_OF_STUB, 'tipAboveFee'] as const;
const CALLS = [
  ...(['nothingWhitelisted', 'notUnderstood', 'nothingToSponsor', 'selfCall', 'nativeTransfer'] as const),
  ...(['foreignContract', 'foreignMethod', 'notDeployed', 'foreignDelegate', 'deploymentsOff'] as const),
  'unknownFactory' as const,
];
const RULES = ['policyEnded', 'senderNotListed', 'tooManyCalls', 'tooMuchValue', 'foreignArgument'] as const;
const LIMITS_TOO_HIGH = ['callGasTooHigh', 'verificationGasTooHigh', 'preVerificationGasTooHigh'] as const;
const FEES = ['feeTooLow', 'equalFeesTooHigh', 'tipTooHigh', 'feeTooHigh'] as const;
const BUDGETS = ['countUsedUp', 'budgetTooSmall', 'budgetOfKeyTooSmall'] as const;
const JUDGED = ['noFee', 'longExpiry', 'forgedAuthorization', ...CALLS, ...RULES, 'noWallet'] as const;
const AS_SENT = [...JUDGED, 'noLimit', ...LIMITS_TOO_HIGH, ...FEES, 'costCap'] as const;
const HELD = ['webhookRefuses', 'emptyWallet', ...BUDGETS] as const;
/** Methods that estimate take no time of validity, and choose the fees of an operation that has none. */
const ESTIMATED = [
  ...JUDGED.filter((fault) => fault !== 'longExpiry' && fault !== 'noFee'),
  ...FEES,
  ...(['emptyWallet', 'callReverts'] as const),
];
const PAYABLE = ['notDeployed', 'foreignDelegate'] as const;
const IN_TOKEN = ['unknownToken', 'noWallet', 'forgedAuthorization', ...PAYABLE, 'pricelessToken'] as const;
const SIMULATED = ['callReverts', 'noTokens', 'noApproval'] as const;
const PAID_AS_SENT = [
  ...(['tokenModeOff', 'noFee', ...IN_TOKEN, 'noLimit', ...LIMITS_TOO_HIGH, ...FEES, 'costCap'] as const),
  ...(['emptyWallet', ...SIMULATED] as const),
];
const PAID_BY_ESTIMATE = [
  ...IN_TOKEN,
  ...([...FEES, 'emptyWallet', 'callReverts', 'costCap', 'noTokens', 'noApproval'] as const),
];
const STUB = [...CALLS, 'noWallet', ...LIMITS_TOO_HIGH, 'costCap', ...RULES, ...BUDGETS, 'emptyWallet'] as const;

const sponsored = { ...SPONSORED, calculateGasLimits: false };
const core: UseCase['params'] = ({ context, entryPoint }, operation) => [
  operation,
  { ...context, ...(entryPoint && { entryPoint }) },
];
const coreInToken: UseCase['params'] = (draft, operation, given) => {
  const tokenInfo =
    'tokenInfo' in draft.context ? undefined : { preferredToken: draft.token, tokenList: [draft.token] };
  return core({ ...draft, context: { tokenInfo, ...draft.context } }, operation, given);
};
const inToken = { approves: true };
const ofToken = { ...inToken, context: { ...sponsored, mode: 'ERC20' } };
const afterEntryPoint: UseCase['params'] = ({ context, entryPoint }, operation, { stack }) => [
  operation,
  entryPoint ?? stack.entryPoints['0.7'],
  context,
];
const erc7677: UseCase['params'] = (draft, operation, given) => {
  const [op, entryPoint, context] = afterEntryPoint(draft, operation, given);
  return [op, entryPoint, draft.chainId, context];
};
const withToken =
  (params: UseCase['params'], name = 'token'): UseCase['params'] =>
  (draft, ...others) =>
    params({ ...draft, context: { [name]: draft.token, ...draft.context } }, ...others);
const zerodev: UseCase['params'] = ({ context, entryPoint, chainId }, userOp, { stack }) => [
  { chainId, entryPointAddress: entryPoint ?? stack.entryPoints['0.7'], userOp, ...context },
];
const alchemy: UseCase['params'] = ({ context, entryPoint }, userOperation, { stack }) => [
  { entryPoint: entryPoint ?? stack.entryPoints['0.7'], userOperation, ...context },
];
const bundler: UseCase['params'] = ({ entryPoint }, operation, { stack }) => [
  operation,
  entryPoint ?? stack.entryPoints['0.7'],
];

/** Every way to ask for something that the gateway decides on. */
export const USE_CASES: readonly UseCase[] = [
  {
    ...{ name: 'pm_getFeeQuoteOrData, SPONSORED', method: 'pm_getFeeQuoteOrData', params: core },
    base: { context: sponsored },
    order: [...ASKED, ...SHAPE, ...MODE, ...OPERATION, 'senderNotOfKey', ...AS_SENT, ...HELD],
  },
  {
    isExplained: true,
    ...{ name: 'pm_getFeeQuoteOrData, ERC20', method: 'pm_getFeeQuoteOrData', params: coreInToken, base: ofToken },
    order: [
      ...[...ASKED, ...SHAPE, ...MODE, ...OPERATION, 'senderNotOfKey' as const],
      ...(['tokenModeOff', 'noFee', 'noWallet', 'pricelessToken', 'noLimit', ...LIMITS_TOO_HIGH, ...FEES] as const),
      ...(['costCap', 'emptyWallet'] as const),
    ],
  },
  {
    isExplained: true,
    ...{ name: 'pm_sponsorUserOperation, SPONSORED', method: 'pm_sponsorUserOperation', params: core },
    base: { context: sponsored },
    order: [...ASKED, ...SHAPE, ...MODE, ...OPERATION, 'senderNotOfKey', ...AS_SENT, ...HELD],
  },
  {
    isExplained: true,
    ...{ name: 'pm_sponsorUserOperation, ERC20', method: 'pm_sponsorUserOperation', params: coreInToken },
    base: ofToken,
    order: [...ASKED, ...SHAPE, ...MODE, ...OPERATION, 'senderNotOfKey', ...PAID_AS_SENT],
  },
  {
    ...{ name: 'pm_sponsorUserOperation without a mode', method: 'pm_sponsorUserOperation', params: afterEntryPoint },
    base: { context: { calculateGasLimits: false } },
    order: [...ASKED, ...SHAPE, 'shortExpiry', 'unknownPolicy', ...OPERATION, 'senderNotOfKey', ...AS_SENT, ...HELD],
  },
  {
    ...{ name: 'pm_sponsorUserOperation with a token', method: 'pm_sponsorUserOperation' },
    ...{ params: withToken(afterEntryPoint), base: inToken },
    order: [
      ...[...ASKED, ...SHAPE, 'shortExpiry' as const, ...OPERATION, 'senderNotOfKey' as const],
      ...(['tokenModeOff', 'noFee', ...PAID_BY_ESTIMATE] as const),
    ],
  },
  {
    ...{ name: 'pm_getPaymasterData', method: 'pm_getPaymasterData', params: erc7677 },
    order: [
      ...[...ASKED, ...SHAPE, 'otherChain' as const, 'shortExpiry' as const, ...OPERATION, 'unknownPolicy' as const],
      ...(['senderNotOfKey', ...AS_SENT, ...HELD] as const),
    ],
  },
  {
    ...{ name: 'pm_getPaymasterData with a token', method: 'pm_getPaymasterData' },
    ...{ params: withToken(erc7677), base: inToken },
    order: [...ASKED, ...SHAPE, 'otherChain', 'shortExpiry', ...OPERATION, 'senderNotOfKey', ...PAID_AS_SENT],
  },
  {
    isExplained: true,
    ...{ name: 'pm_getPaymasterStubData', method: 'pm_getPaymasterStubData', params: erc7677 },
    order: [
      ...[...ASKED, ...SHAPE, 'otherChain' as const, 'shortExpiry' as const, ...OPERATION_OF_STUB],
      ...(['unknownPolicy', 'senderNotOfKey', ...STUB] as const),
    ],
  },
  {
    isExplained: true,
    ...{ name: 'pm_getPaymasterStubData with a token', method: 'pm_getPaymasterStubData' },
    ...{ params: withToken(erc7677), base: inToken },
    order: [
      ...[...ASKED, ...SHAPE, 'otherChain' as const, 'shortExpiry' as const, ...OPERATION_OF_STUB],
      ...(['senderNotOfKey', 'tokenModeOff', 'unknownToken', 'noWallet', ...PAYABLE, 'pricelessToken'] as const),
      ...(['noApproval', ...LIMITS_TOO_HIGH, 'costCap', 'emptyWallet'] as const),
    ],
  },
  {
    ...{ name: 'alchemy_requestGasAndPaymasterAndData', method: 'alchemy_requestGasAndPaymasterAndData' },
    params: alchemy,
    order: [
      ...[...ASKED, ...SHAPE, 'unknownPolicy' as const, ...OPERATION_OF_ALCHEMY, 'senderNotOfKey' as const],
      ...ESTIMATED,
      ...([...LIMITS_TOO_HIGH, 'costCap', 'webhookRefuses', ...BUDGETS] as const),
    ],
  },
  {
    ...{ name: 'alchemy_requestGasAndPaymasterAndData, erc20Context', method: 'alchemy_requestGasAndPaymasterAndData' },
    params: (draft, ...others) =>
      alchemy({ ...draft, context: { erc20Context: { tokenAddress: draft.token }, ...draft.context } }, ...others),
    base: inToken,
    order: [
      ...[...ASKED, ...SHAPE, 'unknownPolicy' as const, ...OPERATION_OF_ALCHEMY, 'senderNotOfKey' as const],
      ...(['tokenModeOff', ...PAID_BY_ESTIMATE] as const),
    ],
  },
  {
    isExplained: true,
    ...{ name: 'zd_sponsorUserOperation', method: 'zd_sponsorUserOperation', params: zerodev },
    order: [
      ...[...ASKED, ...SHAPE, 'notConsumed' as const, 'otherChain' as const, ...OPERATION, 'senderNotOfKey' as const],
      ...[...ESTIMATED, 'costCap' as const, 'webhookRefuses' as const, ...BUDGETS],
    ],
  },
  {
    ...{ name: 'zd_sponsorUserOperation, gasTokenData', method: 'zd_sponsorUserOperation', base: inToken },
    params: (draft, ...others) =>
      zerodev({ ...draft, context: { gasTokenData: { tokenAddress: draft.token }, ...draft.context } }, ...others),
    order: [
      ...[...ASKED, ...SHAPE, 'notConsumed' as const, 'otherChain' as const, ...OPERATION],
      ...(['senderNotOfKey', 'tokenModeOff', ...PAID_BY_ESTIMATE] as const),
    ],
  },
  {
    ...{ name: 'stackup_getERC20TokenQuotes', method: 'stackup_getERC20TokenQuotes', base: inToken },
    params: withToken(zerodev, 'tokenAddress'),
    order: [
      ...[...ASKED, ...SHAPE, 'otherChain' as const, ...OPERATION, 'senderNotOfKey' as const],
      ...(['tokenModeOff', 'noWallet', 'pricelessToken', ...FEES, 'emptyWallet', 'callReverts'] as const),
      'costCap',
    ],
  },
  {
    ...{ name: 'pm_validateSponsorshipPolicies', method: 'pm_validateSponsorshipPolicies' },
    params: (draft, ...others) => [...afterEntryPoint(draft, ...others).slice(0, 2), [POLICY]],
    order: [...ASKED, ...SHAPE, ...OPERATION, 'senderNotOfKey', ...STUB],
  },
  {
    ...{ name: 'pimlico_getTokenQuotes', method: 'pimlico_getTokenQuotes' },
    params: ({ token, entryPoint, chainId }, _operation, { stack }) => [
      { tokens: [token] },
      entryPoint ?? stack.entryPoints['0.7'],
      chainId,
    ],
    order: [
      ...[...ASKED, 'malformedToken' as const, 'suspended' as const, 'otherChain' as const],
      ...(['unknownEntryPoint', 'noWallet', 'tokenModeOff', 'unknownToken'] as const),
    ],
  },
  {
    ...{ name: 'pm_explain', method: 'pm_explain', params: core },
    // It answers only where the owner lets clients see explanations.
    base: { context: sponsored, wish: { settings: { explainToClients: true } } },
    order: [
      ...[...ASKED, ...SHAPE, 'explanationsOff' as const, ...MODE, ...OPERATION, 'senderNotOfKey' as const, ...AS_SENT],
      ...(['emptyWallet', ...BUDGETS] as const),
    ],
  },
  {
    ...{ name: 'eth_estimateUserOperationGas', method: 'eth_estimateUserOperationGas', params: bundler },
    order: [
      ...[...ASKED, 'keyWithoutBundler' as const, ...SHAPE, ...OPERATION, 'senderNotOfKey' as const],
      'callReverts' as const,
    ],
  },
  {
    ...{ name: 'eth_sendUserOperation', method: 'eth_sendUserOperation' },
    params: (draft, _operation, given) => bundler(draft, { ...given.signed, ...draft.op }, given),
    order: [
      ...[...ASKED, 'keyWithoutBundler' as const, ...SHAPE],
      ...(['unknownEntryPoint', 'packedField', 'fieldOfV06', 'reservedSender', 'hugeNonce', 'hugeLimit'] as const),
      ...(['tipAboveFee', 'hugeOperation', 'senderNotOfKey', 'unsponsored', 'wrongSignature'] as const),
    ],
  },
];

/** What a request and its paymaster are when nothing is wrong. */
function honest({ method, base }: UseCase, given: Given): Draft {
  const wish: Wish = {
    methods: ['increment', 'add', 'tip'],
    // So that a request can come from another page; by default every page may ask.
    settings: { allowedOrigins: [ORIGIN] },
    rules: rulesOf(given),
    wallet: 'rich',
    isSuspended: false,
    isCountUsedUp: false,
    ...{ webhook: null, priceless: null },
    key: undefined,
  };
  const draft: Draft = {
    ...{ wish, path: { chain: `${given.stack.chainId}`, key: undefined } },
    headers: { 'content-type': 'application/json', origin: ORIGIN, 'x-request-id': 'asked' },
    frame: { jsonrpc: '2.0', id: 1, method },
    ...{ text: { padding: 0, cut: 0 }, from: 'holder', isDeployment: true, op: {}, calls: {}, callData: undefined },
    ...{ approves: false, entryPoint: undefined, chainId: numberToHex(given.stack.chainId) },
    ...{ token: given.tokens.good, context: {} },
  };
  return merged(draft, base ?? {});
}

/** Rules that an honest operation keeps to, so that a request alone can break each of them. */
function rulesOf({ stack, accounts }: Given): Wish['rules'] {
  const contract = stack.demoContract.address;
  const { policyData } = rules({
    senders: { allow: [accounts.holder.sender, accounts.penniless.sender] },
    ...{ maxCallsPerOperation: 6, maxTotalValueWei: '5', eip7702Delegates: [CANONICAL_DELEGATE] },
    arguments: [{ contract, method: 'add(uint256)', index: 0, operator: 'NEQ', value: '11' }],
  });
  return policyData as Wish['rules'];
}

/** The request with its faults, whichever is put in first. */
export function planOf(useCase: UseCase, faults: readonly Fault[], given: Given, more: object = {}): Plan {
  const draft = [...faults.map((fault) => FAULTS[fault]), more].reduce(
    (before: Draft, patch) => merged(before, patch),
    honest(useCase, given),
  );
  const { wish, path, headers, frame, text } = draft;
  const params = useCase.params({ ...draft, token: tokenOf(draft, given) }, operationOf(draft, given), given);
  const body = JSON.stringify({ ...frame, params });
  const named = { webhook: wish.webhook && given.webhook, priceless: wish.priceless && given.tokens.priceless };
  return {
    ...{ wish: { ...wish, ...named }, chain: path.chain, key: path.key, headers },
    ...{ body: body.slice(0, body.length - text.cut), padding: text.padding },
  };
}

/**
 * Whether a request can have all of these faults at once: in whichever order they are put in it is the same request, and
 * each of them makes another one of it.
 */
export function areTogether(useCase: UseCase, faults: readonly Fault[], given: Given): boolean {
  const text = (some: readonly Fault[]): string => shownPlan(planOf(useCase, some, given));
  const all = text(faults);
  if (text([...faults].reverse()) !== all) return false;
  if (CONTRADICTIONS.some((some) => some.every((fault) => faults.includes(fault)))) return false;
  return faults.every((fault) => text(faults.filter((each) => each !== fault)) !== all);
}

/** A key that nobody knows has no paymaster. */
const shownPlan = ({ wish, ...plan }: Plan): string =>
  JSON.stringify(plan.key === undefined ? sorted({ ...plan, wish }) : sorted(plan));

const tokenOf = ({ token }: Draft, { tokens }: Given): Hex => (token === PRICELESS ? tokens.priceless : token);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members of objects are merged, anything else is replaced. */
function merged<T>(value: T, patch: unknown): T {
  if (!isObject(patch)) return patch as T;
  const before: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  const changes = Object.entries(patch).map(([name, change]) => [name, merged(before[name], change)]);
  return { ...before, ...Object.fromEntries(changes) } as T;
}

/** With the members of objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])])); // prettier-ignore
}

function operationOf(draft: Draft, { stack, fees, accounts, tokens }: Given): object {
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const { factory, factoryData, ...account } = accounts[draft.from];
  const demo = stack.demoContract.address;
  const places: Readonly<Record<string, Hex>> = { sender: account.sender, demo };
  const calls = Object.keys(draft.calls)
    .sort()
    .map((name) => draft.calls[name] as InnerCall)
    .map((call) => ({ ...call, to: places[call.to] ?? call.to }));
  const spender = stack.paymasters['0.7'];
  const approval = approveCall({ address: tokens.good } as Token, spender, maxUint256);
  const batch = [...(draft.approves ? [approval] : []), { to: demo, data: INCREMENT }, ...calls];
  return {
    ...account,
    ...(draft.isDeployment && { factory, factoryData }),
    callData: draft.callData ?? executeBatch('0.7', batch),
    ...LIMITS,
    ...{ maxFeePerGas, maxPriorityFeePerGas, signature: DUMMY_SIGNATURE },
    ...draft.op,
  };
}
