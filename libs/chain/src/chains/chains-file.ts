import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  isInCoin,
  normalizeAddress,
  percentToMillionths,
  sourcesOf,
  toPriceReference,
  type Address,
  type Hex,
  type TokenListing,
} from '@paymaster/domain';
import type {
  BundlerConfig,
  ChainBounds,
  ChainConfig,
  ChainPricing,
  EntryPointConfig,
  GasEstimates,
  KnownAccountsConfig,
} from './chain-config';
import { findWrongChecksum, WRONG_CHECKSUM } from './checksum';
import { isRawChainsFile, type RawBundler, type RawChain, type RawEntryPoint, type RawPricing } from './chains-schema';
import { ChainsFileError, describeSchemaError, readJsonFile } from './config-file';
import { loadTokenList } from './token-list-file';

/**
 * Reads and checks the operator's `chains.json` and the token lists it names.
 *
 * @param path file path; relative ones are taken from the working directory
 * @returns the chains, addresses in lower case, amounts as bigint
 * @throws {ChainsFileError} naming the file and the field
 */
export function loadChainsFile(path: string): readonly ChainConfig[] {
  return parseChains(readJsonFile(path), path);
}

/** The same for a parsed value; `path` names it in errors, and token lists are found relative to it. */
export function parseChains(raw: unknown, path = 'chains.json'): readonly ChainConfig[] {
  if (!isRawChainsFile(raw)) throw new ChainsFileError(path, describeSchemaError(isRawChainsFile.errors?.[0]));
  const mistyped = findWrongChecksum(raw);
  if (mistyped !== undefined) throw new ChainsFileError(path, `${mistyped} ${WRONG_CHECKSUM}`);
  const ids = raw.chains.map((chain) => chain.chainId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new ChainsFileError(path, `chain ${twice} is listed twice`);
  return raw.chains.map((chain, index) => parseChain(chain, { path, field: `chains.${index}` }));
}

function parseChain({ tokenList, ...chain }: RawChain, at: { path: string; field: string }): ChainConfig {
  const pricing = chain.pricing ? parsePricing(chain.pricing, at) : null;
  const bundlers = bundlersOf(chain, at);
  return {
    ...chain,
    bundlers,
    bundlerUrl: bundlers[0]?.url,
    resendAfterBlocks: chain.resendAfterBlocks ?? blocksToLand(chain),
    gasEstimates: gasEstimatesOf(chain, at),
    startBlock: BigInt(chain.startBlock),
    feeMarkupMillionths: BigInt(chain.feeMarkupMillionths),
    entryPoints: parseEntryPoints(chain, at),
    bounds: Object.fromEntries(
      Object.entries(chain.bounds).map(([name, value]) => [name, BigInt(value)]),
    ) as unknown as ChainBounds,
    pricing,
    knownAccounts: parseKnownAccounts(chain, at),
    tokens: tokenList === undefined ? [] : tokensOf(tokenList, { ...at, chainId: chain.chainId, pricing }),
  };
}

/** The bundlers that are listed, or the only one, which is `bundlerUrl`. */
function bundlersOf(
  { bundlerUrl, bundlers, entryPoints }: RawChain,
  { path, field }: { path: string; field: string },
): readonly BundlerConfig[] {
  if (bundlers === undefined) {
    return bundlerUrl === undefined ? [] : [{ name: 'bundler', url: bundlerUrl, kind: 'other', metered: false }];
  }
  if (bundlerUrl !== undefined)
    throw new ChainsFileError(path, `${field} has bundlerUrl and bundlers; put the one into the other`);
  const twice = bundlers.find(({ name }, index) => bundlers.findIndex((other) => other.name === name) !== index);
  if (twice) throw new ChainsFileError(path, `${field}.bundlers names ${twice.name} twice`);
  return bundlers.map((bundler, index) => {
    const at = { path, field: `${field}.bundlers.${index}` };
    const strange = bundler.entryPoints?.find((version) => entryPoints[version] === undefined);
    if (strange)
      throw new ChainsFileError(path, `${at.field}.entryPoints has v${strange}, which the chain does not serve`);
    const { name, kind, metered } = bundler;
    return { name, kind, metered, url: urlOf(bundler, at), entryPoints: bundler.entryPoints };
  });
}

function urlOf({ url, urlFile }: RawBundler, { path, field }: { path: string; field: string }): string {
  if ((url === undefined) === (urlFile === undefined))
    throw new ChainsFileError(path, `${field} needs url or urlFile, and not both`);
  if (urlFile === undefined) return url as string;
  let read: string;
  try {
    read = readFileSync(resolve(dirname(path), urlFile), 'utf8').trim();
  } catch {
    throw new ChainsFileError(path, `${field}.urlFile cannot be read`);
  }
  if (!/^https?:\/\/\S+$/.test(read) || !URL.canParse(read))
    throw new ChainsFileError(path, `${field}.urlFile holds no URL`);
  return read;
}

/** A bundler has ten seconds, and three blocks, before an operation is sent to another one too. */
const blocksToLand = ({ blockTimeSeconds }: RawChain): number => Math.max(3, Math.ceil(10 / blockTimeSeconds));

/** A bundler that is named is asked, unless the file says `own`; with a list of bundlers, only if the file says so. */
function gasEstimatesOf(
  { bundlerUrl, bundlers, gasEstimates = bundlerUrl === undefined ? 'own' : 'bundler' }: RawChain,
  { path, field }: { path: string; field: string },
): GasEstimates {
  if (gasEstimates === 'bundler' && bundlers !== undefined) return gasEstimates;
  if (gasEstimates === 'bundler' && bundlerUrl === undefined)
    throw new ChainsFileError(path, `${field}.gasEstimates is "bundler", and ${field}.bundlerUrl is missing`);
  return gasEstimates;
}

/** A contract that is only followed must not be a `paymaster` too: then gateways would sign for it. */
function parseEntryPoints(
  { chainId, entryPoints }: Pick<RawChain, 'chainId' | 'entryPoints'>,
  { path }: { path: string },
): ChainConfig['entryPoints'] {
  const parsed = Object.entries(entryPoints).map(([version, raw]) => [version, parseEntryPoint(raw)] as const);
  const served = parsed.flatMap(([, { entryPoint, paymaster }]) => [entryPoint, paymaster]);
  const followed = parsed.flatMap(([, { nextPaymaster, drainingPaymasters }]) => [
    ...(nextPaymaster ? [nextPaymaster] : []),
    ...drainingPaymasters,
  ]);
  const twice = followed.find((each, index) => served.includes(each) || followed.indexOf(each) !== index);
  if (twice !== undefined) throw new ChainsFileError(path, `chain ${chainId} names ${twice} twice`);
  return Object.fromEntries(parsed);
}

function parseEntryPoint(raw: RawEntryPoint) {
  const { entryPoint, paymaster, nextPaymaster, drainingPaymasters, tokenGasPercent } = raw;
  return {
    entryPoint: normalizeAddress(entryPoint),
    paymaster: normalizeAddress(paymaster),
    ...(nextPaymaster !== undefined && { nextPaymaster: normalizeAddress(nextPaymaster) }),
    drainingPaymasters: drainingPaymasters.map((each) => normalizeAddress(each)),
    ...(tokenGasPercent !== undefined && { tokenGasPercent }),
  } satisfies EntryPointConfig;
}

/** An account whose code is one of our contracts or an EntryPoint is a mistake in the file. */
function parseKnownAccounts(
  { chainId, knownAccounts, entryPoints }: Pick<RawChain, 'chainId' | 'knownAccounts' | 'entryPoints'>,
  { path }: { path: string },
): KnownAccountsConfig {
  const served = new Set(Object.values(entryPoints).flatMap(({ entryPoint, paymaster }) => [entryPoint, paymaster]));
  const ours = new Set([...served].map((each) => normalizeAddress(each)));
  const once = <T extends Hex>(name: keyof KnownAccountsConfig, listed: readonly T[]): readonly T[] => {
    const twice = listed.find((each, index) => listed.indexOf(each) !== index);
    if (twice) throw new ChainsFileError(path, `chain ${chainId} lists ${twice} twice in knownAccounts.${name}`);
    return listed;
  };
  const parse = (name: Exclude<keyof KnownAccountsConfig, 'codeHashes'>): readonly Address[] => {
    const listed = once(
      name,
      knownAccounts[name].map((each) => normalizeAddress(each)),
    );
    const own = listed.find((each) => ours.has(each));
    if (own) {
      throw new ChainsFileError(path, `chain ${chainId} lists ${own} in knownAccounts.${name}, and in entryPoints`);
    }
    return listed;
  };
  return {
    factories: parse('factories'),
    implementations: parse('implementations'),
    delegates: parse('delegates'),
    codeHashes: once('codeHashes', knownAccounts.codeHashes as Hex[]),
  };
}

function parsePricing(raw: RawPricing, { path, field }: { path: string; field: string }): ChainPricing {
  const native = toPriceReference(raw.native);
  const { sequencer, minSources = null } = raw;
  const inCoin = sourcesOf(native).find(isInCoin);
  if (inCoin)
    throw new ChainsFileError(path, `${field}.pricing.native names ${inCoin}, which is a price in the coin itself`);
  const named = sourcesOf(native).length;
  if (minSources !== null && named < minSources)
    throw new ChainsFileError(path, `${field}.pricing.native names ${named} of ${minSources} sources (minSources)`);
  return {
    native,
    sequencer: sequencer ? { feed: normalizeAddress(sequencer.feed), graceSeconds: sequencer.graceSeconds } : null,
    maxAgeSeconds: raw.maxAgeSeconds,
    feedGraceSeconds: raw.feedGraceSeconds,
    maxDeviationMillionths: percentToMillionths(raw.maxDeviationPercent),
    minSources,
    maxJumpMillionths: percentToMillionths(raw.maxJumpPercent),
  };
}

function tokensOf(
  tokenList: string,
  { path, field, chainId, pricing }: { path: string; field: string; chainId: number; pricing: ChainPricing | null },
): readonly TokenListing[] {
  if (!pricing)
    throw new ChainsFileError(path, `${field}.tokenList needs ${field}.pricing: nobody knows what the coin is worth`);
  return loadTokenList(resolve(dirname(path), tokenList), { chainId, minSources: pricing.minSources ?? 1 });
}
