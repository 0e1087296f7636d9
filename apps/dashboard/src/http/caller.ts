import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts/account';
import type { Actor } from '../audit/actor';
import type { Paymaster } from '../paymasters/paymaster';

/** A request on its way through the guards. */
export type AuthenticatedRequest = FastifyRequest & {
  account?: Account;
  authTokenId?: string;
  paymaster?: Paymaster;
  /** The API key as the client sent it: the paymaster's current key, or a former one. */
  apiKey?: string;
};

/** The actor for the audit log, and the paymaster that he changes. */
export interface Editor {
  readonly paymaster: Paymaster;
  readonly actor: Actor;
}

/** The account that the authToken stands for. */
export const CurrentAccount = createParamDecorator((_data: unknown, context: ExecutionContext): Account => {
  const { account } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!account) throw new Error('the route is not @Authenticated');
  return account;
});

/** The actor for the audit log, on routes of an account. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const { account, authTokenId } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!account || !authTokenId) throw new Error('the route is not @Authenticated');
  return { accountId: account.id, tokenId: authTokenId };
});

/** The account's paymaster that the apiKey stands for. */
export const CurrentPaymaster = createParamDecorator((_data: unknown, context: ExecutionContext): Paymaster => {
  const { paymaster } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!paymaster) throw new Error('the route is not @Authenticated with an apiKey');
  return paymaster;
});

/** The apiKey that was sent: one of the paymaster's, the current one or a former one. */
export const SentApiKey = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { apiKey } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!apiKey) throw new Error('the route is not @Authenticated with an apiKey');
  return apiKey;
});

/** The caller of a change: his account, and the paymaster of his apiKey. */
export const CurrentEditor = createParamDecorator((_data: unknown, context: ExecutionContext): Editor => {
  const { account, authTokenId, paymaster } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!account || !authTokenId || !paymaster) throw new Error('the route is not @Authenticated with an apiKey');
  return { paymaster, actor: { accountId: account.id, tokenId: authTokenId } };
});
