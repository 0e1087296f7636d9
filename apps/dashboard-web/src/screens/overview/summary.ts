import type { Schemas } from '../../api/queries';

type Report = Schemas['WalletReportView'];
type Point = Schemas['UsageView'];

/** Below this the owner should act today. */
const LOW_RUNWAY_HOURS = 48;
/** From so many operations on a share of them says something. */
const ENOUGH_OPERATIONS = 5;
const MANY_REVERTED_PERCENT = 20;
const MANY_REFUSED_PERCENT = 20;

export interface Concern {
  readonly id: 'brake' | 'noWallet' | 'empty' | 'low' | 'noContract' | 'open' | 'noLimit' | 'reverted' | 'refused';
  readonly title: string;
  readonly advice: string;
  /** Of the screen where it is put right, below the paymaster's. */
  readonly path: string;
  readonly link: string;
  readonly isUrgent: boolean;
}

export interface Facts {
  readonly report: Report;
  /** Undefined while they are not known: then they are no concern. */
  readonly contracts: readonly unknown[] | undefined;
  readonly settings: Pick<Schemas['SettingsView'], 'sponsorAnyContract' | 'sponsorNativeTransfers'> | undefined;
  /** Its own, and those that it shares. */
  readonly policies:
    | readonly Pick<Schemas['PolicyView'] | Schemas['SharedPolicyView'], 'active' | 'policyType' | 'policyData'>[]
    | undefined;
  readonly usage: readonly Point[];
}

/** What needs attention, the most urgent first; nothing where all is well. */
export function concernsOf({ report, contracts, settings, policies, usage }: Facts): readonly Concern[] {
  const { refused, granted, settled, reverted } = sumsOf(usage);
  const hours = shortestRunway(report);
  const isEmpty = report.accounts.every(({ spendableWei }) => spendableWei === '0');
  const concerns: (Concern | false)[] = [
    report.accounts.some(({ stoppedAt }) => stoppedAt !== null) && {
      id: 'brake',
      title: 'The spending brake has stopped this paymaster',
      advice:
        'It could have lost more than half of its wallet within an hour. Look at the latest operations first, then release it.',
      path: '/operations',
      link: 'Look at the operations',
      isUrgent: true,
    },
    report.fundingWallet === null && {
      id: 'noWallet',
      title: 'No wallet is linked, so nothing is sponsored',
      advice: 'Link the wallet that pays. It signs a text; no transaction is sent.',
      path: '/start?step=wallet',
      link: 'Link a wallet',
      isUrgent: true,
    },
    report.fundingWallet !== null &&
      isEmpty && {
        id: 'empty',
        title: 'The deposit is empty, so every request is refused',
        advice: 'Deposit for the EntryPoint version of your accounts.',
        path: '/start?step=deposit',
        link: 'Deposit',
        isUrgent: true,
      },
    !isEmpty &&
      hours !== null &&
      hours < LOW_RUNWAY_HOURS && {
        id: 'low',
        title: 'The money lasts for less than two days',
        advice: 'At the rate of the last 24 hours. Deposit more, or lower the limits of a policy.',
        path: '/wallet',
        link: 'To the wallet',
        isUrgent: true,
      },
    contracts?.length === 0 &&
      settings?.sponsorAnyContract === false && {
        id: 'noContract',
        title: 'No contract is registered, so nothing is sponsored',
        advice: 'Register the contract that your app calls, and pick its methods.',
        path: '/start?step=contract',
        link: 'Register a contract',
        isUrgent: true,
      },
    (settings?.sponsorAnyContract === true || settings?.sponsorNativeTransfers === true) && {
      id: 'open',
      title: settings.sponsorAnyContract
        ? 'Calls to every contract are sponsored'
        : 'Plain transfers of coin are sponsored',
      advice: 'Everybody can use your gas for anything, up to your limits. Turn it off unless you mean it.',
      path: '/settings',
      link: 'To the settings',
      isUrgent: settings.sponsorAnyContract,
    },
    policies !== undefined &&
      !policies.some(isLimit) && {
        id: 'noLimit',
        title: 'No limit is set',
        advice: 'The users of your app together may spend all that the wallet has. A policy sets a limit.',
        path: '/policies',
        link: 'Set a limit',
        isUrgent: false,
      },
    settled >= ENOUGH_OPERATIONS &&
      reverted * 100 >= settled * MANY_REVERTED_PERCENT && {
        id: 'reverted',
        title: `${reverted} of ${settled} landed operations reverted`,
        advice: 'Their gas was paid and nothing was done. Look at what they called.',
        path: '/operations?state=settled',
        link: 'Look at them',
        isUrgent: false,
      },
    refused >= ENOUGH_OPERATIONS &&
      refused * 100 >= (refused + granted) * MANY_REFUSED_PERCENT && {
        id: 'refused',
        title: `${refused} of ${refused + granted} requests were refused`,
        advice: 'The reasons are below. Often a method is missing in a whitelist, or a limit is used up.',
        path: '/operations?state=refused',
        link: 'Look at them',
        isUrgent: false,
      },
  ];
  return concerns.filter((concern) => concern !== false);
}

/** The policies of the account that the paymaster shares. */
export function sharedBy(
  paymasterId: string,
  policies: readonly Schemas['SharedPolicyView'][],
): readonly Schemas['SharedPolicyView'][] {
  return policies.filter(({ paymasterIds }) => paymasterIds.includes(paymasterId));
}

/** A policy in force that bounds how much is sponsored of several operations together. */
export function isLimit({ active, policyType, policyData }: NonNullable<Facts['policies']>[number]): boolean {
  if (!active) return false;
  if (policyType === 'PAYMASTER_SA_LIMIT') return true;
  const { limits } = (policyData ?? {}) as { limits?: readonly { scope?: string }[] | null };
  return limits?.some(({ scope }) => scope !== 'OPERATION') ?? false;
}

/** How long the deposit lasts that runs out first; null where nothing is spent. */
export function shortestRunway({ accounts }: Report): number | null {
  const known = accounts.map(({ runwayHours }) => runwayHours).filter((hours) => hours !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

export interface Sums {
  readonly granted: number;
  readonly refused: number;
  readonly settled: number;
  readonly reverted: number;
  readonly voided: number;
}

export function sumsOf(points: readonly Point[]): Sums {
  const sum = (key: 'granted' | 'refused' | 'settled' | 'reverted' | 'voided') =>
    points.reduce((total, point) => total + point[key], 0);
  return {
    granted: sum('granted'),
    refused: sum('refused'),
    settled: sum('settled'),
    reverted: sum('reverted'),
    voided: sum('voided'),
  };
}
