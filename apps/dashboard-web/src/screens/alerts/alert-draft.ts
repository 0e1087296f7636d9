import type { Schemas } from '../../api/queries';
import { shortAmount } from '../../format/amount';

export type Alert = Schemas['AlertView'];
export type AlertKind = Alert['kind'];
type Subject = Alert['about'][number];
type Percent = Alert['limitPercents'][number];

export const KINDS: Readonly<Record<AlertKind, string>> = {
  MAIL: 'Mail',
  SLACK: 'Slack',
  DISCORD: 'Discord',
  TELEGRAM: 'Telegram',
  WEBHOOK: 'Your server',
};

export const SUBJECTS: Readonly<Record<Subject, string>> = {
  walletLow: 'The wallet runs low',
  limitUsed: 'A limit is being used up',
  refusalsRising: 'More operations are refused than before',
  walletBraked: 'The spending brake stopped the paymaster',
  paymasterSuspended: 'The operator suspended the paymaster',
};

export const PERCENTS: readonly Percent[] = [50, 75, 90, 100];

/** What a form makes; a destination that is left empty stays as it is stored. */
export interface AlertDraft {
  readonly name: string;
  readonly kind: AlertKind;
  readonly mail: string;
  readonly url: string;
  readonly botToken: string;
  readonly chatId: string;
  readonly about: readonly Subject[];
  readonly walletBelowWei: string;
  readonly limitPercents: readonly Percent[];
  readonly isQuiet: boolean;
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

const NIGHT = { from: '22:00', to: '07:00', timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
const NOWHERE = { mail: '', url: '', botToken: '', chatId: '' };

export const NEW_ALERT: AlertDraft = {
  ...{ name: '', kind: 'MAIL', ...NOWHERE, about: ['walletLow', 'limitUsed', 'walletBraked', 'paymasterSuspended'] },
  ...{ walletBelowWei: '100000000000000000', limitPercents: [75, 100], isQuiet: false, ...NIGHT },
};

export function draftOf({ name, kind, about, walletBelowWei, limitPercents, quietHours }: Alert): AlertDraft {
  return {
    ...{ name, kind, ...NOWHERE, about, isQuiet: quietHours !== null, ...NIGHT, ...quietHours },
    walletBelowWei: walletBelowWei ?? NEW_ALERT.walletBelowWei,
    limitPercents: limitPercents.length > 0 ? limitPercents : NEW_ALERT.limitPercents,
  };
}

/** The fields of each kind that say where it goes. */
const FIELDS_OF = {
  MAIL: ['mail'],
  SLACK: ['url'],
  DISCORD: ['url'],
  TELEGRAM: ['botToken', 'chatId'],
  WEBHOOK: ['url'],
} as const satisfies Readonly<Record<AlertKind, readonly (keyof typeof NOWHERE)[]>>;

/** Whether something is missing without which an alert cannot be made or kept. */
export function isWhole(draft: AlertDraft, isNew: boolean): boolean {
  const { name, kind, about, limitPercents } = draft;
  if (name.trim() === '' || about.length === 0) return false;
  if (about.includes('limitUsed') && limitPercents.length === 0) return false;
  return !isNew || FIELDS_OF[kind].every((field) => draft[field].trim() !== '');
}

/** The body without the kind, which stays. */
export function sendableAlert(draft: AlertDraft) {
  const { name, kind, about, walletBelowWei, limitPercents, isQuiet, from, to, timeZone } = draft;
  const destination = FIELDS_OF[kind]
    .map((field) => [field, draft[field].trim()] as const)
    .filter(([, value]) => value !== '');
  return {
    ...{ name: name.trim(), about: [...about], ...Object.fromEntries(destination) },
    ...(about.includes('walletLow') && { walletBelowWei }),
    ...(about.includes('limitUsed') && { limitPercents: [...limitPercents] }),
    quietHours: isQuiet ? { from, to, timeZone } : null,
  };
}

/** What it tells and when, a sentence for each. */
export function alertLines(alert: Omit<AlertDraft, keyof typeof NOWHERE>, symbol: string): readonly string[] {
  const { about, walletBelowWei, limitPercents, isQuiet, from, to, timeZone } = alert;
  const more: Partial<Record<Subject, string>> = {
    walletLow: `: below ${shortAmount(walletBelowWei, symbol)}`,
    limitUsed: `: at ${limitPercents.join(', ')} %`,
  };
  return [
    ...about.map((subject) => `${SUBJECTS[subject]}${more[subject] ?? ''}`),
    ...(isQuiet ? [`Quiet from ${from} to ${to}, ${timeZone}`] : []),
  ];
}
