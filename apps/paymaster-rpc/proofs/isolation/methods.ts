import type { Address, Hex, UserOperation } from '@paymaster/domain';
import { faker } from '@faker-js/faker';
import { id } from 'ethers';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { CANONICAL_ENTRY_POINTS } from '@paymaster/domain';
import { executeCall, sponsoredMode, wireOperationV06, wireOperationV07 } from '../../src/testing/rpc-call';
import { erc20Mode, toWire } from '../../src/testing/token-call';
import { LANDED_HASH } from '../../src/testing/answer-as-bundler';

/** Everything of a paymaster that a request can name. */
export interface Named {
  /** Whitelisted by this paymaster alone. */
  readonly contract: Address;
  /** Taken by this paymaster alone. */
  readonly token: Address;
  /** An operation that this paymaster signed a moment ago. */
  readonly sender: Address;
  readonly nonce: Hex;
  readonly paymasterAndData: Hex;
  /** A sponsorship policy of this paymaster. */
  readonly policyId: string;
}

/** Names in the same forms, to which nothing belongs. */
export const ofNothing = (): Named => ({
  ...{ contract: randomAddress(), token: randomAddress(), sender: randomAddress() },
  ...{ nonce: randomHex(8), paymasterAndData: randomHex(126) },
  policyId: faker.string.uuid(),
});

/** What the asking client has itself: a call that it may make, and an operation that can be paid in the token. */
export interface Own {
  readonly contract: Address;
  readonly payable: UserOperation;
}

export interface MethodRow {
  /** Params of requests that name something of a paymaster; none where the method takes no names. */
  requests(named: Named, own: Own): readonly (readonly unknown[])[];
  /** Whether an answer to the owner contains data of the paymaster that could leak to others by mistake. */
  readonly shows?: true;
}

export const INCREMENT: Hex = '0xd09de08a';
const CHAIN_ID = '0x7a69';
const V07 = CANONICAL_ENTRY_POINTS['0.7'];
const callOf = (contract: Address): Hex => executeCall({ to: contract, data: INCREMENT });

/**
 * Operations that contain something of a paymaster: a contract to call, an operation that has a signature, or the
 * signature.
 */
function sponsored({ contract, sender, nonce, paymasterAndData }: Named, own: Own): readonly object[] {
  const ownCall = callOf(own.contract);
  return [
    wireOperationV07(callOf(contract)),
    wireOperationV07(ownCall, { sender, nonce }),
    wireOperationV06(ownCall, { paymasterAndData }),
  ];
}

const biconomySponsored = (named: Named, own: Own) =>
  sponsored(named, own).map((operation) => [operation, sponsoredMode()]);
const biconomyPaid = (tokenInfo: object, { payable }: Own) => [toWire(payable), V07, erc20Mode(tokenInfo)];
/** The limits are sent, because this world has no bundler. */
const withoutMode = (named: Named, own: Own) => {
  const [byContract, byOperation] = sponsored(named, own);
  const context = { calculateGasLimits: false };
  return [
    [byContract, V07, context],
    [byOperation, V07, context],
    [wireOperationV07(callOf(own.contract)), V07, { ...context, sponsorshipPolicyId: named.policyId }],
    [wireOperationV07(callOf(own.contract)), V07, { ...context, policyIds: [named.policyId] }],
    [toWire(own.payable), V07, { ...context, token: named.token }],
  ];
};
const erc7677 = (named: Named, own: Own) => {
  const [byContract, byOperation] = sponsored(named, own);
  return [
    [byContract, V07, CHAIN_ID, null],
    [byOperation, V07, CHAIN_ID, null],
    [toWire(own.payable), V07, CHAIN_ID, { token: named.token }],
  ];
};

const ZERODEV = { chainId: CHAIN_ID, entryPointAddress: V07 };

const plain: MethodRow = { requests: () => [[]] };
const OPERATION_EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
/** Operations to send, with limits: one that calls a paymaster's contract, and one that it has signed. */
const bundled = (named: Named, own: Own) => {
  const [byContract, byOperation] = sponsored(named, own);
  return [byContract, byOperation].map((operation) => [{ ...operation, signature: '0x12' }, V07]);
};

/** List every new method of the gateway here, with all of its params that can name something of another paymaster. */
export const METHOD_ROWS: Readonly<Record<string, MethodRow>> = {
  pm_getFeeQuoteOrData: {
    requests: (named, own) => [
      ...biconomySponsored(named, own),
      biconomyPaid({ preferredToken: named.token, tokenList: [named.token] }, own),
    ],
  },
  pm_sponsorUserOperation: {
    requests: (named, own) => [
      ...biconomySponsored(named, own),
      biconomyPaid({ feeTokenAddress: named.token }, own),
      ...withoutMode(named, own),
    ],
  },
  pm_explain: { requests: biconomySponsored, shows: true },
  pm_getPaymasterStubData: { requests: erc7677 },
  pm_getPaymasterData: { requests: erc7677 },
  pm_supportedEntryPoints: plain,
  pm_chainId: plain,
  eth_chainId: plain,
  pm_validateSponsorshipPolicies: {
    requests: (named, own) => [
      ...sponsored(named, own)
        .slice(0, 2)
        .map((operation) => [operation, V07, []]),
      [wireOperationV07(callOf(own.contract)), V07, [named.policyId]],
    ],
  },
  pimlico_getUserOperationGasPrice: plain,
  pimlico_getSupportedTokens: { ...plain, shows: true },
  pimlico_getTokenQuotes: { requests: ({ token }) => [[{ tokens: [token] }, V07, CHAIN_ID]] },
  zd_sponsorUserOperation: {
    requests: (named, own) => [
      ...sponsored(named, own)
        .slice(0, 2)
        .map((userOp) => [{ ...ZERODEV, userOp }]),
      [{ ...ZERODEV, userOp: toWire(own.payable), gasTokenData: { tokenAddress: named.token } }],
    ],
  },
  stackup_getERC20TokenQuotes: {
    requests: ({ token }, own) => [[{ ...ZERODEV, userOp: toWire(own.payable), tokenAddress: token }]],
  },
  zd_pm_accounts: { requests: () => [[ZERODEV]] },
  zd_getUserOperationGasPrice: plain,
  alchemy_requestGasAndPaymasterAndData: {
    requests: (named, own) => {
      const [byContract, byOperation] = sponsored(named, own);
      const callsOwn = wireOperationV07(callOf(own.contract));
      const erc20Context = { tokenAddress: named.token };
      return [
        [{ entryPoint: V07, userOperation: byContract }],
        [{ entryPoint: V07, userOperation: byOperation }],
        [{ entryPoint: V07, userOperation: callsOwn, policyId: named.policyId }],
        [{ entryPoint: V07, userOperation: callsOwn, policyId: [named.policyId] }],
        [{ entryPoint: V07, userOperation: toWire(own.payable), erc20Context }],
      ];
    },
  },
  pm_supportedERC20Tokens: { ...plain, shows: true },
  // A bundler's methods name nothing of a paymaster but its signature, which is public once it is sent.
  eth_sendUserOperation: { requests: bundled },
  eth_estimateUserOperationGas: { requests: bundled },
  eth_getUserOperationReceipt: { requests: () => [[LANDED_HASH]] },
  eth_getUserOperationByHash: { requests: () => [[LANDED_HASH]] },
  eth_supportedEntryPoints: plain,
  biconomy_getUserOperationStatus: { requests: () => [[LANDED_HASH]] },
  pimlico_getUserOperationStatus: { requests: () => [[LANDED_HASH]] },
  rundler_getUserOperationStatus: { requests: () => [[LANDED_HASH]] },
  biconomy_getGasFeeValues: plain,
  rundler_maxPriorityFeePerGas: plain,
  rundler_getUserOperationGasPrice: plain,
  thirdweb_getUserOperationGasPrice: plain,
  skandha_getGasPrice: plain,
  voltaire_feesPerGas: plain,
  circle_getUserOperationGasPrice: plain,
  web3_clientVersion: plain,
  eth_blockNumber: plain,
  eth_gasPrice: plain,
  eth_maxPriorityFeePerGas: plain,
  net_version: plain,
  eth_call: { requests: ({ contract }) => [[{ to: contract, data: INCREMENT }]] },
  eth_estimateGas: { requests: ({ contract }) => [[{ to: contract, data: INCREMENT }]] },
  eth_getCode: { requests: ({ contract }) => [[contract]] },
  eth_getBalance: { requests: ({ contract }) => [[contract]] },
  eth_getTransactionCount: { requests: ({ contract }) => [[contract]] },
  eth_getBlockByNumber: { requests: () => [['latest', false]] },
  eth_feeHistory: { requests: () => [['0x1', 'latest']] },
  eth_getLogs: { requests: () => [[{ address: V07, topics: [OPERATION_EVENT, LANDED_HASH] }]] },
  'rpc.discover': plain,
};
