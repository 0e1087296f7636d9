import Ajv from 'ajv';
import { isDefinitionOf, isRawSignersFile } from './signers-schema';

describe('the schema of', () => {
  it.each(Object.entries({ signers: isRawSignersFile, ...isDefinitionOf }))(
    '%s is a JSON Schema',
    (_name, { schema }) => {
      const ajv = new Ajv();
      void ajv.validateSchema(schema);
      expect(ajv.errors ?? []).toEqual([]);
    },
  );
});
