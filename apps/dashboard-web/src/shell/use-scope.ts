import { useSuspenseQuery, useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import {
  chainsQuery,
  meQuery,
  paymastersQuery,
  type Chain,
  type PaymasterScope,
  type Role,
  type Schemas,
} from '../api/queries';

/** The paymaster that a part of an account's screen is about, and the coin of its amounts. */
export const OfPaymaster = createContext<{ readonly paymasterId: string; readonly symbol: string } | undefined>(
  undefined,
);

/** The account that the URL names, and the paymaster that it names, or that this part of the screen is about. */
export function useScope(): PaymasterScope {
  const { accountId = '', paymasterId = '' } = useParams({ strict: false });
  return { accountId, paymasterId: useContext(OfPaymaster)?.paymasterId ?? paymasterId };
}

/** The paymaster that the URL names, or that was looked at before a screen of the account as a whole; empty where neither is. */
export function useChosen(): string {
  const { paymasterId = '' } = useParams({ strict: false });
  const { at = '' } = useSearch({ strict: false });
  return paymasterId || at;
}

export interface Rights {
  readonly role: Role;
  /** As people call it. */
  readonly roleName: string;
  /** What is sponsored: contracts, policies, settings. */
  readonly mayWrite: boolean;
  /** Keys and webhooks; a new paymaster has a key. */
  readonly mayChangeKeys: boolean;
  /** The wallet, tokens and the brake. */
  readonly mayChangeMoney: boolean;
  /** Members, roles, invitations and auth tokens. */
  readonly mayChangeTeam: boolean;
  readonly maySeeSecrets: boolean;
  /** Who changed what, and what webhooks were told, at which whole address. */
  readonly mayReadAudit: boolean;
  /** Members, roles, invitations and auth tokens. */
  readonly mayReadPeople: boolean;
}

type Membership = Omit<Schemas['MembershipView'], 'accountId' | 'name'>;
const NO_ROLE: Membership = {
  ...{ role: 'viewer', roleName: 'viewer', rights: ['read'] },
  ...{ secondFactorRequired: false, secondFactorMissing: false },
};

/** What the person is in the account of the URL. */
export function useMembership(): Membership {
  const { accountId } = useScope();
  const { data } = useSuspenseQuery(meQuery);
  return data.accounts.find((each) => each.accountId === accountId) ?? NO_ROLE;
}

/** What the person may do in the account of the URL. */
export function useRole(): Rights {
  const { role, roleName, rights } = useMembership();
  const isSupport = role === 'support';
  const [mayChangeKeys, mayChangeTeam] = [rights.includes('keys'), rights.includes('team')];
  return {
    ...{ role, roleName, mayWrite: rights.includes('policies'), mayChangeMoney: rights.includes('money') },
    ...{ mayChangeKeys, maySeeSecrets: mayChangeKeys, mayReadAudit: mayChangeKeys || isSupport },
    ...{ mayChangeTeam, mayReadPeople: mayChangeTeam || isSupport },
  };
}

/** The chain of the paymaster, as far as it is known yet. */
export function useChain(): { readonly chain: Chain | undefined; readonly symbol: string } {
  const { accountId, paymasterId } = useScope();
  const named = useContext(OfPaymaster);
  const { data: paymasters } = useQuery(paymastersQuery(accountId));
  const { data: chains } = useQuery(chainsQuery(accountId));
  const chainId = paymasters?.find((each) => each.paymasterId === paymasterId)?.chainId;
  const chain = chains?.find((each) => each.chainId === chainId);
  return { chain, symbol: named?.symbol ?? chain?.nativeSymbol ?? 'ETH' };
}

/** Why the paymaster of the URL signs nothing by the word of the operator; null where it may sign, or that is not known yet. */
export function useSuspension(): Schemas['SuspensionView'] | null {
  const { accountId, paymasterId } = useScope();
  const { data: paymasters } = useQuery(paymastersQuery(accountId));
  return paymasters?.find((each) => each.paymasterId === paymasterId)?.suspension ?? null;
}

/** Where the chain's explorer shows a transaction or an address; undefined where the operator names no explorer. */
export function explorerLink(chain: Chain | undefined, kind: 'tx' | 'address', value: string): string | undefined {
  const base = chain?.explorerUrl;
  return base && /^https?:\/\//.test(base) ? `${base.replace(/\/$/, '')}/${kind}/${value}` : undefined;
}
