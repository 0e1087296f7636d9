import type { TokenPermit } from '@paymaster/chain';
import { InvalidParamsError, normalizeAddress } from '@paymaster/domain';
import type { SmartAccountInfo } from '@paymaster/policy';
import type { NamedTokens } from '../../../decide/tokens/named-tokens';
import type { WebhookData } from '../../../decide/webhooks/decision-question';
import { readErc20Context, type RawErc20Context } from './erc20-context';
import type { ModeName } from './mode.schema';
import { parsePermit, type RawPermit } from './parse-permit';
import { parseSmartAccount } from './parse-smart-account';

/** What a request in any mode says. */
export interface CommonMode {
  readonly calculateGasLimits: boolean;
  /** Seconds; undefined for the default. */
  readonly expirySeconds: number | undefined;
  /** A hint at how the account is to be read. */
  readonly account: SmartAccountInfo | undefined;
}

/** The client wants to be sponsored. */
export interface SponsoredMode extends CommonMode {
  /** As requested, to be echoed: SPONSORED, or its alias. */
  readonly mode: 'SPONSORED' | 'SPONSORSHIP';
  /** For the owner's decision webhook. */
  readonly webhookData: WebhookData | undefined;
}

/** The client wants to pay in a token. */
export interface TokenMode extends CommonMode {
  readonly mode: 'ERC20';
  readonly tokens: NamedTokens;
  readonly permit: TokenPermit | undefined;
  /** The most that the sender agrees to pay, where the client says so; base units. */
  readonly maxTokenCharge?: bigint | undefined;
  /** Where the client asked for token mode, for errors. */
  readonly field: string;
}

/** Which mode the client wants. */
export type RequestedMode = SponsoredMode | TokenMode;

/** `tokenInfo` after the schema has checked it. */
interface RawTokenInfo {
  readonly preferredToken?: string | null;
  readonly feeTokenAddress?: string | null;
  readonly tokenList?: ReadonlyArray<string | null> | null;
  readonly permit?: RawPermit | null;
}

/** The mode object after the schema has checked it. */
export interface RawMode {
  readonly mode?: ModeName;
  readonly calculateGasLimits?: boolean;
  readonly expiryDuration?: number;
  readonly entryPoint?: string;
  readonly sponsorshipInfo?: {
    readonly smartAccountInfo?: { readonly name: string; readonly version: string };
    readonly webhookData?: object;
  };
  readonly tokenInfo?: RawTokenInfo;
  /** ERC-7677 contexts only. */
  readonly token?: string | null;
  /** ERC-7677 contexts only. */
  readonly permit?: RawPermit | null;
  /** Contexts of Alchemy's clients only. */
  readonly erc20Context?: RawErc20Context | null | undefined;
}

/** Shortest validity a client may ask for; seconds. */
export const MIN_EXPIRY_SECONDS = 120;

/**
 * Reads Biconomy's mode object. A missing mode follows from the objects that were sent. The object that the mode needs
 * must be there; other objects may be there too, because real clients send both.
 *
 * @throws {InvalidParamsError} naming the field
 */
export function parseMode(raw: RawMode, field: string): RequestedMode {
  const mode = raw.mode ?? impliedMode(raw);
  if (!mode) {
    throw new InvalidParamsError(`${field}.mode`, `${field}.mode is missing; send SPONSORED or ERC20.`);
  }
  if (mode === 'ERC20') {
    if (!raw.tokenInfo) throw missing(`${field}.tokenInfo`);
    return parseTokenMode(commonMode(raw, field), raw.tokenInfo, {
      mode: `${field}.mode`,
      token: `${field}.tokenInfo.${namedTokenIn(raw.tokenInfo)}`,
      permit: `${field}.tokenInfo.permit`,
    });
  }
  if (!raw.sponsorshipInfo) throw missing(`${field}.sponsorshipInfo`);
  if (!raw.sponsorshipInfo.smartAccountInfo) throw missing(`${field}.sponsorshipInfo.smartAccountInfo`);
  return { mode, ...commonMode(raw, field), webhookData: webhookDataOf(raw, field) };
}

/**
 * ERC-7677's context: `{ token, permit? }`, `{ erc20Context }`, or like the mode object with nothing in it mandatory for
 * sponsorship.
 *
 * @throws {InvalidParamsError}
 */
export function parseContext(raw: RawMode | null | undefined, field: string): RequestedMode {
  if (raw?.erc20Context) return parseErc20Context(raw, raw.erc20Context, field);
  if (raw?.token) return parseTokenContext(raw, field);
  const mode = raw?.mode ?? impliedMode(raw ?? {}) ?? 'SPONSORED';
  if (mode === 'ERC20') return parseMode({ ...raw, mode }, field);
  return { mode, ...commonMode(raw ?? {}, field), webhookData: webhookDataOf(raw ?? {}, field) };
}

function parseTokenContext(raw: RawMode, field: string): TokenMode {
  if (raw.mode && raw.mode !== 'ERC20') {
    throw new InvalidParamsError(`${field}.mode`, `${field}.mode must be ERC20, or left out, beside token.`);
  }
  const { token = null, permit = null } = raw;
  return parseTokenMode(
    commonMode(raw, field),
    { feeTokenAddress: token, permit },
    { mode: `${field}.token`, token: `${field}.token`, permit: `${field}.permit` },
  );
}

function parseErc20Context(raw: RawMode, context: RawErc20Context, field: string): TokenMode {
  const at = `${field}.erc20Context`;
  for (const name of ['token', 'permit', 'tokenInfo', 'sponsorshipInfo', 'mode'] as const) {
    if (!raw[name] || raw[name] === 'ERC20') continue;
    throw new InvalidParamsError(`${field}.${name}`, `${field}.${name} is not taken beside erc20Context.`);
  }
  const { token, permit, maxTokenCharge } = readErc20Context(context, at);
  const fields = { mode: at, token: `${at}.tokenAddress`, permit: `${at}.permit` };
  return { ...parseTokenMode(commonMode(raw, field), { feeTokenAddress: token, permit }, fields), maxTokenCharge };
}

/** The field that names the token to pay in: `feeTokenAddress`, else `preferredToken`, else a list of one token. */
function namedTokenIn({ feeTokenAddress, preferredToken, tokenList }: RawTokenInfo): string {
  if (feeTokenAddress) return 'feeTokenAddress';
  if (preferredToken) return 'preferredToken';
  return new Set(tokenList?.filter(Boolean)).size === 1 ? 'tokenList' : 'feeTokenAddress';
}

/** The names of fields in a request, for errors. */
interface TokenFieldNames {
  /** The field that says that token mode is meant. */
  readonly mode: string;
  /** The field that names the token to pay in. */
  readonly token: string;
  readonly permit: string;
}

/**
 * The tokens that a client names. Null entries of the list are left out, because SDKs send them.
 *
 * @throws {InvalidParamsError} naming the field of the permit
 */
function parseTokenMode(common: CommonMode, tokenInfo: RawTokenInfo, fields: TokenFieldNames): TokenMode {
  const { feeTokenAddress, preferredToken, tokenList, permit } = tokenInfo;
  return {
    mode: 'ERC20',
    ...common,
    tokens: {
      feeToken: feeTokenAddress ? normalizeAddress(feeTokenAddress) : undefined,
      preferred: preferredToken ? normalizeAddress(preferredToken) : undefined,
      list: [...new Set((tokenList ?? []).flatMap((token) => (token ? [normalizeAddress(token)] : [])))],
      field: fields.token,
    },
    permit: permit ? parsePermit(permit, fields.permit) : undefined,
    field: fields.mode,
  };
}

/** The mode that follows from the objects that were sent, if the client names no mode. */
function impliedMode(raw: RawMode): ModeName | undefined {
  if (raw.sponsorshipInfo) return 'SPONSORED';
  return raw.tokenInfo ? 'ERC20' : undefined;
}

function commonMode(raw: RawMode, field: string): CommonMode {
  const { expiryDuration } = raw;
  if (expiryDuration !== undefined && expiryDuration !== 0 && expiryDuration < MIN_EXPIRY_SECONDS) {
    throw new InvalidParamsError(
      `${field}.expiryDuration`,
      `${field}.expiryDuration must be at least ${MIN_EXPIRY_SECONDS} seconds, or 0 for the default.`,
    );
  }
  const info = raw.sponsorshipInfo?.smartAccountInfo;
  return {
    calculateGasLimits: raw.calculateGasLimits ?? true,
    expirySeconds: expiryDuration === 0 ? undefined : expiryDuration,
    account: info && parseSmartAccount(info, `${field}.sponsorshipInfo.smartAccountInfo`),
  };
}

function webhookDataOf({ sponsorshipInfo }: RawMode, field: string): WebhookData | undefined {
  const value = sponsorshipInfo?.webhookData;
  return value && { value, field: `${field}.sponsorshipInfo.webhookData` };
}

function missing(field: string): InvalidParamsError {
  return new InvalidParamsError(field, `${field} is missing.`);
}
