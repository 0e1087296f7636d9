import { standardsOf, type Field, type ValuesOf } from './fields';
import { CHARGING_WAYS, TOKEN_MODES } from './token';

/** When an operation may deploy its account: never, when all its calls are whitelisted, or always. */
export const SPONSOR_DEPLOYMENTS = ['never', 'withCall', 'always'] as const;

/** How a refusal is answered to clients of Biconomy's dialect. */
export const ON_REFUSAL = ['error', 'userPays'] as const;

/** Whether clients are told, when a spending limit refuses, how their user can pay in a token instead. */
export const ON_LIMIT_REACHED = ['refuse', 'erc20'] as const;

/** The declaration of one setting. */
export type Setting = Field & {
  /** False: it is about tokens, browsers or wallets, and policy documents leave it out. */
  readonly isInDocuments?: false;
};

/**
 * The settings of a paymaster (`/paymaster-settings`), each declared once: from here come the types, what the dashboard
 * takes, shows and stores, its API document, policy documents, and what travels to the gateway.
 */
export const SETTINGS = {
  sponsorAnyContract: { kind: 'flag', standard: false, says: 'Sponsor calls to contracts that are not registered.' },
  sponsorNativeTransfers: { kind: 'flag', standard: false, says: 'Sponsor plain transfers of the native coin.' },
  sponsorDeployments: {
    kind: 'choice',
    words: SPONSOR_DEPLOYMENTS,
    standard: 'withCall',
    says: 'When an operation may deploy its account: never, always, or (withCall) when all its calls are whitelisted.',
  },
  allowUnknownFactories: {
    kind: 'flag',
    standard: false,
    says: 'Sponsor deployments by factories that the platform does not know.',
  },
  requireKnownAccounts: { kind: 'flag', standard: false, says: 'Check the implementation of deployed accounts.' },
  onRefusal: {
    kind: 'choice',
    words: ON_REFUSAL,
    standard: 'error',
    says: 'With userPays, a refusal is no error to clients of Biconomy’s dialect: their user pays in coin.',
  },
  explainToClients: { kind: 'flag', standard: false, says: 'Tell clients limits, use and the verdict’s trace.' },
  maxExpirySeconds: {
    kind: 'seconds',
    from: 120,
    standard: 600,
    says: 'The longest time for which clients may ask a signature to hold; seconds.',
  },
  defaultExpirySeconds: {
    kind: 'seconds',
    from: 120,
    to: 86_400,
    standard: 300,
    says: 'How long a sponsorship holds where the client asks for no time, but never longer than it may ask for; seconds.',
    mayBeAbsent: true,
  },
  maxOperationCostWei: {
    kind: 'wei',
    standard: null,
    says: 'The most that may be reserved for one operation, in wei as decimal digits; null for the operator’s default.',
  },
  allowedOrigins: {
    kind: 'origins',
    standard: ['*'],
    says: 'Browser origins, or * for any.',
    isInDocuments: false,
  },
  tokenMode: {
    kind: 'choice',
    words: TOKEN_MODES,
    standard: 'anyCall',
    says: 'Which operations may be paid in tokens.',
    isInDocuments: false,
  },
  tokenChargingWays: {
    kind: 'ways',
    mayBeEmpty: true,
    standard: CHARGING_WAYS,
    says: 'The ways of charging in tokens that are allowed, each once; none means that nobody pays in tokens.',
    isInDocuments: false,
  },
  tokenFeeReceiver: {
    kind: 'address',
    standard: null,
    says: 'The address that is paid in tokens, shown in lower case; null for the funding wallet.',
    isInDocuments: false,
  },
  maxLiveSignaturesPerSender: {
    kind: 'count',
    from: 1,
    to: 1_000,
    standard: 4,
    says: 'Nonces of one sender that may have live signatures.',
  },
  maxLiveSignaturesPerClient: {
    kind: 'count',
    from: 1,
    to: 1_000_000,
    standard: 100,
    says: 'Live signatures asked for from one client address.',
  },
  maxLiveSignaturesTotal: {
    kind: 'count',
    from: 1,
    to: 1_000_000,
    standard: 10_000,
    says: 'Live signatures of the whole paymaster.',
  },
  clientSharePercent: {
    kind: 'percent',
    from: 1,
    to: 100,
    standard: 50,
    says: 'The most of what is left of a limit, of the wallet or of the rate limit that one client address may take for several operations; percent.',
  },
  spendingBrake: {
    kind: 'flag',
    standard: true,
    says: 'Stop before more than half of the funding wallet is lost within an hour, until you release the brake.',
  },
  sponsorName: {
    kind: 'name',
    to: 60,
    standard: null,
    says: 'Who pays, for wallets to show (`sponsor.name` of pm_getPaymasterStubData); null names nobody.',
    isInDocuments: false,
  },
  sponsorIcon: {
    kind: 'icon',
    standard: null,
    says: 'A PNG, JPEG, GIF or WebP image in a data URI with base64, for wallets to show beside sponsorName; null for none.',
    isInDocuments: false,
  },
  onLimitReached: {
    kind: 'choice',
    words: ON_LIMIT_REACHED,
    standard: 'refuse',
    says:
      'With erc20, a refusal by a spending limit names the tokens that the user can pay in instead (`payWith` of ' +
      'SPENDING_LIMIT_REACHED).',
  },
  allowEqualFees: {
    kind: 'flag',
    standard: true,
    says: 'Sponsor operations whose maxFeePerGas equals maxPriorityFeePerGas, up to 250 % of base fee and highest tip.',
  },
  allowCallDataSuffix: {
    kind: 'flag',
    standard: true,
    says:
      'Sponsor operations whose call data goes on behind the arguments, at most 256 bytes that the account does not ' +
      'read: the `dataSuffix` of ERC-8021, the on-chain identifier of a Safe.',
  },
  servers: {
    kind: 'servers',
    standard: [],
    says:
      'IPv4 and IPv6 addresses, or networks of at least /24 and /48, of your servers. The bounds on strangers do not ' +
      'count what they ask for; where they name their user (x-forwarded-user, x-client-address), each user counts alone.',
    mayBeAbsent: true,
  },
  ignoreForeignPolicyIds: {
    kind: 'flag',
    standard: false,
    says:
      'Take requests that name policies of another vendor (`sponsorshipPolicyId`, `policyId`, `policyIds`) as if they ' +
      'named none, so that an app that moves here keeps its code. Without it such requests are refused.',
  },
  allowBatchApprovalWithoutRules: {
    kind: 'flag',
    standard: false,
    says:
      'Let users pay in tokens by an approval in their batch (`batchApproval`) also while the paymaster has no contract ' +
      'and no policy. Such an operation can land and not pay: set a budget in a policy first.',
    isInDocuments: false,
  },
  signWhenSent: {
    kind: 'flag',
    standard: false,
    says:
      'On EntryPoint v0.9, sign a sponsorship only when the operation is sent to `eth_sendUserOperation` of the ' +
      "paymaster's own address. Until then nobody can land it, and nothing is held for it. Clients that send to another " +
      'bundler get AA34.',
    mayBeAbsent: true,
  },
  requestLogDays: {
    kind: 'count',
    from: 1,
    to: 30,
    standard: 7,
    says: 'For how many days the request log keeps an entry. A shorter time holds for older entries too.',
    isInDocuments: false,
    mayBeAbsent: true,
  },
  requestLogGrantsPercent: {
    kind: 'percent',
    from: 0,
    to: 100,
    standard: 0,
    says: 'How many of the signed operations the request log keeps, drawn at random; percent. Refusals are always kept.',
    isInDocuments: false,
    mayBeAbsent: true,
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof SETTINGS;

/** What owners set. */
export type SettingValues = ValuesOf<typeof SETTINGS>;

/** The settings as the dashboard keeps them. */
export interface StoredSettings extends SettingValues {
  /** When the owner last released the spending brake; unix milliseconds, 0 for never. */
  readonly brakeReleasedAtMs: number;
}

/** Caps on signatures that are live, so that a stranger can't reserve a budget away. */
export interface LiveSignatureCaps {
  /** Nonces of one sender; default 4 (ERC-7562 UREP-010). One client leaves one of them, unless its share is 100 %. */
  readonly perSender: number;
  /** Operations asked for from one client address (IPv6: its /64; ten times as many from its /48). */
  readonly perClient: number;
  readonly perPaymaster: number;
  /**
   * How much of what is left of any limit, and of the funding wallet, one client address (IPv6: its /48) may hold in live
   * signatures, if that is more than one; of the paymaster's rate limit it may use as much. Percent, 1 to 100. 100:
   * clients are not kept from each other, nor from all turns at decision webhooks and estimates.
   */
  readonly clientSharePercent: number;
}

type CapSetting =
  'maxLiveSignaturesPerSender' | 'maxLiveSignaturesPerClient' | 'maxLiveSignaturesTotal' | 'clientSharePercent';

/** The settings as the gateway gets them. */
export interface PaymasterSettings extends Omit<StoredSettings, CapSetting> {
  readonly liveSignatureCaps: LiveSignatureCaps;
}

/** What there is of each setting, with the caps on live signatures together, as the gateway has them. */
export function withCapsTogether<Of, Others>({
  maxLiveSignaturesPerSender: perSender,
  maxLiveSignaturesPerClient: perClient,
  maxLiveSignaturesTotal: perPaymaster,
  clientSharePercent,
  ...others
}: Readonly<Record<CapSetting, Of>> & Others) {
  return { ...others, liveSignatureCaps: { perSender, perClient, perPaymaster, clientSharePercent } };
}

/** The settings of a new paymaster. */
export const DEFAULT_STORED_SETTINGS: StoredSettings = {
  ...standardsOf(SETTINGS),
  brakeReleasedAtMs: 0,
};
export const DEFAULT_PAYMASTER_SETTINGS: PaymasterSettings = withCapsTogether(DEFAULT_STORED_SETTINGS);
export const DEFAULT_LIVE_SIGNATURE_CAPS = DEFAULT_PAYMASTER_SETTINGS.liveSignatureCaps;
