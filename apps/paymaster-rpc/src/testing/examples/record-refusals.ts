import { bundlerRefusal, ChainHead, JsonRpcResponseError } from '@paymaster/chain';
import {
  RequestTimedOutError,
  type Address,
  type Hex,
  type NativeRules,
  type PaymasterSettings,
  type UserOperation,
  type WhitelistedContract,
} from '@paymaster/domain';
import {
  keyGrantBuilder,
  limitPolicyBuilder,
  rulesPolicyBuilder,
  userOperationV07Builder,
} from '@paymaster/domain/testing';
import { bundlerError } from '@paymaster/gas';
import {
  BudgetRefusedError,
  ClientBoundError,
  exposureClaims,
  senderBlocked,
  ledgerBehind,
  SpendingBrakeError,
  type BudgetClaim,
} from '@paymaster/ledger';
import {
  traceIfAllowed,
  checkGasBounds,
  checkOperationCost,
  checkPolicies,
  decodeCalls,
  evaluate,
  type EvaluationInput,
  type GasBoundsInput,
  type PoliciesQuestion,
} from '@paymaster/policy';
import { priceUnavailable } from '@paymaster/pricing';
import { WebhookError } from '@paymaster/webhooks';
import { encodeFunctionData, parseAbi } from 'viem';
import { assertOriginAllowed } from '../../callers/allowed-origins';
import { CallerLimits } from '../../callers/caller-limits';
import {
  assertKeyCalls,
  assertKeyMayBundle,
  assertKeyServes,
  assertKeyServesSender,
  keyExpired,
} from '../../callers/key-grants';
import { sessionExpired, sessionMissing, SessionTokens } from '../../callers/session-tokens';
import { ClientNames } from '../../callers/client-names';
import { apiKeyOf } from '../../callers/credentials';
import { forSponsoredOnly } from '../../bundlers/our-signature';
import { assertNotSuspended } from '../../callers/suspension';
import { refuseBelow } from '../../chains/funding-check';
import { NO_DIALECT, toWireError } from '../../platform/errors/error-table';
import { InvalidRequestError, MethodNotFoundError, NoBundlerError } from '../../platform/errors/rpc-errors';
import type { RefusalExample } from '../../wire/open-rpc/open-rpc-examples';
import { overloaded } from '../../platform/errors/overloaded';
import { compileParams } from '../../wire/json-rpc/params-validator';
import { parseBody } from '../../wire/json-rpc/parse-body';
import { parseErc7677Request } from '../../wire/dialects/erc7677/parse';
import { ethSendUserOperation } from '../../wire/dialects/erc7769/eth_sendUserOperation';
import { pmExplain } from '../../wire/dialects/biconomy/pm_explain';
import { keyClaims } from '../../hold/key-claims';
import { liveClaims } from '../../hold/live-claims';
import { outdated } from '../../answers/sign-when-sent.service';
import { sponsorTerms } from '../../decide/terms/sponsor-terms';
import { withWhereToDeposit } from '../../decide/verdict/where-to-deposit';
import { enabledTokenMode } from '../../decide/tokens/enabled-token-mode';
import { inWordsOfTokenMode } from '../../decide/tokens/exposed-claims';
import { priceOperation } from '../../decide/tokens/price-operation';
import { LiveRates } from '../../chains/quotes/live-rates';
import {
  allowanceTooLow,
  balanceTooLow,
  paymentFails,
  permitNotTaken,
  quoteExpired,
} from '../../decide/tokens/token-refusals';
import { supportedToken } from '../../decide/tokens/supported-token';
import { tokenRegistry } from '../../chains/token-registry';
import { DecisionWebhooks } from '../../decide/webhooks/decision-webhooks.service';
import { executeCall, sponsoredMode, wireOperationV07 } from '../rpc-call';
import {
  CHAIN_ID,
  CONTRACT,
  exampleCaller,
  FUNDING_WALLET,
  MINT,
  MINT_CALL,
  NOW_SECONDS,
  RATE,
  REQUEST_ID,
  SENDER,
  STRANGER,
  TOKEN,
} from './example-world';

const GWEI = 10n ** 9n;
const SESSIONS = new SessionTokens(new ClientNames('11'.repeat(32)));
const KEY = keyGrantBuilder().build();
const DELEGATE: Address = '0x63c0c19a282a1b52b07dd5a65b58948a07dae32b';
const SAFE_FACTORY: Address = '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67';
const NOBODY = { paymasterId: 'p', sender: SENDER, client: { network: 'n', site: 's' } };

/**
 * For each reason, the code that refuses with it. Four sentences of the HTTP frame are repeated here;
 * frame.integration.spec.ts compares them with the real answers.
 */
const REFUSALS: Readonly<Record<string, () => unknown>> = {
  PARSE_ERROR: () => parseBody(Buffer.from('{')),
  INVALID_REQUEST: () => parseBody(Buffer.from('['.repeat(33) + ']'.repeat(33))),
  PAYLOAD_TOO_LARGE: () => new InvalidRequestError('The body is larger than 262144 bytes.', 'PAYLOAD_TOO_LARGE'),
  UNSUPPORTED_MEDIA_TYPE: () =>
    new InvalidRequestError('Content-Type must be application/json in UTF-8.', 'UNSUPPORTED_MEDIA_TYPE'),
  HTTP_METHOD_NOT_ALLOWED: () => new InvalidRequestError('Only POST is answered here.', 'HTTP_METHOD_NOT_ALLOWED'),
  UNKNOWN_ADDRESS: () => new InvalidRequestError('There is nothing at this address.', 'UNKNOWN_ADDRESS'),
  METHOD_NOT_FOUND: () => new MethodNotFoundError('pm_nothing'),
  NO_BUNDLER: () => new NoBundlerError(CHAIN_ID),
  BUNDLER_REFUSED: () =>
    bundlerRefusal(
      new JsonRpcResponseError(
        'bundler',
        -32_500,
        'UserOperation reverted with reason: AA25 invalid account nonce',
        undefined,
      ),
    ),
  BUNDLER_FOR_SPONSORED_ONLY: () => forSponsoredOnly('chain'),
  PAYMASTER_DATA_OUTDATED: () => outdated(),
  INVALID_PARAMS: () => compileParams(pmExplain)([{ ...wireOperationV07('0x'), nonce: 'x' }, {}]),
  CHAIN_MISMATCH: () => parseErc7677Request([{}, STRANGER, '0x1', null], exampleCaller()),
  INVALID_API_KEY: () => apiKeyOf({ pathKey: 'x', chainId: undefined, xApiKey: undefined, authorization: undefined }),
  ORIGIN_NOT_ALLOWED: () => assertOriginAllowed('https://evil.example', ['https://dapp.example']),
  API_KEY_EXPIRED: () => keyExpired(),
  SESSION_TOKEN_REQUIRED: () => sessionMissing(),
  SESSION_TOKEN_INVALID: () => SESSIONS.verify('a.b.c', { paymasterId: 'p', sessionKeys: [] }),
  SESSION_TOKEN_EXPIRED: () => sessionExpired(),
  KEY_NETWORK_NOT_ALLOWED: () => assertKeyServes({ ...KEY, allowedNetworks: ['203.0.113.0/24'] }, {} as never),
  KEY_METHOD_NOT_ALLOWED: () => assertKeyCalls({ ...KEY, allowedMethods: [] }, 'pm_getPaymasterData'),
  KEY_BUNDLER_OFF: () => assertKeyMayBundle({ ...KEY, bundler: 'off' }, ethSendUserOperation),
  PAYMASTER_SUSPENDED: () => assertNotSuspended({ suspensionReason: 'Its contract is being used to drain wallets.' }),
  KEY_SENDER_NOT_ALLOWED: () => assertKeyServesSender({ ...KEY, allowedSenders: [] }, SENDER),
  KEY_LIMIT_REACHED: () => {
    const limit = { id: 'a', scope: 'KEY', measure: 'COUNT', amount: 10n, cycle: 'DAY' } as const;
    const caller = exampleCaller({}, { key: { ...KEY, limits: [limit] } });
    const [claim] = keyClaims(caller, { sender: SENDER, prechargeWei: 1n });
    return new BudgetRefusedError({ claim: claim!, limit: 10n, used: 10n });
  },
  RATE_LIMITED: () => {
    const limits = new CallerLimits({ rateLimitPerKeyPerSecond: 1, apiKeyIndexKey: '11'.repeat(32) } as never);
    limits.take('p', 21, { clientAddress: undefined, percent: 100 });
  },
  OVERLOADED: () => overloaded(),
  REQUEST_TIMED_OUT: () => new RequestTimedOutError(),
  INTERNAL_ERROR: () => new Error('anything'),
  DEPENDENCY_UNAVAILABLE: () => chainHead().nowSeconds(),
  CHAIN_HALTED: async () => {
    const head = chainHead();
    await head.refresh();
    return head.assertNotHalted();
  },
  LEDGER_BEHIND: () => ledgerBehind(CHAIN_ID),
  PRICE_UNAVAILABLE: () => priceUnavailable(TOKEN, 'STALE'),
  EXPLANATIONS_OFF: () => pmExplain.parse([wireOperationV07(MINT_CALL), sponsoredMode()], exampleCaller()),

  FUNDING_WALLET_MISSING: () => sponsorTerms(exampleCaller({}, { fundingWallet: null }), '0.7'),
  FUNDING_WALLET_BALANCE_TOO_LOW: async () =>
    withWhereToDeposit(await refusalOf(() => refuseBelow(2n, 1n)), {
      caller: exampleCaller(),
      operation: userOperationV07Builder('0.7').build(),
    }),
  VALIDATION_SIMULATION_FAILED: () => bundlerError(new JsonRpcResponseError('', -32500, 'AA23 reverted', undefined)),
  EXECUTION_SIMULATION_FAILED: () =>
    bundlerError(new JsonRpcResponseError('', -32521, 'execution reverted: ERC20InsufficientBalance', undefined)),

  NO_POLICIES_SET: () => evaluated({ contracts: [] }),
  CALL_DATA_NOT_UNDERSTOOD: () => evaluated({ callData: '0xdeadbeef' }),
  CALL_DATA_SUFFIX_NOT_SPONSORED: () =>
    evaluated({ callData: `${MINT_CALL}${'80'.repeat(16)}`, settings: { allowCallDataSuffix: false } }),
  DELEGATE_CALL_REFUSED: () =>
    evaluated({
      callData: encodeFunctionData({
        abi: parseAbi(['function executeUserOp(address to, uint256 value, bytes data, uint8 operation)']),
        args: [CONTRACT, 0n, MINT, 1],
      }),
    }),
  NOTHING_TO_SPONSOR: () => evaluated({ callData: '0x' }),
  SELF_CALL_REFUSED: () => evaluated({ callData: executeCall({ to: SENDER, data: MINT }) }),
  NATIVE_TRANSFER_NOT_SPONSORED: () => evaluated({ callData: executeCall({ to: CONTRACT, data: '0x' }) }),
  CONTRACT_NOT_REGISTERED: () => evaluated({ callData: executeCall({ to: STRANGER, data: MINT }) }),
  METHOD_NOT_WHITELISTED: () => evaluated({ callData: executeCall({ to: CONTRACT, data: '0xd09de08a' }) }),
  ACCOUNT_NOT_DEPLOYED: () => evaluated({ hasCode: false }),
  EIP7702_NOT_SPONSORED: () => evaluated({ eip7702Delegate: DELEGATE }),
  DEPLOYMENT_NOT_SPONSORED: () =>
    evaluated({ operation: { factory: STRANGER }, settings: { sponsorDeployments: 'never' } }),
  UNKNOWN_ACCOUNT_FACTORY: () => evaluated({ operation: { factory: STRANGER } }),
  UNKNOWN_ACCOUNT_SETUP: () => evaluated({ operation: { factory: SAFE_FACTORY, factoryData: '0x' } }),
  UNKNOWN_ACCOUNT_IMPLEMENTATION: () => evaluated({ settings: { requireKnownAccounts: true } }),
  UNKNOWN_ACCOUNT_VALIDATOR: () =>
    evaluated({
      accountImplementation: { known: true, nonceLayout: 'nexus' },
      operation: { nonce: BigInt(`0x01020300${STRANGER.slice(2)}${'00'.repeat(8)}`) },
    }),

  OPERATION_COST_CAP_EXCEEDED: () =>
    checkOperationCost({
      prechargeWei: 2n * 10n ** 16n,
      maxOperationCostWei: null,
      defaultMaxOperationCostWei: 10n ** 16n,
    }),
  CALL_GAS_LIMIT_TOO_HIGH: () => bounded({ callGasLimit: 3_000_001n }),
  VERIFICATION_GAS_LIMIT_TOO_HIGH: () => bounded({ verificationGasLimit: 1_500_001n }),
  PRE_VERIFICATION_GAS_TOO_HIGH: () => bounded({ preVerificationGas: 60_001n }),
  MAX_PRIORITY_FEE_ABOVE_MAX_FEE: () => bounded({}, { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: 3n * GWEI }),
  MAX_FEE_PER_GAS_TOO_LOW: () => bounded({}, { maxFeePerGas: GWEI, maxPriorityFeePerGas: 0n }),
  MAX_PRIORITY_FEE_PER_GAS_TOO_HIGH: () => bounded({}, { maxPriorityFeePerGas: 3n * GWEI }),
  MAX_FEE_PER_GAS_TOO_HIGH: () => bounded({}, { maxFeePerGas: 100n * GWEI }),
  LEGACY_FEES_REFUSED: () =>
    bounded({}, { baseFeePerGas: GWEI, maxFeePerGas: 30n * GWEI, maxPriorityFeePerGas: 30n * GWEI }),

  KEY_POLICIES_NOT_IN_FORCE: () => {
    const key = { ...KEY, policyIds: ['deleted'] };
    const verdict = checkPolicies({ ...question(), policy: exampleCaller({}, { key }).paymaster.policy });
    return traceIfAllowed(verdict as never);
  },
  POLICY_NOT_IN_FORCE: () => asked({ endsAtSeconds: NOW_SECONDS }),
  SENDER_NOT_ALLOWED: () => asked({ allowedSenders: [] }),
  VALUE_TOO_HIGH: () =>
    asked({ maxCallValueWei: 0n }, { calls: [{ to: CONTRACT, valueWei: 1n, data: MINT, selector: '0x40c10f19' }] }),
  TOO_MANY_CALLS: () =>
    asked(
      { maxCallsPerOperation: 1 },
      { calls: Array(2).fill({ to: CONTRACT, valueWei: 0n, data: MINT, selector: '0x40c10f19' }) },
    ),
  ARGUMENT_NOT_ALLOWED: () =>
    asked({
      arguments: [{ contract: CONTRACT, method: 'mint(address,uint256)', index: 1, operator: 'LTE', values: ['10'] }],
    }),
  DELEGATE_NOT_ALLOWED: () => asked({}, { eip7702Delegate: DELEGATE }),
  FACTORY_NOT_ALLOWED: () => asked({ accountFactories: [] }, {}, { factory: SAFE_FACTORY, factoryData: '0x' }),
  REVERT_RATE_TOO_HIGH: () =>
    asked(
      { revertBreaker: { maxRevertPercent: 50, minOperations: 10, windowMinutes: 60 } },
      { outcomes: new Map([[60, { landed: 10, reverted: 6 }]]) },
    ),
  CALL_GAS_ABOVE_ESTIMATE: () => asked({ maxCallGasPercentOfEstimate: 120 }, {}, { callGasLimit: 150_000n }),
  SPENDING_LIMIT_REACHED: () => {
    const policies = [limitPolicyBuilder().with('policyId', 'limit').build()];
    const verdict = checkPolicies({ ...question(), policy: exampleCaller({}, { policies }).paymaster.policy });
    if (!verdict.allowed) throw new Error('it was refused by a rule');
    const [claim] = verdict.restrictions;
    return new BudgetRefusedError({ claim: { ...claim, live: false } as BudgetClaim, limit: 10n, used: 10n });
  },

  WEBHOOK_REFUSED: () => answered(() => Promise.resolve({ status: 200, body: '{"arePoliciesVerified":false}' })),
  WEBHOOK_FAILED: () => answered(() => Promise.reject(new WebhookError('TIMEOUT', ''))),
  TOO_MANY_LIVE_SIGNATURES: () => {
    const caps = exampleCaller().paymaster.snapshot.settings.liveSignatureCaps;
    const [claim] = liveClaims(NOBODY as never, caps);
    return new BudgetRefusedError({ claim: claim!, limit: claim!.limit, used: claim!.limit });
  },
  FUNDING_WALLET_SHARE_REACHED: () => new ClientBoundError({ bound: 'held', usedWei: 2n, limitWei: 2n }),
  ASKED_BEYOND_OWN_ANSWER: () => new ClientBoundError({ bound: 'excess', usedWei: 2n, limitWei: 2n }),
  CLIENT_NETWORK_HOUR_USED: () =>
    new ClientBoundError({ bound: 'room', usedWei: 9n, limitWei: 9n, retryAfterSeconds: 1_200 }),
  NEW_NETWORKS_HOUR_USED: () =>
    new ClientBoundError({ bound: 'newcomers', usedWei: 9n, limitWei: 9n, retryAfterSeconds: 1_200 }),
  SPENDING_BRAKE: () => new SpendingBrakeError({ roomWei: 1n, neededWei: 2n, lostWei: 3n }),

  TOKEN_MODE_NOT_ENABLED: () => enabledTokenMode(exampleCaller({ tokenMode: 'off' }), 'params[1].mode'),
  TOKEN_NOT_SUPPORTED: () => {
    const { paymaster, chain } = exampleCaller();
    return supportedToken(tokenRegistry(paymaster, chain.config), STRANGER, 'params[1].tokenInfo.feeTokenAddress');
  },
  TOKEN_BALANCE_TOO_LOW: () => balanceTooLow(PAYMENT, 0n),
  TOKEN_ALLOWANCE_TOO_LOW: () => allowanceTooLow(PAYMENT, 0n, { way: 'allowance' }),
  TOKEN_PAYMENT_FAILS: () => paymentFails(PAYMENT, '0x'),
  TOKEN_WAY_NOT_AVAILABLE: () => permitNotTaken(TOKEN),
  TOKEN_EXPOSURE_CAP_REACHED: () => {
    const operation = { chainId: CHAIN_ID, wallet: FUNDING_WALLET, token: TOKEN.address, sender: SENDER };
    const [claim] = exposureClaims({ ...operation, prechargeWei: 2n, tokenCapWei: 1n, senderCapWei: 1n });
    return inWordsOfTokenMode(new BudgetRefusedError({ claim, limit: claim.limit, used: 0n }));
  },
  SENDER_BLOCKED_IN_TOKEN_MODE: () => senderBlocked(),
  QUOTE_EXPIRED: () => quoteExpired(),
  QUOTE_CEILING_EXCEEDED: () => {
    const operation = { paymasterId: 'p', paymaster: CONTRACT, sender: SENDER, nonce: 1n };
    const promised = { ...RATE, premiumMillionths: 1_100_000n, ceilingBaseUnits: 3_000_000n };
    return priceOperation(new LiveRates().of(operation, NOW_SECONDS), {
      ...{ token: TOKEN, rate: RATE, maxCostWei: 10n ** 15n, promised },
    });
  },
};

const PAYMENT = { token: TOKEN, amountBaseUnits: 3_300_000n, spender: CONTRACT };
/** Each refusal as the error table renders it, for a paymaster that does not explain itself. */
export async function recordRefusals(): Promise<Record<string, RefusalExample>> {
  const recorded: Record<string, RefusalExample> = {};
  for (const [reason, refuse] of Object.entries(REFUSALS)) {
    recorded[reason] = toWireError(await refusalOf(refuse), {
      ...{ requestId: REQUEST_ID, errors: NO_DIALECT, explain: false },
    }).error as RefusalExample;
  }
  return recorded;
}

/** Makes the error: from a function that throws, from an error, or from a verdict. */
async function refusalOf(refuse: () => unknown): Promise<unknown> {
  try {
    const found = await refuse();
    if (found instanceof Error) return found;
    traceIfAllowed(found as never);
  } catch (error) {
    return error;
  }
  throw new Error(`nothing was refused by ${refuse.toString()}`);
}

function operationOf(changes: object): UserOperation {
  return {
    ...userOperationV07Builder('0.8').with('sender', SENDER).with('nonce', 1n).with('callData', MINT_CALL).build(),
    ...{ callGasLimit: 100_000n, maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: GWEI },
    ...changes,
  };
}

/** The verdict on a call. */
function evaluated(scenario: {
  callData?: Hex;
  operation?: object;
  settings?: Partial<PaymasterSettings>;
  contracts?: readonly WhitelistedContract[];
  hasCode?: boolean;
  eip7702Delegate?: Address;
  accountImplementation?: EvaluationInput['accountImplementation'];
}) {
  const { callData = MINT_CALL, operation, settings, contracts, hasCode = true, ...facts } = scenario;
  const { policy } = exampleCaller(settings, contracts ? { contracts } : {}).paymaster;
  const decoded = decodeCalls({ callData, entryPointVersion: '0.8' });
  return evaluate({
    operation: operationOf({ callData, ...operation }),
    policy,
    decoded,
    hasCode,
    ...facts,
  } as EvaluationInput);
}

/** The verdict on gas and fees; a base fee of 4 gwei. */
function bounded(limits: object, fees: Partial<GasBoundsInput> = {}) {
  return checkGasBounds({
    limits: { callGasLimit: 100_000n, verificationGasLimit: 150_000n, preVerificationGas: 50_000n, ...limits },
    ...{ maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI, baseFeePerGas: 4n * GWEI },
    handWrittenVerificationGas: 250_000n,
    ...{ maxPreVerificationGas: 60_000n, maxPriorityFeePerGasWei: 2n * GWEI, allowEqualFees: true },
    bounds: {
      ...{ maxCallGasLimit: 3_000_000n, maxVerificationGasLimit: 1_500_000n },
      ...{ maxFeePercentOfBaseFee: 300n, feeFloorWei: GWEI },
    },
    ...fees,
  });
}

/** The head of a chain that was never read, so its last block counts as old. */
function chainHead(): ChainHead {
  const block = { number: 1n, timestampSeconds: 1, hash: '0x', baseFeePerGasWei: 1n };
  const chain = { chainId: CHAIN_ID, blockTimeSeconds: 12, maxHeadAgeSeconds: 120 };
  return new ChainHead(chain, { block: () => Promise.resolve(block as never) }, { wallClockSeconds: () => 10_000 });
}

/** The verdict of a policy with these rules. */
function asked(rules: Partial<NativeRules>, facts: Partial<PoliciesQuestion> = {}, operation: object = {}) {
  const policies = [rulesPolicyBuilder(rules).with('policyId', 'rules').build()];
  return checkPolicies({ ...question(operation), policy: exampleCaller({}, { policies }).paymaster.policy, ...facts });
}

function question(operation: object = {}): Omit<PoliciesQuestion, 'policy'> {
  const decoded = decodeCalls({ callData: MINT_CALL, entryPointVersion: '0.8' });
  return {
    operation: operationOf(operation),
    calls: decoded.understood ? decoded.calls : [],
    ...{ nowSeconds: NOW_SECONDS, baseFeePerGas: GWEI, eip7702Delegate: undefined, outcomes: new Map() },
    costs: { prechargeWei: 1_000n, estimatedCallGas: 100_000n },
  };
}

/** The verdict of the owner's webhook. */
function answered(send: () => Promise<unknown>) {
  const webhook = { webhookId: 'webhook', url: 'https://dapp.example/decide', method: 'POST', secretVersions: [1] };
  const question = { operation: operationOf({}), calls: [], prechargeWei: 1n };
  return new DecisionWebhooks({ send } as never).confirm({
    ...{ paymasterId: 'p', client: 'c', webhooks: [webhook], question, deadlineMs: Infinity },
  } as never);
}
