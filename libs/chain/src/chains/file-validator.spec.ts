import Ajv from 'ajv';
import { isDefinitionOf, isRawSignersFile } from '../signer/set/signers-schema';
import { isRawChainsFile } from './chains-schema';
import { isRawTokenList } from './token-list-schema';

describe('the schema of', () => {
  it.each(
    Object.entries({ chains: isRawChainsFile, tokens: isRawTokenList, signers: isRawSignersFile, ...isDefinitionOf }),
  )('%s is a JSON Schema', (_name, { schema }) => {
    const ajv = new Ajv();
    void ajv.validateSchema(schema);
    expect(ajv.errors ?? []).toEqual([]);
  });
});
