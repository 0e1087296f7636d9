import {
  CHARGING_WAYS,
  ID_PATTERN,
  isSponsorIcon,
  LOGO_URL_PATTERN,
  ZERO_ADDRESS,
  type Field,
  type FieldTable,
} from '@paymaster/domain';
import {
  atMost,
  both,
  integer,
  isAddress,
  isCount,
  isFlag,
  isText,
  isWei,
  listOf,
  matching,
  oneOf,
  orAbsent,
  orNull,
  text,
  withoutTwins,
  type Check,
} from './checks';
import { isNetwork, isServerNetwork, MAX_SERVERS } from './networks';

export const MAX_PREMIUM_MILLIONTHS = 1_000_000;
export const MAX_ORIGIN_LENGTH = 300;

/** A JSON-RPC method of a chain or a paymaster by its wire name. */
export const RPC_METHOD_PATTERN = /^[a-z][a-z0-9]{0,31}_[A-Za-z0-9]{1,64}$/;

/** What a field must be in a message. Some bounds are wider than those for owners, which a later version may move. */
export function checkOf(field: Field): Check {
  return field.mayBeAbsent ? orAbsent(checkOfKind(field)) : checkOfKind(field);
}

const ITEMS: Readonly<Record<(Field & { readonly kind: 'list' })['of'], Check>> = {
  origin: text(1, MAX_ORIGIN_LENGTH),
  network: isNetwork,
  address: isAddress,
  method: matching(RPC_METHOD_PATTERN),
  id: matching(ID_PATTERN),
};

function checkOfKind(field: Field): Check {
  switch (field.kind) {
    case 'flag':
      return isFlag;
    case 'choice':
      return oneOf(field.words);
    case 'seconds':
      return isCount;
    case 'count':
      return integer(1, 1_000_000);
    case 'percent':
      return integer(Math.min(1, field.from), 100);
    case 'premium':
      return integer(0, MAX_PREMIUM_MILLIONTHS);
    case 'wei':
      return orNull(isWei);
    case 'address':
      return orNull((value) => isAddress(value) && value !== ZERO_ADDRESS);
    case 'name':
      return orNull(isText);
    case 'icon':
      return orNull(isSponsorIcon);
    case 'logo':
      return orNull(matching(LOGO_URL_PATTERN));
    case 'origins':
      return listOf(isText);
    case 'servers':
      return both(withoutTwins(listOf(isServerNetwork)), atMost(MAX_SERVERS));
    case 'ways':
      return withoutTwins(listOf(oneOf(CHARGING_WAYS)));
    case 'list':
      return orNull(both(both(withoutTwins(listOf(ITEMS[field.of])), atMost(field.to)), isNotEmpty));
  }
}

/** An empty list could be read as no restriction. */
const isNotEmpty: Check = (value) => (value as unknown[]).length > 0;

/** The fields as they came, with wei as bigint, and the standard of each field that an older dashboard does not know. */
export function fromWire<Fields extends object>(table: FieldTable, message: object): Fields {
  const fields: Record<string, unknown> = { ...message };
  for (const [name, { kind, standard, mayBeAbsent }] of Object.entries(table)) {
    const sent = fields[name];
    if (mayBeAbsent && sent === undefined) fields[name] = standard;
    else if (kind === 'wei' && typeof sent === 'string') fields[name] = BigInt(sent);
  }
  return fields as Fields;
}
