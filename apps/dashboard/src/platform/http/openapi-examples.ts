import type { OpenAPIObject } from '@nestjs/swagger';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type Schema = Schemas[string];

const OF_FORMAT: Readonly<Record<string, string>> = {
  uuid: '7ea9dae1-9a06-4c17-a4fb-7728177b76d3',
  'date-time': '2026-01-31T12:00:00.000Z',
};

/** Makes examples of schemas from the examples of their properties. */
export class Examples {
  constructor(private readonly schemas: Schemas) {}

  /** An example of an answer, with all of its fields. */
  ofAnswer(schema: Schema): unknown {
    return this.make(schema, 'the answer', () => true);
  }

  /** An example of a request: all required fields, and those optional fields that have an example. */
  ofBody(schema: Schema): unknown {
    return this.make(schema, 'the body', (property, isRequired) => {
      if ('$ref' in property) return isRequired;
      return !property.readOnly && (isRequired || property.example !== undefined);
    });
  }

  /** @throws {Error} naming the property that has no example */
  private make(schema: Schema, path: string, isShown: (property: Schema, isRequired: boolean) => boolean): unknown {
    if ('$ref' in schema) {
      const name = schema.$ref.split('/').at(-1) ?? '';
      return this.make(this.find(name), name, isShown);
    }
    const [first] = schema.allOf ?? schema.anyOf ?? schema.oneOf ?? [];
    if (schema.example !== undefined) return schema.example;
    if (schema.default !== undefined) return schema.default;
    if (schema.enum) return schema.enum[0];
    if (first) return this.make(first, path, isShown);
    if (schema.type === 'array') return schema.items ? [this.make(schema.items, `${path}[]`, isShown)] : [];
    if (schema.type === 'object') {
      const shown = Object.entries(schema.properties ?? {}).filter(([key, property]) =>
        isShown(property, schema.required?.includes(key) ?? false),
      );
      return Object.fromEntries(shown.map(([key, property]) => [key, this.make(property, `${path}.${key}`, isShown)]));
    }
    if (schema.nullable) return null;
    if (schema.type === 'boolean') return true;
    if (schema.minimum !== undefined) return schema.minimum;
    if (schema.minimum !== undefined) return schema.minimum;
    const ofFormat = OF_FORMAT[schema.format ?? ''];
    if (ofFormat !== undefined) return ofFormat;
    throw new Error(`${path} has no example`);
  }

  private find(name: string): Schema {
    const schema = this.schemas[name];
    if (!schema) throw new Error(`the schema ${name} is referred to and missing`);
    return schema;
  }
}
