import { readFileSync } from 'node:fs';
import { renderOpenApi } from './render-openapi';
import { API_DOCUMENT_FILE, apiDocument, apiOperations, validatorOf, type ApiContent } from './testing/api-document';

const OPERATIONS = [...apiOperations];
const SUCCESS = '200';

/** How an operation is proven; each element is one way. */
function schemesOf(operation: string): object[] {
  const path = operation.split(' ')[1] ?? '';
  if (/^\/session\/(nonce|wallet|code|passkey|mail-link)$/.test(path)) return [];
  if (
    /^\/(session|sessions|person|passkeys|operator)(\/|$)|^\/invitations\/accept$/.test(path) ||
    operation === 'POST /account'
  ) {
    return [{ session: [] }];
  }
  const ofMember = { session: [], accountId: [] };
  if (/^\/(account|members|roles|invitations|auth-tokens)(\/\{|\/second-factor$|$)/.test(path)) return [ofMember];
  const ofAccount = /^(GET|POST) \/paymaster$|\/paymaster\/\{|\/(shared-policy|chains|account\/|events)/.test(
    operation,
  );
  if (ofAccount) return [{ authToken: [] }, ofMember];
  return [
    { authToken: [], apiKey: [] },
    { authToken: [], paymasterId: [] },
    { ...ofMember, paymasterId: [] },
  ];
}

/** Every value under a key, at any depth. */
function valuesUnder(key: string, node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name === key ? [value as unknown] : []),
    ...valuesUnder(key, value),
  ]);
}

const examplesOf = ({ example, examples = {} }: ApiContent): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

describe('docs/api/dashboard.openapi.json', () => {
  it('is what the code says (else: node dist/apps/dashboard/openapi.js docs/api/dashboard.openapi.json --write)', async () => {
    expect(JSON.parse(await renderOpenApi())).toEqual(JSON.parse(readFileSync(API_DOCUMENT_FILE, 'utf8')));
  });

  it('has every schema that it refers to, and refers to every schema that it has', () => {
    const referred = new Set(valuesUnder('$ref', apiDocument));
    const held = Object.keys(apiDocument.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...referred].sort()).toEqual(held.sort());
  });

  it('names every operation once, as a person would', () => {
    const ids = OPERATIONS.map(([, { operationId }]) => operationId);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(OPERATIONS)('%s takes its keys by the security schemes only', (operation, { parameters, security }) => {
    expect(security).toEqual(schemesOf(operation));
    expect(parameters.filter((parameter) => parameter.in === 'header')).toEqual([]);
  });

  it.each(OPERATIONS)('%s documents how it succeeds, and how it refuses what is sent', (_operation, described) => {
    const { requestBody, responses } = described;
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([SUCCESS, '401', '429', ...(requestBody ? ['400'] : [])]),
    );
  });

  it.each(OPERATIONS)('%s shows a valid example of everything that is sent and answered', (_operation, described) => {
    const { requestBody, responses } = described;
    const contents = [...(requestBody ? [requestBody] : []), ...Object.values(responses)].flatMap(({ content }) =>
      Object.values(content),
    );
    for (const content of contents) {
      const validate = validatorOf(content.schema);
      const examples = examplesOf(content);
      expect(examples).not.toEqual([]);
      for (const example of examples)
        expect({ example, errors: (validate(example), validate.errors) }).toMatchObject({ errors: null });
    }
  });
});
