import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import type { Paymaster } from '../paymasters/paymaster';
import type { Need } from '../people/role';
import type { OpenSession } from '../people/sessions';

/** A request on its way through the guards. */
export type AuthenticatedRequest = FastifyRequest & {
  account?: Account;
  actor?: Actor;
  /** What the caller may do for the account. */
  may?: readonly Need[];
  paymaster?: Paymaster;
  /** The API key as the client sent it: the paymaster's current key, or a former one. Empty when the client sent its id. */
  apiKey?: string;
  /** On routes of a person. */
  openSession?: OpenSession;
};

/** The actor for the audit log, and the paymaster that he changes. */
export interface Editor {
  readonly paymaster: Paymaster;
  readonly actor: Actor;
}

/** The account that the authToken stands for, or that the person names. */
export const CurrentAccount = createParamDecorator((_data: unknown, context: ExecutionContext): Account => {
  const { account } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!account) throw new Error('the route is not @Authenticated');
  return account;
});

/** The actor for the audit log, on routes of an account. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!actor) throw new Error('the route is not @Authenticated');
  return actor;
});

/** What the caller may do for the account. */
export const CurrentRights = createParamDecorator((_data: unknown, context: ExecutionContext): readonly Need[] => {
  return context.switchToHttp().getRequest<AuthenticatedRequest>().may ?? [];
});

/** The account's paymaster that the apiKey or the id stands for. */
export const CurrentPaymaster = createParamDecorator((_data: unknown, context: ExecutionContext): Paymaster => {
  const { paymaster } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!paymaster) throw new Error('the route is not @Authenticated with an apiKey');
  return paymaster;
});

/** The apiKey that was sent: one of the paymaster's, the current one or a former one. Empty when its id was sent. */
export const SentApiKey = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { apiKey } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (apiKey === undefined) throw new Error('the route is not @Authenticated with an apiKey');
  return apiKey;
});

/** The caller of a change: the actor for the audit log, and the paymaster of the apiKey or id. */
export const CurrentEditor = createParamDecorator((_data: unknown, context: ExecutionContext): Editor => {
  const { actor, paymaster } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!actor || !paymaster) throw new Error('the route is not @Authenticated with an apiKey');
  return { paymaster, actor };
});

/** The person who is signed in, and the session. */
export const CurrentSession = createParamDecorator((_data: unknown, context: ExecutionContext): OpenSession => {
  const { openSession } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!openSession) throw new Error('the route is not @SignedIn');
  return openSession;
});
