import { ADDRESS, fileValidator } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import type { ValidateFunction } from 'ajv';

const PATH = { type: 'string', minLength: 1, maxLength: 1_000 } as const;
/** Without user, query or fragment: secrets come from files. */
const URL_TEXT = { type: 'string', pattern: '^https?://[^\\s?#@]+$' } as const;
const NAME = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,31}$' } as const;

const of = (kind: string, required: readonly string[], properties: Record<string, object>) => ({
  type: 'object',
  required: ['name', 'kind', 'address', ...required],
  additionalProperties: false,
  properties: { name: NAME, kind: { const: kind }, address: ADDRESS, ...properties },
});

const SCHEMAS = {
  keystore: of('keystore', ['keystoreFile', 'passphraseFile'], { keystoreFile: PATH, passphraseFile: PATH }),
  'aws-kms': of('aws-kms', ['keyId', 'region'], {
    keyId: { type: 'string', pattern: '^[A-Za-z0-9:/_-]{1,2048}$' },
    region: { type: 'string', pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]{1,2}$' },
    endpoint: URL_TEXT,
  }),
  vault: of('vault', ['url', 'key', 'tokenFile'], {
    url: URL_TEXT,
    mount: { type: 'string', pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$', default: 'transit' },
    key: { type: 'string', pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$' },
    keyVersion: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    marshaling: { enum: ['asn1', 'jws'], default: 'asn1' },
    namespace: { type: 'string', pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*/?$' },
    tokenFile: PATH,
    caFile: PATH,
  }),
  web3signer: {
    ...of('web3signer', ['url', 'publicKey'], {
      url: URL_TEXT,
      publicKey: { type: 'string', pattern: '^0x[0-9a-fA-F]{128}$' },
      caFile: PATH,
      certFile: PATH,
      keyFile: PATH,
    }),
    dependencies: { certFile: ['keyFile'], keyFile: ['certFile'] },
  },
} as const;

interface Common<Kind extends string> {
  readonly kind: Kind;
  readonly name: string;
  readonly address: Address;
}

export type KeystoreDefinition = Common<'keystore'> & {
  readonly keystoreFile: string;
  readonly passphraseFile: string;
};
export type AwsKmsDefinition = Common<'aws-kms'> & {
  readonly keyId: string;
  readonly region: string;
  readonly endpoint?: string;
};
export type VaultDefinition = Common<'vault'> & {
  readonly url: string;
  readonly mount: string;
  readonly key: string;
  readonly keyVersion?: number;
  readonly marshaling: 'asn1' | 'jws';
  readonly namespace?: string;
  readonly tokenFile: string;
  readonly caFile?: string;
};
export type Web3SignerDefinition = Common<'web3signer'> & {
  readonly url: string;
  readonly publicKey: Hex;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
};

/** One entry of the signers' file, defaults filled in. */
export type SignerDefinition = KeystoreDefinition | AwsKmsDefinition | VaultDefinition | Web3SignerDefinition;

/** The form of the file, without the fields of its entries. */
export const isRawSignersFile = fileValidator<{ signers: Array<{ kind: SignerDefinition['kind'] }> }>({
  type: 'object',
  required: ['signers'],
  additionalProperties: false,
  properties: {
    signers: {
      type: 'array',
      minItems: 1,
      maxItems: 8,
      items: { type: 'object', required: ['kind'], properties: { kind: { enum: Object.keys(SCHEMAS) } } },
    },
  },
});

/** An entry, by its kind; fills in defaults. */
export const isDefinitionOf: Readonly<Record<SignerDefinition['kind'], ValidateFunction>> = {
  keystore: fileValidator(SCHEMAS.keystore),
  'aws-kms': fileValidator(SCHEMAS['aws-kms']),
  vault: fileValidator(SCHEMAS.vault),
  web3signer: fileValidator(SCHEMAS.web3signer),
};
