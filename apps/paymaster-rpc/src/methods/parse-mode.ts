import {
  InvalidParamsError,
  SMART_ACCOUNT_VERSIONS,
  type SmartAccountInfo,
  type SmartAccountKind,
} from '@paymaster/domain';
import { INFINITISM_MISSPELT, type ModeName } from '../schemas/mode.schema';

/** The mode object as its schema lets it through. */
export interface RawMode {
  readonly mode?: ModeName;
  readonly calculateGasLimits?: boolean;
  readonly expiryDuration?: number;
  readonly entryPoint?: string;
  readonly sponsorshipInfo?: { readonly smartAccountInfo?: { readonly name: string; readonly version: string } };
  readonly tokenInfo?: object;
  readonly token?: string | null;
}

/** What the client wants, decided. */
export interface SponsoredMode {
  /** As requested, to be echoed: SPONSORED, or its alias. */
  readonly mode: 'SPONSORED' | 'SPONSORSHIP';
  readonly calculateGasLimits: boolean;
  /** Seconds; undefined for the default. */
  readonly expirySeconds: number | undefined;
  readonly account: SmartAccountInfo | undefined;
}

/** Shortest validity a client may ask for; seconds. */
export const MIN_EXPIRY_SECONDS = 120;

/**
 * The core dialect's mode object (spec/decisions section 1): a missing mode follows from the objects sent, and the
 * object that the mode needs must be there.
 *
 * @throws {InvalidParamsError} naming the field; for ERC20 mode, that it is not enabled
 */
export function parseMode(raw: RawMode, field: string): SponsoredMode {
  const mode = raw.mode ?? impliedMode(raw);
  if (!mode) {
    throw new InvalidParamsError(`${field}.mode`, `${field}.mode is missing; send SPONSORED or ERC20.`);
  }
  if (mode === 'ERC20') {
    if (!raw.tokenInfo) throw missing(`${field}.tokenInfo`);
    throw tokenModeNotEnabled(`${field}.mode`);
  }
  if (!raw.sponsorshipInfo) throw missing(`${field}.sponsorshipInfo`);
  if (!raw.sponsorshipInfo.smartAccountInfo) throw missing(`${field}.sponsorshipInfo.smartAccountInfo`);
  return sponsoredMode(raw, mode, field);
}

/** ERC-7677's context: like the mode object, but nothing in it is mandatory. @throws {InvalidParamsError} */
export function parseContext(raw: RawMode | null | undefined, field: string): SponsoredMode {
  if (raw?.token) throw tokenModeNotEnabled(`${field}.token`);
  const mode = raw?.mode ?? impliedMode(raw ?? {}) ?? 'SPONSORED';
  if (mode === 'ERC20') throw tokenModeNotEnabled(`${field}.mode`);
  return sponsoredMode(raw ?? {}, mode, field);
}

/** The mode that the objects sent speak of, where none is named. */
function impliedMode(raw: RawMode): ModeName | undefined {
  if (raw.sponsorshipInfo) return 'SPONSORED';
  return raw.tokenInfo ? 'ERC20' : undefined;
}

function sponsoredMode(raw: RawMode, mode: SponsoredMode['mode'], field: string): SponsoredMode {
  const { expiryDuration } = raw;
  if (expiryDuration !== undefined && expiryDuration !== 0 && expiryDuration < MIN_EXPIRY_SECONDS) {
    throw new InvalidParamsError(
      `${field}.expiryDuration`,
      `${field}.expiryDuration must be at least ${MIN_EXPIRY_SECONDS} seconds, or 0 for the default.`,
    );
  }
  const info = raw.sponsorshipInfo?.smartAccountInfo;
  return {
    mode,
    calculateGasLimits: raw.calculateGasLimits ?? true,
    expirySeconds: expiryDuration === 0 ? undefined : expiryDuration,
    account: info && smartAccount(info, `${field}.sponsorshipInfo.smartAccountInfo`),
  };
}

function smartAccount(info: { name: string; version: string }, field: string): SmartAccountInfo {
  const name = (info.name === INFINITISM_MISSPELT ? 'INFINITISM' : info.name) as SmartAccountKind;
  const versions = SMART_ACCOUNT_VERSIONS[name];
  if (!versions.includes(info.version)) {
    const list = versions.join(', ');
    throw new InvalidParamsError(`${field}.version`, `${field}.version must be one of ${list} for ${name}.`);
  }
  return { name, version: info.version };
}

function missing(field: string): InvalidParamsError {
  return new InvalidParamsError(field, `${field} is missing.`);
}

function tokenModeNotEnabled(field: string): InvalidParamsError {
  return new InvalidParamsError(field, 'ERC20 mode is not enabled for this paymaster.', 'TOKEN_MODE_NOT_ENABLED');
}
