import { applyDecorators, UseGuards } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { Authenticated } from './authenticated.decorator';
import {
  NotAllowedError,
  NotSignedInError,
  SecondFactorRequiredError,
  SignInNotSetUpError,
} from '../../platform/http/dashboard-errors';
import { CALLER, type CallerDescription } from '../../platform/http/openapi.decorators';
import { OPERATORS_ONLY, OperatorGuard, PersonGuard, VisitorGuard, WaitingPersonGuard } from './person.guard';

const WAITING: CallerDescription = {
  security: [{ session: [] }],
  refusals: [new NotSignedInError(), new SignInNotSetUpError()],
};
const PERSON: CallerDescription = { ...WAITING, refusals: [...WAITING.refusals, new SecondFactorRequiredError()] };
const OPERATOR: CallerDescription = { ...PERSON, refusals: [...PERSON.refusals, new NotAllowedError(OPERATORS_ONLY)] };
const VISITOR: CallerDescription = { security: [], refusals: [new SignInNotSetUpError()] };

/**
 * A route of an account about its people and tokens, which people see and change, and tokens do not. Checks as
 * `@Authenticated` does.
 */
export function ForMembers(): ReturnType<typeof applyDecorators> {
  return Authenticated({
    needsApiKey: false,
    byToken: false,
    missingHeader: 'A session is required: sign in to the page',
  });
}

/** A route of a person, about no account. Checks, in this order: rate, the page's address on writes, the session. */
export function SignedIn(): MethodDecorator {
  return applyDecorators(UseGuards(PersonGuard), ApiExtension(CALLER, PERSON));
}

/** {@link SignedIn}, also for a session that waits for the code of a second factor, which reaches nothing else. */
export function SignedInOrWaiting(): MethodDecorator {
  return applyDecorators(UseGuards(WaitingPersonGuard), ApiExtension(CALLER, WAITING));
}

/**
 * A route of the operator of the installation, about no account of his. No auth token reaches it. Checks, in this order:
 * rate, the page's address on writes, the session, whether the person is an operator.
 */
export function ForOperators(): MethodDecorator {
  return applyDecorators(UseGuards(OperatorGuard), ApiExtension(CALLER, OPERATOR));
}

/** A route on the way to a session. Checks, in this order: rate, the page's address on writes. */
export function ForVisitors(): MethodDecorator {
  return applyDecorators(UseGuards(VisitorGuard), ApiExtension(CALLER, VISITOR));
}
