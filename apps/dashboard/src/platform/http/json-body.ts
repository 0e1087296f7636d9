import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { passedBound, type JsonBounds, type PassedBound } from '@paymaster/nest-kit';
import type { FastifyRequest } from 'fastify';
import type { DashboardConfig } from '../config/dashboard.config';
import { InvalidBodyError } from './dashboard-errors';
import { isToInterfaceRow } from './interface-row';
import { withMemberAsText } from './json-member';

/**
 * These bounds are above what any body of this API contains. While the process makes a DTO of a body, all other
 * requests wait: up to 20 µs for each value, and class-transformer's time grows with the square of an object's keys.
 */
const BOUNDS = { levels: 8, keys: 100, names: 200, items: 2_000, objects: 2_000, values: 10_000 };
const WORDS: Readonly<Record<Exclude<keyof JsonBounds, 'levels'>, string>> = {
  keys: 'keys',
  names: 'different keys',
  items: 'items',
  objects: 'objects and lists',
  values: 'values',
};

type Limits = Pick<DashboardConfig, 'maxBodyBytes' | 'maxContractsPerPaymaster' | 'maxSelectorsPerPaymaster'>;

/**
 * A body that is not parsed yet. Validation parses it, after the headers and the rate limit were checked. So a client
 * that sends too much is refused before its body costs anything.
 */
export class JsonBody {
  /** @param parse throws {@link InvalidBodyError} when the body is not JSON, or exceeds {@link BOUNDS} */
  constructor(
    readonly bytes: number,
    readonly parse: () => unknown,
    /** Whether the route ignores fields that it does not know. */
    readonly mayHaveMore: boolean,
  ) {}
}

/** JSON is the only content type; anything else is answered with 415. */
export function acceptJsonOnly(app: NestFastifyApplication, limits: Limits): void {
  const fastify = app.getHttpAdapter().getInstance();
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  // A document for the import may name all contracts of a paymaster and their methods.
  const bounds: JsonBounds = {
    ...BOUNDS,
    items: Math.max(BOUNDS.items, limits.maxContractsPerPaymaster),
    objects: BOUNDS.objects + 2 * limits.maxContractsPerPaymaster,
    values: BOUNDS.values + limits.maxSelectorsPerPaymaster,
  };
  const parse = (request: FastifyRequest, body: Buffer): unknown => {
    // An ABI has bounds of its own, and is kept as text. So it is text from here on.
    const bytes = withMemberAsText(body, 'abi');
    const passed = passedBound(bytes, bounds);
    if (passed) throw new InvalidBodyError(sentenceOf(passed));
    let parsed: unknown;
    // `parseJson` calls back before it returns.
    void parseJson(request, bytes.toString('utf8'), (error: Error | null, value?: unknown) => {
      // Keys such as __proto__ count as bad JSON too; the parser does not tell them apart.
      if (error) throw new InvalidBodyError('The body is not valid JSON');
      parsed = value;
    });
    return parsed;
  };
  fastify.removeAllContentTypeParsers();
  app.useBodyParser('application/json', { bodyLimit: limits.maxBodyBytes }, (raw, bytes: Buffer, done) => {
    const request = raw as FastifyRequest;
    if (bytes.length === 0) return done(null, undefined);
    done(null, new JsonBody(bytes.length, () => parse(request, bytes), isToInterfaceRow(request)));
  });
}

/** @param field that holds the JSON text, where it is not the body itself */
export function sentenceOf({ of, most, path }: PassedBound, field?: string): string {
  const place = [field, path].filter(Boolean).join('.') || 'The body';
  return of === 'levels' ? `${place} is nested too deeply` : `${place} must not have more than ${most} ${WORDS[of]}`;
}
