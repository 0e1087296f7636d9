import { unitsOf, type AmountKind } from './decimal';
import {
  address,
  addresses,
  amount,
  anything,
  digits,
  integer,
  object,
  objects,
  oneOf,
  optional,
  orAbsent,
  orNull,
  text,
  texts,
  withDefault,
  type Fields,
  type JsonOf,
  type JsonsOf,
  type OpenApiComponents,
  type Schema,
  type ValueOf,
  type ValuesOf,
} from './schema';

/** What a limit counts over: one operation, one smart account, or the whole paymaster. */
export const LIMIT_SCOPES = ['OPERATION', 'USER', 'PAYMASTER'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/** What a limit counts: wei of gas, USD (with up to 6 decimals), or operations. */
export const LIMIT_MEASURES = ['WEI', 'USD', 'COUNT'] as const;
export type LimitMeasure = (typeof LIMIT_MEASURES)[number];

/** When a native limit starts again: UTC calendar windows, weeks from Monday; LIFETIME never. */
export const LIMIT_CYCLES = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'LIFETIME'] as const;
export type LimitCycle = (typeof LIMIT_CYCLES)[number];

/** How an argument rule compares. */
export const ARGUMENT_OPERATORS = ['EQ', 'NEQ', 'LT', 'LTE', 'GT', 'GTE', 'IN', 'NOT_IN'] as const;
export type ArgumentOperator = (typeof ARGUMENT_OPERATORS)[number];

/** Items of any list of a policy. */
export const MAX_POLICY_ADDRESSES = 1_000;
export const MAX_POLICY_LIMITS = 20;
export const MAX_ARGUMENT_RULES = 50;
export const MAX_ARGUMENT_VALUES = 100;
export const MAX_METHOD_LENGTH = 500;
export const MAX_PRIORITY = 10_000;
export const DEFAULT_PRIORITY = 100;

/** `name(type,…)`; the engine reads the types. */
export const METHOD_PATTERN = /^[A-Za-z_$][A-Za-z0-9_$]*\([A-Za-z0-9_$,()[\]]*\)$/;
/** A number, hex text, `true` or `false`. */
const ARGUMENT_VALUE_PATTERN = /^(-?\d{1,78}|0x[0-9a-fA-F]{1,64}|true|false)$/;
/** Ids are parts of budget keys, so they have no separator of such parts. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
export const POLICY_ID = text(64, { pattern: ID_PATTERN });

/** The end of the year 9999: later times are times in another unit. */
const timeSeconds = integer(1, 253_402_300_799);
/** A ceiling in percent of what it follows, which is always allowed. */
const percent = integer(100, 100_000);
/** As many calls as are decoded at all. */
const MAX_CALLS = 128;
const listOfAddresses = addresses(MAX_POLICY_ADDRESSES);

const AMOUNTS: Readonly<Record<LimitMeasure, AmountKind>> = {
  WEI: { decimals: 0, of: 'wei' },
  USD: { decimals: 6, of: 'USD' },
  COUNT: { decimals: 0, of: 'operations' },
};

/** How an amount of a measure is written; of a measure that is none, which is refused in its own words, as a count. */
export function amountKindOf(measure: unknown): AmountKind {
  return measure === 'WEI' || measure === 'USD' ? AMOUNTS[measure] : AMOUNTS.COUNT;
}

const SENDERS = object(
  {
    allow: optional(addresses(MAX_POLICY_ADDRESSES, { least: 1 }), { nullable: true, description: 'Only these.' }),
    deny: optional(listOfAddresses, { nullable: true, description: 'Not these; wins over `allow`.' }),
  },
  'SendersDto',
);

/** A condition on an argument of every call to a method; a call that cannot be decoded is refused. */
const ARGUMENT = {
  contract: address,
  operator: oneOf(ARGUMENT_OPERATORS),
};
const ARGUMENT_DATA = object(
  {
    contract: ARGUMENT.contract,
    method: text(MAX_METHOD_LENGTH, {
      example: 'mint(address,uint256)',
      description: 'The full signature in its canonical form.',
    }),
    index: integer(0, undefined, {
      example: 1,
      description: 'The argument’s place, from 0; its type must be static.',
    }),
    operator: ARGUMENT.operator,
    value: anything<string | readonly string[]>({
      anyOf: [
        { type: 'string' },
        { type: 'integer' },
        { type: 'boolean' },
        { type: 'array', items: { type: 'string' } },
      ],
      example: '1000',
      description: 'A value of the argument’s type; for IN and NOT_IN a list of them.',
    }),
  },
  'ArgumentRuleDto',
);
const ARGUMENT_RULE = object({
  ...ARGUMENT,
  /** Full signature, as in `mint(address,uint256)`. */
  method: text(MAX_METHOD_LENGTH, { pattern: METHOD_PATTERN }),
  /** Position of the argument, from 0; its type must be static. */
  index: integer(0, 255),
  /** Compared as the argument's type: decimal or hex text for numbers, hex for addresses and bytes, `true`/`false`. */
  values: texts(MAX_ARGUMENT_VALUES, text(78 + 1, { pattern: ARGUMENT_VALUE_PATTERN })),
});

/** Stops sponsoring while too many of the recent operations reverted. */
const REVERT_BREAKER = object(
  {
    maxRevertPercent: integer(0, 100, { example: 20 }),
    minOperations: integer(1, 1_000_000, { example: 50 }),
    windowMinutes: integer(1, 7 * 24 * 60, { example: 60 }),
  },
  'RevertBreakerDto',
);

/** A budget. */
const LIMIT_DATA_FIELDS = {
  scope: oneOf(LIMIT_SCOPES, {
    description:
      'One operation, each smart account, or the whole paymaster. In a shared policy all its paymasters count together.',
  }),
  measure: oneOf(LIMIT_MEASURES),
  amount: amount((limit) => amountKindOf((limit as { measure?: unknown }).measure), {
    example: '2.5',
    description: 'Wei, operations, or USD with at most 6 decimals.',
  }),
  cycle: optional(oneOf(LIMIT_CYCLES), { description: 'In UTC, weeks from Monday; scope OPERATION has none.' }),
};
const LIMIT_DATA = object(LIMIT_DATA_FIELDS, 'SpendingLimitDto');
const SPENDING_LIMIT_FIELDS = {
  /** Stable within the policy while scope, measure and cycle stay the same: names the budget. */
  id: POLICY_ID,
  scope: oneOf(LIMIT_SCOPES),
  measure: oneOf(LIMIT_MEASURES),
  /** Wei, operations, or micro-USD (1e-6 USD), by `measure`. */
  amount: digits,
  /** Ignored for scope OPERATION. */
  cycle: oneOf(LIMIT_CYCLES),
};
const SPENDING_LIMIT = object(SPENDING_LIMIT_FIELDS);

/** Limits over many operations: each smart account, or all together. */
const scopeOfMany = oneOf(['USER', 'PAYMASTER'], {
  description: 'Each user on all paymasters of the policy, or all operations of all its paymasters.',
});

/** `policyData` of a `SPENDING_LIMITS` policy, as clients send it and as it is stored. */
export const SPENDING_LIMITS_DATA = object(
  {
    limits: objects(
      object(
        {
          ...LIMIT_DATA_FIELDS,
          scope: scopeOfMany,
          cycle: oneOf(LIMIT_CYCLES, { description: 'In UTC, weeks from Monday.' }),
        },
        'SharedLimitDto',
      ),
      { most: MAX_POLICY_LIMITS },
    ),
  },
  'SpendingLimitsDto',
);
/** The limits of a `SPENDING_LIMITS` policy in a message to the gateway. */
export const SPENDING_LIMITS_MESSAGE = objects(object({ ...SPENDING_LIMIT_FIELDS, scope: scopeOfMany }), {
  most: MAX_POLICY_LIMITS,
  key: ({ id }) => id,
});
export type SpendingLimitsData = JsonOf<typeof SPENDING_LIMITS_DATA>;

export type ArgumentRuleData = ValueOf<typeof ARGUMENT_DATA>;
export type ArgumentRule = ValueOf<typeof ARGUMENT_RULE>;
export type SpendingLimitData = ValueOf<typeof LIMIT_DATA>;
export type SpendingLimit = ValueOf<typeof SPENDING_LIMIT>;

/** One rule of a policy: its fields as owners send and see them, and as the gateway gets them. */
interface RuleDescription<Data extends Fields, Native extends Fields> {
  readonly data: Data;
  readonly native: Native;
  /** @param data what the owner sent, in its stored form */
  readonly toNative: (data: JsonsOf<Data>) => ValuesOf<Native>;
}

function rule<Data extends Fields, Native extends Fields>(
  description: RuleDescription<Data, Native>,
): RuleDescription<Data, Native> {
  return description;
}

type OneField<Name extends string, S> = { readonly [Key in Name]: S };

/** A rule of one field, which the gateway gets as it is stored; null where it is not set. */
function plainRule<Name extends string, Value, Json>(
  name: Name,
  schema: Schema<Value, Json>,
  description: string,
  onWire: (schema: Schema<Value, Json>) => Schema<Value | null, Json | null | undefined> = orNull,
) {
  const data = { [name]: optional(schema, { nullable: true, description }) };
  return rule({
    data: data as OneField<Name, Schema<Value | undefined, Json | undefined> & { readonly isOptional: true }>,
    native: { [name]: onWire(schema) } as OneField<Name, Schema<Value | null, Json | null | undefined>>,
    toNative: (stored) => {
      const json = (stored as Partial<Record<string, unknown>>)[name];
      return { [name]: json === undefined ? null : schema.read(json) } as never;
    },
  });
}

/**
 * The rules of `RULES` policies (docs/architecture/rules.md), each described once: from here come the types, what the
 * dashboard takes and shows, its API document, and what travels to the gateway. The judges are in libs/policy.
 *
 * A rule that is added is `orAbsent` in messages, so that a policy from before it is still read.
 */
export const NATIVE_RULES = {
  inForce: rule({
    data: {
      startsAt: optional(timeSeconds, { nullable: true, description: 'In force from this time on; unix seconds.' }),
      endsAt: optional(timeSeconds, {
        nullable: true,
        description: 'In force until just before this time; unix seconds.',
      }),
    },
    native: { startsAtSeconds: orNull(timeSeconds), endsAtSeconds: orNull(timeSeconds) },
    toNative: ({ startsAt = null, endsAt = null }) => ({ startsAtSeconds: startsAt, endsAtSeconds: endsAt }),
  }),
  senders: rule({
    data: { senders: optional(SENDERS, { nullable: true, description: 'Which smart accounts are sponsored.' }) },
    native: { allowedSenders: orNull(listOfAddresses), deniedSenders: listOfAddresses },
    toNative: ({ senders }) => ({ allowedSenders: senders?.allow ?? null, deniedSenders: senders?.deny ?? [] }),
  }),
  maxCallValueWei: plainRule('maxCallValueWei', digits, 'The most that one call may send, in wei.'),
  maxTotalValueWei: plainRule(
    'maxTotalValueWei',
    digits,
    'The most that all calls of an operation may send together, in wei.',
  ),
  maxCallsPerOperation: plainRule(
    'maxCallsPerOperation',
    integer(1, MAX_CALLS),
    'The most calls that one operation may make.',
    orAbsent,
  ),
  arguments: rule({
    data: {
      arguments: optional(objects(ARGUMENT_DATA, { most: MAX_ARGUMENT_RULES }), {
        nullable: true,
        description: 'Conditions on arguments; all must hold.',
      }),
    },
    native: { arguments: objects(ARGUMENT_RULE, { most: MAX_ARGUMENT_RULES }) },
    toNative: ({ arguments: rules = [] }) => ({
      arguments: rules.map(({ value, ...each }) => ({ ...each, values: [value].flat() as string[] })),
    }),
  }),
  maxFeePercentOfBaseFee: plainRule(
    'maxFeePercentOfBaseFee',
    percent,
    'The highest maxFeePerGas, in percent of the base fee.',
  ),
  maxCallGasPercentOfEstimate: plainRule(
    'maxCallGasPercentOfEstimate',
    percent,
    'The highest callGasLimit, in percent of the estimate.',
  ),
  eip7702Delegates: plainRule(
    'eip7702Delegates',
    listOfAddresses,
    'The EIP-7702 delegates that are sponsored; an empty list is none.',
  ),
  accountFactories: plainRule(
    'accountFactories',
    listOfAddresses,
    'The account factories that are sponsored; an empty list is none.',
  ),
  revertBreaker: plainRule(
    'revertBreaker',
    REVERT_BREAKER,
    'Stops sponsoring while too many of the recent operations reverted.',
  ),
  limits: rule({
    data: {
      limits: optional(objects(LIMIT_DATA, { most: MAX_POLICY_LIMITS }), {
        nullable: true,
        description: 'Budgets; all must have room.',
      }),
    },
    native: { limits: objects(SPENDING_LIMIT, { most: MAX_POLICY_LIMITS, key: ({ id }) => id }) },
    toNative: ({ limits = [] }) => ({ limits: limits.map(toSpendingLimit) }),
  }),
};

/** The id is what the budget stays under: the amount may change, scope, measure and cycle may not. */
function toSpendingLimit<Scope extends LimitScope>({
  scope,
  measure,
  amount,
  cycle,
}: SpendingLimitData & { readonly scope: Scope }): SpendingLimit & { readonly scope: Scope } {
  const units = unitsOf(amount, amountKindOf(measure));
  if (units === undefined) throw new Error(`a stored amount is none: ${amount} ${measure}`);
  const id = [scope, measure, ...(cycle ? [cycle] : [])].join('-');
  return { id, scope, measure, amount: units, cycle: cycle ?? 'LIFETIME' };
}

export type NativeRuleName = keyof typeof NATIVE_RULES;
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Flat<T> = { readonly [Key in keyof T]: T[Key] };
type FieldsOf<Part extends 'data' | 'native'> =
  Intersection<(typeof NATIVE_RULES)[NativeRuleName][Part]> extends infer All extends Fields ? All : never;

/** The native rules as the gateway has them. Null, or an empty list where null is not possible, means no such rule. */
export type NativeRules = Flat<ValuesOf<FieldsOf<'native'>>>;

/** A `RULES` policy as it is stored and shown: what is absent is no rule. */
export type RulesData = Flat<{ readonly priority: number } & JsonsOf<FieldsOf<'data'>>>;

const DESCRIPTIONS = Object.values(NATIVE_RULES);

/** `policyData` of a `RULES` policy, as clients send it and as it is stored. */
export const RULES_DATA = object(
  {
    priority: withDefault(integer(0, MAX_PRIORITY, { description: 'Lower ones are asked first.' }), DEFAULT_PRIORITY),
    ...fieldsOf('data'),
  },
  'RulesDto',
) as unknown as Schema<RulesData, RulesData>;

/** The rules in a message to the gateway. */
export const NATIVE_RULES_MESSAGE = object(fieldsOf('native')) as Schema<NativeRules, JsonsOf<FieldsOf<'native'>>>;

const RULES_FIELDS: ReadonlySet<string> = new Set(['priority', ...Object.keys(fieldsOf('data'))]);

/**
 * The rules that a policy has, as the gateway gets them.
 *
 * @throws {Error} for a rule that a later version has stored: the gateway would sponsor without it
 */
export function nativeRulesOf(data: Partial<RulesData>): NativeRules {
  const stranger = Object.keys(data).find((field) => !RULES_FIELDS.has(field));
  if (stranger !== undefined)
    throw new Error(`a stored policy has a rule that this version does not know: ${stranger}`);
  return Object.assign({}, ...DESCRIPTIONS.map(({ toNative }) => toNative(data as never))) as NativeRules;
}

/** The limits of a stored `SPENDING_LIMITS` policy, as the gateway gets them. @throws {SchemaError} where it has more */
export function spendingLimitsOf(data: SpendingLimitsData): ValueOf<typeof SPENDING_LIMITS_MESSAGE> {
  return SPENDING_LIMITS_DATA.read(data).limits.map(toSpendingLimit);
}

/** No rule at all. */
export const NO_NATIVE_RULES: NativeRules = nativeRulesOf({});

/** The schemas of `policyData` for the API document. */
export function rulesComponents(): OpenApiComponents {
  const components: OpenApiComponents = {};
  RULES_DATA.describe(components);
  SPENDING_LIMITS_DATA.describe(components);
  return components;
}

function fieldsOf<Part extends 'data' | 'native'>(part: Part): FieldsOf<Part> {
  return Object.assign({}, ...DESCRIPTIONS.map((each) => each[part])) as FieldsOf<Part>;
}
