import { InvalidParamsError } from '@paymaster/domain';
import type { OperationRequest } from '../../operations/operations.service';
import { userOperationSchema } from './user-operation.schema';

const OPERATION = 'params[0]';
const FIELDS = new Set(Object.keys(userOperationSchema({ fees: 'optional' })['properties'] as object));

/** The path at which the client sent the field that the gateway calls `params[0].x`. */
export type FieldNames = (field: string) => string;

/** A request of a dialect in which the operation stands in a member of `params[0]`. */
export type NestedRequest<Request = OperationRequest> = Request & {
  /** Where the client sent the fields of the operation. */
  readonly fieldNames: FieldNames;
};

/**
 * Translates field names for an operation that the client sent in a member of `params[0]`. Other fields keep their
 * names.
 *
 * @param elsewhere fields of the operation that the client sent in another member, and that member's name
 */
export function fieldsIn(member: string, elsewhere: ReadonlyMap<string, string> = new Map()): FieldNames {
  return (field) => {
    const name = field.slice(OPERATION.length + 1).split('.')[0] ?? '';
    const isOfOperation = field === OPERATION || (field.startsWith(`${OPERATION}.`) && FIELDS.has(name));
    return isOfOperation ? field.replace(OPERATION, `${OPERATION}.${elsewhere.get(name) ?? member}`) : field;
  };
}

/** Calls `read`. @returns its result @throws its error, which names each field as the client sent it */
export function readAsSent<T>(fieldNames: FieldNames, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw namedAsSent(error, fieldNames);
  }
}

/** Waits for the answer to a request. @throws its error, which names each field as the client sent it */
export async function answered<T>({ fieldNames }: NestedRequest<object>, answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw namedAsSent(error, fieldNames);
  });
}

function namedAsSent(error: unknown, fieldNames: FieldNames): unknown {
  if (!(error instanceof InvalidParamsError)) return error;
  const field = fieldNames(error.field);
  if (field === error.field) return error;
  return new InvalidParamsError(field, error.message.replaceAll(error.field, field), error.reason);
}
