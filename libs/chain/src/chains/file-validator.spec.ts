import Ajv from 'ajv';
import { isRawChainsFile } from './chains-schema';
import { isRawTokenList } from './token-list-schema';

describe('the schema of', () => {
  it.each(Object.entries({ chains: isRawChainsFile, tokens: isRawTokenList }))(
    '%s is a JSON Schema',
    (_name, { schema }) => {
      const ajv = new Ajv();
      void ajv.validateSchema(schema);
      expect(ajv.errors ?? []).toEqual([]);
    },
  );
});
