import type { RequestKind } from '../json-rpc/request-kind';
import { contextNamed, modeNamed, type RawMode } from './parse-mode';
import { UNSPONSORED, type SponsoredResult } from './present-sponsorship';

/** `[operation, mode]`, or `[operation, entryPoint, mode]`. */
const coreMode: RequestKind['modeOf'] = ([, second, third]) =>
  modeNamed((typeof second === 'string' ? third : second) as RawMode | undefined);
const contextMode: RequestKind['modeOf'] = ([, , , context]) => contextNamed(context as RawMode | null | undefined);

const signedOrNot: RequestKind['answeredWith'] = (_mode, result) =>
  (result as SponsoredResult).paymasterAndData === UNSPONSORED ? 'userPays' : 'granted';

/** Gives a signature in either mode. */
export const CORE_SIGNATURE: RequestKind = { modeOf: coreMode, answeredWith: signedOrNot };

/** Gives a signature, or prices in tokens. */
export const CORE_SIGNATURE_OR_QUOTES: RequestKind = {
  modeOf: coreMode,
  answeredWith: (mode, result) => (mode === 'token' ? 'quoted' : signedOrNot(mode, result)),
};

/** Says what would be answered, in the core dialect. */
export const CORE_QUESTION: RequestKind = { modeOf: coreMode, answeredWith: () => 'answered' };

/** ERC-7677's final call. */
export const CONTEXT_SIGNATURE: RequestKind = { modeOf: contextMode, answeredWith: () => 'granted' };

/** ERC-7677's first call, which signs nothing. */
export const CONTEXT_QUESTION: RequestKind = { modeOf: contextMode, answeredWith: () => 'answered' };
