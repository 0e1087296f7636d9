import { describeSchemaError } from '@paymaster/chain';
import { normalizeAddress, type Hex } from '@paymaster/domain';
import { getBytes } from 'ethers';
import { addressOfPublicKey } from '../signer/public-key-address';
import { SignerKeyError } from '../signer/signer-error';
import { isDefinitionOf, isRawSignersFile, type SignerDefinition } from './signers-schema';

const LOOPBACK = /^(127(\.[0-9]+){3}|\[::1\]|localhost)$/;

/**
 * Checks the signers' file.
 *
 * @param path only names it in errors
 * @param nodeEnv in development a signer may be reached without TLS; elsewhere only on this machine
 * @throws {SignerKeyError} naming the file, the entry and the field
 */
export function parseSigners(
  raw: unknown,
  { path, nodeEnv }: { path: string; nodeEnv: string | undefined },
): readonly SignerDefinition[] {
  if (!isRawSignersFile(raw)) throw new SignerKeyError(`${path}: ${describeSchemaError(isRawSignersFile.errors?.[0])}`);
  const definitions: SignerDefinition[] = [];
  raw.signers.forEach((entry, index) => {
    const isDefinition = isDefinitionOf[entry.kind];
    if (!isDefinition(entry))
      throw new SignerKeyError(`${path}: signers.${index}${describeField(isDefinition.errors)}`);
    const definition = normalized(entry as SignerDefinition);
    const problem = problemOf(definition, { others: definitions, nodeEnv });
    if (problem) throw new SignerKeyError(`${path}: signers.${index}.${problem}`);
    definitions.push(definition);
  });
  return definitions;
}

function describeField(errors: Parameters<typeof describeSchemaError>[0][] | null | undefined): string {
  const text = describeSchemaError(errors?.[0]);
  return text.startsWith('the file ') ? text.slice('the file'.length) : `.${text}`;
}

function normalized(entry: SignerDefinition): SignerDefinition {
  const address = normalizeAddress(entry.address);
  if (entry.kind !== 'web3signer') return { ...entry, address };
  return { ...entry, address, publicKey: entry.publicKey.toLowerCase() as Hex };
}

/** Problems that no schema finds, as `field problem`. */
function problemOf(
  definition: SignerDefinition,
  { others, nodeEnv }: { others: readonly SignerDefinition[]; nodeEnv: string | undefined },
): string | undefined {
  const { name, address } = definition;
  if (others.some((other) => other.name === name)) return `name ${name} is there twice`;
  if (others.some((other) => other.address === address)) return `address ${address} is there twice`;
  const [field, url] = endpointOf(definition);
  if (url !== undefined && !isSafe(url, nodeEnv))
    return `${field} must be https: what is sent there must not be read or changed on the way`;
  if (definition.kind !== 'web3signer') return undefined;
  const ofKey = addressOfPublicKey(getBytes(definition.publicKey));
  return ofKey === address ? undefined : `publicKey has the address ${ofKey}, not ${address}`;
}

function endpointOf(definition: SignerDefinition): [field: string, url: string | undefined] {
  switch (definition.kind) {
    case 'keystore':
      return ['', undefined];
    case 'aws-kms':
      return ['endpoint', definition.endpoint];
    case 'vault':
    case 'web3signer':
      return ['url', definition.url];
  }
}

function isSafe(text: string, nodeEnv: string | undefined): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return false;
  return url.protocol === 'https:' || nodeEnv === 'development' || LOOPBACK.test(url.hostname);
}
