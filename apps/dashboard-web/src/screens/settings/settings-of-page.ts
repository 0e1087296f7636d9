import type { Schemas } from '../../api/queries';

export type Settings = Schemas['SettingsView'];
export type Change = Omit<Schemas['UpdateSettingsDto'], 'expected'>;
type Key = keyof Change;
type Word<K extends Key> = Extract<Settings[K], string>;

/** How a setting is set. Bounds of numbers are those of the API document. */
type Control =
  | { readonly kind: 'switch'; /** What is asked before it is turned on. */ readonly opens?: string }
  | { readonly kind: 'choice'; readonly options: readonly { readonly value: string; readonly label: string }[] }
  | { readonly kind: 'ways'; readonly options: readonly { readonly value: string; readonly label: string }[] }
  | { readonly kind: 'number' | 'coin' | 'text' | 'icon' | 'lines' };

export interface SettingOfPage<K extends Key = Key> {
  readonly key: K;
  readonly label: string;
  /** In place of the sentence of the API document, where that speaks to programs. */
  readonly says?: string;
  /** What it costs or opens, where the sentence before does not say it. */
  readonly costs?: string;
  readonly control: Control;
}

interface Group {
  readonly title: string;
  readonly settings: readonly SettingOfPage[];
}

const choice = <K extends Key>(labels: Readonly<Record<Word<K>, string>>): Control => ({
  kind: 'choice',
  options: optionsOf(labels),
});

function optionsOf(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

/** Every setting of the API document, in the groups of the page. A test compares the two. */
export const SETTINGS_OF_PAGE: readonly Group[] = [
  {
    title: 'What is sponsored',
    settings: [
      {
        key: 'sponsorDeployments',
        label: 'Deployments of accounts',
        says: 'A deployment costs you gas as a call does. Always: everybody who knows your key can deploy accounts with your gas.',
        control: choice<'sponsorDeployments'>({
          never: 'are never sponsored',
          withCall: 'with a sponsored call',
          always: 'are always sponsored',
        }),
      },
      {
        key: 'allowUnknownFactories',
        label: 'Factories that the platform does not know',
        costs: 'The code of such a factory runs with your gas.',
        control: {
          kind: 'switch',
          opens:
            'Everybody can bring a factory of his own, and its code runs with your gas. Only your limits and the spending brake hold it back.',
        },
      },
      {
        key: 'requireKnownAccounts',
        label: 'Known accounts only',
        says: 'The code of deployed accounts has to be one that the platform knows. Users of other accounts are refused.',
        control: { kind: 'switch' },
      },
      {
        key: 'allowCallDataSuffix',
        label: 'App tags after the call data',
        says: 'Wallets write there which app sent the operation: at most 256 bytes that the account does not read, and whose gas you pay. Without it such operations are refused.',
        control: { kind: 'switch' },
      },
      {
        key: 'allowEqualFees',
        label: 'Equal fees',
        costs:
          'Such an operation costs its whole fee per gas (maxFeePerGas), however low the base fee is. Without it such operations are refused.',
        control: { kind: 'switch' },
      },
      {
        key: 'ignoreForeignPolicyIds',
        label: 'Ids of other vendors’ policies',
        says: 'Apps that come from another vendor may go on sending its policy ids; they mean nothing here. Without it such requests are refused.',
        control: { kind: 'switch' },
      },
      {
        key: 'sponsorNativeTransfers',
        label: 'Sponsor plain transfers of coin',
        says: 'Also operations that only send coin. They use your gas for anything.',
        control: {
          kind: 'switch',
          opens:
            'Everybody who knows your key can send coin with your gas, to any address. Only your limits and the spending brake hold it back.',
        },
      },
      {
        key: 'sponsorAnyContract',
        label: 'Sponsor calls to every contract',
        says: 'The whitelist no longer holds. Set a limit in a policy before you turn this on.',
        control: {
          kind: 'switch',
          opens:
            'Everybody who knows your key can call any contract with your gas. Your whitelist no longer holds. Only your limits and the spending brake hold it back.',
        },
      },
    ],
  },
  {
    title: 'What it may cost',
    settings: [
      {
        key: 'spendingBrake',
        label: 'Spending brake',
        says: 'Stops the paymaster before it loses more than half of its wallet within an hour, until you release it. Without it, all of the wallet can be lost.',
        control: { kind: 'switch' },
      },
      {
        key: 'maxOperationCostWei',
        label: 'Most that one operation may cost',
        says: 'An operation that may cost more is refused. Empty: the operator’s default.',
        control: { kind: 'coin' },
      },
      {
        key: 'defaultExpirySeconds',
        label: 'Validity of a signature, in seconds',
        says: 'Where the app asks for no time. Longer for users who confirm slowly: with a hardware wallet, or several owners of one account. What is signed and not landed holds your deposit for that time.',
        control: { kind: 'number' },
      },
      {
        key: 'maxExpirySeconds',
        label: 'Longest validity that an app may ask for, in seconds',
        says: 'What is signed and not landed holds your deposit for that time.',
        control: { kind: 'number' },
      },
      {
        key: 'maxLiveSignaturesPerSender',
        label: 'Signed and not landed: of one account',
        says: 'So many operations of one account may be signed at a time. Each holds a part of your deposit until it lands or its time is over; more are refused.',
        control: { kind: 'number' },
      },
      {
        key: 'maxLiveSignaturesPerClient',
        label: 'Signed and not landed: asked for from one internet address',
        says: 'More lets one stranger hold more of your deposit. Less refuses users who share an address, as behind a server of yours.',
        control: { kind: 'number' },
      },
      {
        key: 'maxLiveSignaturesTotal',
        label: 'Signed and not landed: of the whole paymaster',
        says: 'So many operations together may hold a part of your deposit at a time; more are refused.',
        control: { kind: 'number' },
      },
      {
        key: 'clientSharePercent',
        label: 'Share of one internet address, in percent',
        costs: 'With 100, one stranger can hold all of it.',
        control: { kind: 'number' },
      },
      {
        key: 'servers',
        label: 'Your servers',
        says: 'IP addresses, or networks such as 203.0.113.0/24, one in each line. What they ask for is not counted as one stranger’s; where they say which user they ask for, each user is counted alone.',
        control: { kind: 'lines' },
      },
    ],
  },
  {
    title: 'When it is refused',
    settings: [
      {
        key: 'onRefusal',
        label: 'When sponsoring is refused',
        says: 'Where the user pays, apps with Biconomy’s SDK get no error, and you pay nothing.',
        control: choice<'onRefusal'>({ error: 'the app gets an error', userPays: 'the user pays in coin' }),
      },
      {
        key: 'onLimitReached',
        label: 'When a limit is reached',
        says: 'With the offer, the refusal names the tokens in which the user can pay you instead.',
        control: choice<'onLimitReached'>({ refuse: 'refuse', erc20: 'offer payment in tokens' }),
      },
      {
        key: 'explainToClients',
        label: 'Explain refusals to apps',
        says: 'Apps are told limits, what is used, and the rule that refused; so is everybody who has your key. Without it they get the reason only.',
        control: { kind: 'switch' },
      },
    ],
  },
  {
    title: 'Payment in tokens',
    settings: [
      {
        key: 'tokenMode',
        label: 'Users may pay in tokens for',
        says: 'Your wallet pays the gas, and gets the token. For any call: also for those that you do not sponsor.',
        control: choice<'tokenMode'>({ anyCall: 'any call', whitelistedCalls: 'whitelisted calls', off: 'nothing' }),
      },
      {
        key: 'tokenChargingWays',
        label: 'How users may pay',
        says: 'Without any, nobody pays in tokens. An operation that pays by an approval in its batch can land and not pay you; what stays unpaid is capped for each token and account.',
        control: {
          kind: 'ways',
          options: optionsOf({
            allowance: 'by an allowance that was given before',
            permit: 'by a permit that the user signs',
            batchApproval: 'by an approval in the batch',
          } satisfies Record<Settings['tokenChargingWays'][number], string>),
        },
      },
      {
        key: 'tokenFeeReceiver',
        label: 'Address that gets the tokens',
        says: 'Empty: the wallet that is linked. Tokens that go to a wrong address are lost.',
        control: { kind: 'text' },
      },
      {
        key: 'allowBatchApprovalWithoutRules',
        label: 'Approvals in the batch without a rule',
        says: 'Users pay in tokens by an approval in their batch also while you have no contract and no policy. Such an operation can land and not pay.',
        control: {
          kind: 'switch',
          opens:
            'Such an operation can land and not pay you: its user spends your gas. What stays unpaid is capped for each token and account.',
        },
      },
    ],
  },
  {
    title: 'Apps and wallets',
    settings: [
      {
        key: 'allowedOrigins',
        label: 'Pages that may use your keys',
        says: 'Origins, one in each line, such as https://app.example.org, or * for every page. Pages of other origins are refused. Programs are not held back by it: they send no origin.',
        control: { kind: 'lines' },
      },
      {
        key: 'sponsorName',
        label: 'Name that wallets show',
        says: 'Wallets tell the user who pays. Empty: they name nobody. It costs nothing.',
        control: { kind: 'text' },
      },
      {
        key: 'sponsorIcon',
        label: 'Icon that wallets show',
        says: 'A small PNG, JPEG, GIF or WebP, beside the name. It goes with each answer to wallets, and costs nothing.',
        control: { kind: 'icon' },
      },
      {
        key: 'signWhenSent',
        label: 'Sign when the operation is sent (EntryPoint v0.9)',
        says: 'Until your app sends the operation to the address of this paymaster, nobody can land it and nothing is held for it. Apps that send it to another bundler fail with AA34.',
        control: { kind: 'switch' },
      },
    ],
  },
  {
    title: 'Request log',
    settings: [
      {
        key: 'requestLogDays',
        label: 'Days that requests are kept',
        says: 'Refused requests are kept for so long, 30 days at most. A shorter time holds for older requests too. It costs nothing.',
        control: { kind: 'number' },
      },
      {
        key: 'requestLogGrantsPercent',
        label: 'Signed requests that are kept, in percent',
        says: 'Drawn at random; 0 keeps none of them. A kept request has the account and the calls of the operation, no key and no signature.',
        control: { kind: 'number' },
      },
    ],
  },
];
