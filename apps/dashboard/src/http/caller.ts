import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts/account';
import type { Paymaster } from '../paymasters/paymaster';

/** A request on its way through the guards. */
export type AuthenticatedRequest = FastifyRequest & { account?: Account; paymaster?: Paymaster };

/** The account that the authToken stands for. */
export const CurrentAccount = createParamDecorator((_data: unknown, context: ExecutionContext): Account => {
  const { account } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!account) throw new Error('the route is not @Authenticated');
  return account;
});

/** The account's paymaster that the apiKey stands for. */
export const CurrentPaymaster = createParamDecorator((_data: unknown, context: ExecutionContext): Paymaster => {
  const { paymaster } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!paymaster) throw new Error('the route is not @Authenticated with an apiKey');
  return paymaster;
});
