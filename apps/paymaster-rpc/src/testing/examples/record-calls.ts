import {
  createDigestHasher,
  encodeSponsorData,
  encodeTokenData,
  type SponsorFields,
  type TokenFields,
  type TokenPermit,
} from '@paymaster/chain';
import {
  CANONICAL_ENTRY_POINTS,
  PREMIUM_DENOMINATOR,
  SponsorshipRefusedError,
  type Address,
  type EntryPointVersion,
  type UserOperation,
} from '@paymaster/domain';
import { rulesPolicyBuilder } from '@paymaster/domain/testing';
import { traceIfAllowed, decodeCalls, evaluate } from '@paymaster/policy';
import { offerQuote, quoteToken } from '@paymaster/pricing';
import { LocalKeySigner } from '@paymaster/signers';
import { id } from 'ethers';
import type { Caller } from '../../callers/caller';
import { DIALECTS } from '../../wire/dialects/index';
import { JsonText } from '../../wire/json-rpc/json-text';
import type { CallExample } from '../../wire/open-rpc/open-rpc-examples';
import { MethodRegistry } from '../../wire/json-rpc/method-registry';
import type { RpcMetrics } from '../../metrics/rpc-metrics';
import { openRpcDocument } from '../../wire/open-rpc/open-rpc';
import { Operations } from '../../wire/operations/operations.service';
import { liveClaims } from '../../hold/live-claims';
import type { Explanation } from '../../answers/explain-operation.service';
import type { SponsorRequest } from '../../decide/verdict/judge-operation.service';
import { sponsorData } from '../../decide/terms/sponsor-data';
import { sponsorFields, sponsorTerms } from '../../decide/terms/sponsor-terms';
import type { Stub } from '../../decide/limits/unset-limits';
import type { Sponsorship } from '../../answers/sponsor-user-operation.service';
import type { FeeQuotes } from '../../answers/quote-user-operation.service';
import type { TokenRequest } from '../../decide/tokens/named-tokens';
import { tokenStub } from '../../decide/tokens/token-stub';
import { tokenTerms, type TokenTerms } from '../../decide/tokens/token-terms';
import { executeCall, sponsoredMode, wireOperationV06, wireOperationV07 } from '../rpc-call';
import { erc20Mode } from '../token-call';
import {
  CHAIN_ID,
  CONTRACT,
  exampleCaller,
  MINT_CALL,
  NOW_SECONDS,
  RATE,
  SENDER,
  STRANGER,
  TOKEN,
} from './example-world';

const SIGNATURE = `0x${'11'.repeat(64)}1b`;
const OWN = { sender: SENDER, nonce: '0x1', signature: SIGNATURE };
const NO_LIMITS = { callGasLimit: undefined, verificationGasLimit: undefined, preVerificationGas: undefined };
const CHAIN = `0x${CHAIN_ID.toString(16)}`;
const PERMIT = { value: '10000000', deadline: NOW_SECONDS + 3_600, signature: SIGNATURE };
const validityOf = (seconds = 300) => ({
  validAfterSeconds: NOW_SECONDS - 60,
  validUntilSeconds: NOW_SECONDS + seconds,
});
const ESTIMATED = { callGasLimit: 92_000n, verificationGasLimit: 140_000n, preVerificationGas: 48_500n };
const MAX_COST_WEI = 10n ** 15n;

const v06 = wireOperationV06(MINT_CALL, OWN);
const v07 = wireOperationV07(MINT_CALL, OWN);
const unlimited = { ...v07, ...NO_LIMITS };
const estimated = sponsoredMode({ calculateGasLimits: true });
const ep = CANONICAL_ENTRY_POINTS;

/** An example: its name, the params, and the settings of the paymaster that it needs. */
type Row = readonly [name: string, params: readonly unknown[], ...paymaster: Parameters<typeof exampleCaller>];

const REFUSED_CALL = wireOperationV07(executeCall({ to: CONTRACT, data: '0xd09de08a' }), OWN);
const USER_PAYS = { onRefusal: 'userPays' } as const;

const FEE_QUOTE_OR_DATA: readonly Row[] = [
  ['sponsored, EntryPoint v0.6, with the limits sent', [v06, sponsoredMode()]],
  ['sponsored, EntryPoint named in the mode, limits calculated', [unlimited, { ...estimated, entryPoint: ep['0.7'] }]],
  ['sponsored, EntryPoint named in between', [v07, ep['0.8'], sponsoredMode()]],
  ['quotes in tokens', [v07, erc20Mode({ preferredToken: TOKEN.address, tokenList: [TOKEN.address, STRANGER] })]],
  ['quotes in every supported token', [v07, erc20Mode({})]],
  ['refused, and the user pays', [REFUSED_CALL, sponsoredMode()], USER_PAYS],
];

const POLICY = rulesPolicyBuilder()
  .with('policyId', 'f3f4a3a5-7c52-4f7e-8a3e-1f6f2e0d9b11')
  .with('name', 'New users')
  .build();

const SPONSOR_USER_OPERATION: readonly Row[] = [
  ['sponsored, EntryPoint v0.6, limits calculated', [{ ...v06, ...NO_LIMITS }, estimated]],
  ['sponsored, mode by its other name', [v07, sponsoredMode({ mode: 'SPONSORSHIP', expiryDuration: 600 })]],
  ['sponsored, the mode follows from what is sent', [v07, sponsoredMode({ mode: undefined })]],
  ['sponsored, EntryPoint v0.9 named in between', [v07, ep['0.9'], sponsoredMode()]],
  ['paid in a token', [v07, erc20Mode({ feeTokenAddress: TOKEN.address })]],
  ['paid in a token by permit', [v07, ep['0.7'], erc20Mode({ feeTokenAddress: TOKEN.address, permit: PERMIT })]],
  ['refused, and the user pays', [REFUSED_CALL, sponsoredMode()], USER_PAYS],
  ['without a mode, EntryPoint v0.6', [{ ...v06, ...NO_LIMITS }, ep['0.6']]],
  ['without a mode, EntryPoint v0.7, pay as you go', [unlimited, ep['0.7'], { type: 'payg' }]],
  ['without a mode, by one policy', [unlimited, ep['0.8'], { policyId: POLICY.policyId }], {}, { policies: [POLICY] }],
  ['without a mode, paid in a token', [unlimited, ep['0.7'], { type: 'erc20token', token: TOKEN.address }]],
];

const EXPLAIN: readonly Row[] = [
  ['it would be sponsored', [v07, sponsoredMode()], { explainToClients: true }],
  ['it would be refused', [REFUSED_CALL, sponsoredMode()], { explainToClients: true }],
];

/** One transparent pixel. */
const ICON = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const STUB: readonly Row[] = [
  ['sponsored, EntryPoint v0.6', [v06, ep['0.6'], CHAIN, null]],
  ['sponsored, EntryPoint v0.7, limits and fees to come', [withoutFees(unlimited), ep['0.7'], CHAIN]],
  ['sponsored by somebody with a name', [v07, ep['0.7'], CHAIN], { sponsorName: 'My dapp', sponsorIcon: ICON }],
  ['paid in a token', [v07, ep['0.7'], CHAIN, { token: TOKEN.address }], { sponsorName: 'My dapp' }],
];

const DATA: readonly Row[] = [
  ['sponsored, EntryPoint v0.6', [v06, ep['0.6'], CHAIN, null]],
  ['sponsored, EntryPoint v0.7, with limits', [unlimited, ep['0.7'], CHAIN_ID, { calculateGasLimits: true }]],
  ['sponsored, EntryPoint v0.9, core mode object', [v07, ep['0.9'], CHAIN, sponsoredMode()]],
  ['paid in a token', [v07, ep['0.7'], CHAIN, { token: TOKEN.address }]],
  ['paid in a token by permit', [v07, ep['0.7'], CHAIN, { token: TOKEN.address, permit: PERMIT }]],
];

const FEELESS = withoutFees(unlimited);
const ZERODEV = { chainId: CHAIN_ID, entryPointAddress: ep['0.7'] };
const ALCHEMY = {
  entryPoint: ep['0.7'],
  userOperation: { ...FEELESS, signature: undefined },
  dummySignature: SIGNATURE,
};

const OPERATION_EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
const LANDED_HASH = `0x${'7e'.repeat(32)}`;
const TRANSACTION_HASH = `0x${'7f'.repeat(32)}`;
const LANDED = {
  ...{ userOpHash: LANDED_HASH, entryPoint: ep['0.7'], sender: SENDER, nonce: '0x1', paymaster: STRANGER },
  ...{ actualGasCost: '0x5af3107a4000', actualGasUsed: '0x186a0', success: true, reason: '0x', logs: [] },
  receipt: { transactionHash: TRANSACTION_HASH, status: '0x1', blockNumber: '0x10', logs: [] },
};
const PLACE = { transactionHash: TRANSACTION_HASH, blockNumber: '0x10', blockHash: `0x${'80'.repeat(32)}` };

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  pm_getFeeQuoteOrData: FEE_QUOTE_OR_DATA,
  pm_sponsorUserOperation: SPONSOR_USER_OPERATION,
  pm_explain: EXPLAIN,
  eth_chainId: [['Sepolia', []]],
  pm_validateSponsorshipPolicies: [
    ['one of two', [FEELESS, ep['0.7'], [POLICY.policyId, 'of another paymaster']], {}, { policies: [POLICY] }],
  ],
  pimlico_getUserOperationGasPrice: [['of the chain', []]],
  pimlico_getSupportedTokens: [['all that have a price', []]],
  pimlico_getTokenQuotes: [
    ['EntryPoint v0.7', [{ tokens: [TOKEN.address, STRANGER] }, ep['0.7'], CHAIN]],
    ['EntryPoint v0.6', [{ tokens: [TOKEN.address] }, ep['0.6'], CHAIN]],
  ],
  zd_sponsorUserOperation: [
    ['sponsored, with our fees', [{ ...ZERODEV, userOp: FEELESS, shouldOverrideFee: true, shouldConsume: true }]],
    ['paid in a token', [{ ...ZERODEV, userOp: unlimited, gasTokenData: { tokenAddress: TOKEN.address } }]],
  ],
  stackup_getERC20TokenQuotes: [['of one token', [{ ...ZERODEV, userOp: unlimited, tokenAddress: TOKEN.address }]]],
  zd_pm_accounts: [['EntryPoint v0.7', [ZERODEV]]],
  zd_getUserOperationGasPrice: [['of the chain', []]],
  alchemy_requestGasAndPaymasterAndData: [
    ['sponsored', [{ ...ALCHEMY, overrides: { maxFeePerGas: { multiplier: 1.2 } } }]],
    ['by one policy', [{ ...ALCHEMY, policyId: POLICY.policyId }], {}, { policies: [POLICY] }],
    ['paid in a token', [{ ...ALCHEMY, erc20Context: { tokenAddress: TOKEN.address, maxTokenAmount: '10000000' } }]],
  ],
  pm_getPaymasterStubData: STUB,
  pm_getPaymasterData: DATA,
  pm_supportedEntryPoints: [['of the chain', []]],
  pm_chainId: [['Sepolia', []]],
  eth_sendUserOperation: [
    ['EntryPoint v0.6', [{ ...v06, paymasterAndData: '0x' }, ep['0.6']]],
    ['EntryPoint v0.7', [v07, ep['0.7']]],
  ],
  eth_estimateUserOperationGas: [
    ['EntryPoint v0.6', [{ ...withoutFees(v06), ...NO_LIMITS }, ep['0.6']]],
    ['EntryPoint v0.7', [FEELESS, ep['0.7']]],
  ],
  eth_getUserOperationReceipt: [['of an operation that has landed', [LANDED_HASH]]],
  eth_getUserOperationByHash: [['of an operation that has landed', [LANDED_HASH]]],
  eth_supportedEntryPoints: [['of the chain', []]],
  biconomy_getGasFeeValues: [['of the chain', []]],
  biconomy_getUserOperationStatus: [['landed', [LANDED_HASH]]],
  pimlico_getUserOperationStatus: [['landed', [LANDED_HASH]]],
  rundler_getUserOperationStatus: [['landed', [LANDED_HASH]]],
  rundler_maxPriorityFeePerGas: [['of the chain', []]],
  rundler_getUserOperationGasPrice: [['of the chain', []]],
  thirdweb_getUserOperationGasPrice: [['of the chain', []]],
  skandha_getGasPrice: [['of the chain', []]],
  voltaire_feesPerGas: [['of the chain', []]],
  circle_getUserOperationGasPrice: [['of the chain', []]],
  web3_clientVersion: [['of this gateway', []]],
  eth_blockNumber: [['of the chain', []]],
  eth_gasPrice: [['of the chain', []]],
  eth_maxPriorityFeePerGas: [['of the chain', []]],
  net_version: [['of the chain', []]],
  eth_call: [['of a contract', [{ to: CONTRACT, data: '0x' }, 'latest']]],
  eth_estimateGas: [['of a contract', [{ to: CONTRACT, data: '0x' }, 'latest']]],
  eth_getCode: [['of an account', [SENDER, 'latest']]],
  eth_getBalance: [['of an account', [SENDER, 'latest']]],
  eth_getTransactionCount: [['of an account', [SENDER, 'latest']]],
  eth_getBlockByNumber: [['the newest', ['latest', false]]],
  eth_feeHistory: [['of one block', ['0x1', 'latest', []]]],
  eth_getLogs: [['of one operation', [{ address: ep['0.7'], topics: [OPERATION_EVENT, LANDED_HASH] }]]],
  pm_supportedERC20Tokens: [
    ['of the EntryPoint that the paymaster is for', []],
    ['of EntryPoint v0.6', [ep['0.6']]],
  ],
};

/**
 * Makes the examples of every method: its schema checks the params, its parser reads them, and its presenter writes the
 * signature or the price. Steps that ask other services (the owner's server, the bundler, the ledger) are left out.
 */
export async function recordCalls(): Promise<Record<string, readonly CallExample[]>> {
  const { sponsor, pay, quote, stub, tokenStubOf, explain, limitsForUserPays, bundling } = await answers();
  const services = [
    { sponsor, limitsForUserPays },
    { pay },
    { stub, judge: stub },
    { stub: tokenStubOf },
    { quote },
    { explain },
    { applies: () => false },
    bundling,
  ];
  const operations = new Operations(...(services as unknown as ConstructorParameters<typeof Operations>));
  const recorded: Record<string, readonly CallExample[]> = {};
  const registry = new MethodRegistry(DIALECTS, {} as RpcMetrics);
  for (const [wireName, rows] of Object.entries(ROWS)) {
    const examples: CallExample[] = [];
    for (const [name, raw, settings, changes] of rows) {
      const params = JSON.parse(JSON.stringify(raw)) as unknown[];
      const { shape, params: checked } = registry.get(wireName).claim(params);
      const { method } = shape;
      const request = method.parse(checked, exampleCaller(settings, changes));
      const result: unknown = await method.answer(request, operations);
      const text = result instanceof JsonText ? result.text : JSON.stringify(result);
      examples.push({ name, params, result: JSON.parse(text) as unknown });
    }
    recorded[wireName] = examples;
  }
  const { openrpc, info } = openRpcDocument([]) as Record<string, unknown>;
  const result = { openrpc, info, methods: [] };
  return { ...recorded, 'rpc.discover': [{ name: 'with methods and components left out', params: [], result }] };
}

function withoutFees({ maxFeePerGas: _fee, maxPriorityFeePerGas: _tip, ...operation }: Record<string, unknown>) {
  return operation;
}

interface Asked {
  readonly caller: Caller;
  readonly operation: UserOperation;
}

interface PayAsked extends Asked {
  readonly permit: TokenPermit | undefined;
}

/**
 * The answers of the services, made with the terms, encoders and digest of the product, and signed by a publicly known
 * key.
 */
async function answers() {
  const hasher = await createDigestHasher();
  const signer = new LocalKeySigner(Buffer.alloc(32, 1));

  const signed = (operation: UserOperation, terms: TokenTerms | ReturnType<typeof sponsorTerms>, fields: Fields) =>
    signer.sign(
      hasher.digest(operation, {
        chainId: CHAIN_ID,
        paymaster: terms.paymaster,
        entryPoint: terms.entryPoint,
        sponsorFields: fields,
        paymasterGasLimits: terms.constants,
        eip7702Delegate: undefined,
      }),
    );

  return {
    sponsor: async ({ caller, operation: asked, expiry }: SponsorRequest): Promise<Sponsorship> => {
      traceIfAllowed(verdictOn({ caller, operation: asked }));
      const operation = withLimits(asked);
      const terms = sponsorTerms(caller, operation.entryPointVersion);
      const fields = sponsorFields(terms, validityOf(expiry.seconds));
      const data = encodeSponsorData(fields, signed(operation, terms, fields));
      return { ...sponsorData(terms, data), limits: limitsOf(operation) };
    },
    pay: async ({ caller, operation: asked, permit }: PayAsked): Promise<Sponsorship> => {
      const operation = withLimits(asked);
      const terms = termsOf(caller, operation.entryPointVersion, permit);
      const fields: TokenFields = {
        ...sponsorFields(terms as never, validityOf()),
        ...{ way: terms.way, token: TOKEN.address, feeReceiver: terms.feeReceiver },
        exchangeRate: RATE.exchangeRate,
        premiumMillionths: PREMIUM_DENOMINATOR + BigInt(TOKEN.premiumMillionths),
        maxTokenChargeBaseUnits: quoteToken({ token: TOKEN, rate: RATE, maxCostWei: MAX_COST_WEI }).maxChargeBaseUnits,
        ...(permit && { permit }),
      };
      const data = encodeTokenData(fields, signed(operation, terms, fields));
      return { ...sponsorData(terms, data), limits: limitsOf(operation) };
    },
    quote: async ({ caller, operation, tokens }: TokenRequest): Promise<FeeQuotes> => ({
      paymaster: sponsorTerms(caller, operation.entryPointVersion).paymaster,
      quotes: [offerQuote(quoteToken({ token: TOKEN, rate: RATE, maxCostWei: MAX_COST_WEI }))],
      validUntilSeconds: validityOf().validUntilSeconds,
      unsupported: tokens.list.filter((token: Address) => token !== TOKEN.address),
      unavailable: [],
    }),
    stub: async ({ caller, operation }: Asked): Promise<Stub> => ({
      data: sponsorTerms(caller, operation.entryPointVersion).stub,
      limits: operation.callGasLimit > 0n ? {} : ESTIMATED,
    }),
    tokenStubOf: async ({ caller, operation, permit }: PayAsked): Promise<Stub> => ({
      data: tokenStub(termsOf(caller, operation.entryPointVersion, permit), { rate: RATE, permit }),
      limits: operation.callGasLimit > 0n ? {} : ESTIMATED,
    }),
    explain: async ({ caller, operation }: Asked): Promise<Explanation> => {
      const verdict = verdictOn({ caller, operation });
      if (!verdict.allowed) {
        const refusal = new SponsorshipRefusedError(verdict.reason, verdict.message, verdict.trace);
        return { refusal, policyId: null, trace: verdict.trace, prechargeWei: null, limits: null, budgets: [] };
      }
      const { paymasterId, settings } = caller.paymaster.snapshot;
      const client = { network: 'n', site: 'n' };
      const [claim] = liveClaims({ paymasterId, sender: SENDER, client } as never, settings.liveSignatureCaps);
      return {
        ...{ refusal: undefined, policyId: null, trace: verdict.trace, prechargeWei: MAX_COST_WEI },
        limits: limitsOf(operation),
        budgets: [{ claim: claim!, limit: claim!.limit, used: 1n, held: 0n }],
      };
    },
    limitsForUserPays: async ({ operation }: Asked) => limitsOf(operation),
    bundling: {
      send: async () => LANDED_HASH,
      estimate: async () => ({ limits: ESTIMATED, paymasterLimits: {} }),
      receipt: async () => LANDED,
      byHash: async () => ({ userOperation: v07, entryPoint: ep['0.7'], ...PLACE }),
      status: async () => ({ state: 'submitted', transactionHash: TRANSACTION_HASH, receipt: LANDED }),
    },
  };
}

type Fields = SponsorFields | TokenFields;

function verdictOn({ caller, operation }: Asked) {
  const { callData, entryPointVersion } = operation;
  const decoded = decodeCalls({ callData, entryPointVersion });
  return evaluate({ operation, decoded, policy: caller.paymaster.policy, hasCode: true });
}

function termsOf(caller: Caller, version: EntryPointVersion, permit: TokenPermit | undefined): TokenTerms {
  const way = permit ? 'permit' : 'batchApproval';
  return tokenTerms(sponsorTerms(caller, version), { caller, token: TOKEN, way });
}

/** The limits that were sent, or an estimate. */
function withLimits<Operation extends UserOperation>(operation: Operation): Operation {
  return operation.callGasLimit > 0n ? operation : { ...operation, ...ESTIMATED };
}

function limitsOf({ callGasLimit, verificationGasLimit, preVerificationGas }: UserOperation) {
  return { callGasLimit, verificationGasLimit, preVerificationGas };
}
