import { HttpStatus, type INestApplication } from '@nestjs/common';
import { DocumentBuilder, getSchemaPath, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { rulesComponents } from '@paymaster/domain';
import { InvalidBodyError, TooManyRequestsError, WrongOriginError, type DashboardError } from './dashboard-errors';
import { errorRowOf, type ErrorRow } from './error-table';
import { Examples, type Schema, type Schemas } from './openapi-examples';
import {
  ANSWER,
  CALLER,
  INTERFACE_ROW,
  NO_FIELDS,
  type AnswerDescription,
  type CallerDescription,
} from './openapi.decorators';
import { InterfaceRefusalView, RefusalView, toRefusalView } from './refusal.view';
import { SDK_PATH } from './api-controller.decorator';
import { unknownField } from './wrong-fields';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
type Responses = Operation['responses'];
type Content = NonNullable<Exclude<Responses[string], { $ref: string } | undefined>['content']>;

const DESCRIPTION =
  'Register paymasters, say which contract methods they sponsor, and which wallet pays. ' +
  'Every answer is an envelope {statusCode, message, data?}. ' +
  'Operations marked x-interface-row are those of the service interface: they ignore unknown fields of their bodies, ' +
  'and their errors have statusCode and message only. ' +
  'Programs send the header authToken. People sign in to the page, and send its cookie with the header accountId. ' +
  'All others refuse an unknown field by its name, and their errors have reason and requestId too. ' +
  'Who sends the header Prefer: return=minimal (RFC 7240) is answered without data.';

const TAGS: Readonly<Record<string, string>> = {
  people: 'People who sign in to the page, and their sessions.',
  accounts: 'The account, its members, invitations and auth tokens.',
  chains: 'Chains that the operator serves.',
  paymasters: 'Paymasters (dapps) of the account, and their API keys.',
  'paymaster settings': 'What a paymaster sponsors beside its whitelist, and its bounds.',
  'smart contracts': 'Contracts of a paymaster, and the methods that it sponsors.',
  tokens: 'Tokens in which users can pay.',
  'paymaster policies': 'Rules and budgets of sponsorship.',
  'shared policies': 'Rules and budgets of the account, over paymasters on several chains.',
  'funding wallet': 'The wallet whose gas deposit pays.',
  operations: 'What became of operations, and what they cost.',
  'audit log': 'Who changed what, and when.',
  alerts: 'People who are told when something is wrong.',
  webhooks: 'Who is asked for decisions and told about operations.',
};

const STATUSES: Readonly<Record<number, string>> = {
  [HttpStatus.BAD_REQUEST]: 'What was sent is wrong, or cannot be done; the message says what.',
  [HttpStatus.UNAUTHORIZED]: 'A header is missing, the authToken is wrong, or nobody is signed in.',
  [HttpStatus.FORBIDDEN]: 'The caller may not do that, or another page sent it.',
  [HttpStatus.NOT_FOUND]: 'What was named is not there, or is another account’s.',
  [HttpStatus.CONFLICT]: 'Something has changed meanwhile.',
  [HttpStatus.TOO_MANY_REQUESTS]: 'Too many requests; see Retry-After.',
  [HttpStatus.SERVICE_UNAVAILABLE]: 'Something that is needed does not answer at the moment; see Retry-After.',
};

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' as const } } };
const REQUEST_ID = 'c6f5a6a1-2f0e-4a53-9a3a-7a54b1b7c9d0';
const MIT = 'https://opensource.org/license/mit';

/** The OpenAPI document of the REST operations, from the controllers and their DTOs. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Paymaster dashboard')
    .setDescription(DESCRIPTION)
    .setVersion('2')
    .setLicense('MIT', MIT)
    .addServer('/', 'The dashboard that shows this document.')
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'authToken', description: 'The token of the account.' },
      'authToken',
    )
    .addApiKey({ type: 'apiKey', in: 'header', name: 'apiKey', description: 'The key of the paymaster.' }, 'apiKey')
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'paymasterId', description: 'In place of apiKey. Both: of one paymaster.' },
      'paymasterId',
    )
    .addCookieAuth(
      '__Host-paymaster-session',
      {
        type: 'apiKey',
        in: 'cookie',
        description: 'A person who is signed in to the page. A change then needs Origin: the address of the page.',
      },
      'session',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'accountId', description: 'The account for which the person acts.' },
      'accountId',
    );
  for (const [name, description] of Object.entries(TAGS)) config.addTag(name, description);
  const { paths, components, ...document } = SwaggerModule.createDocument(app, config.build(), {
    extraModels: [InterfaceRefusalView, RefusalView],
  });
  const schemas: Schemas = { ...components?.schemas, ...rulesComponents() };
  // Other paths are for probes; clients must not rely on them.
  const described = Object.entries(paths)
    .filter(([path]) => path.startsWith(`/${SDK_PATH}`))
    .map(([path, item]): [string, PathItem] => [path, describePath(item, schemas)])
    .sort(([, one], [, other]) => placeOfTag(one) - placeOfTag(other));
  return { ...document, paths: Object.fromEntries(described), components: { ...components, schemas } };
}

/** The document lists paths in the order of their tags, so that it does not depend on Nest's modules. */
function placeOfTag(item: PathItem): number {
  const [operation] = Object.values(item) as Operation[];
  const [tag = ''] = operation?.tags ?? [];
  // A tag without a description comes last.
  return [...Object.keys(TAGS), tag].indexOf(tag);
}

/** The document at /docs-json, and as a page at /docs. */
export function serveOpenApi(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => buildOpenApi(app));
}

function describePath(item: PathItem, schemas: Schemas): PathItem {
  const operations = Object.entries(item as Record<string, Operation>);
  return Object.fromEntries(
    operations.map(([method, operation]) => [method, describe(method, operation, schemas)]),
  ) as PathItem;
}

/** Adds to an operation what its decorators say: the headers that it needs, its answers, and examples of both. */
function describe(method: string, sent: Operation, schemas: Schemas): Operation {
  const {
    [ANSWER]: answer,
    [CALLER]: caller,
    [NO_FIELDS]: takesNoFields,
    ...operation
  } = sent as Operation & {
    [ANSWER]: AnswerDescription;
    [CALLER]: CallerDescription;
    [INTERFACE_ROW]?: true;
    [NO_FIELDS]?: true;
  };
  const isInterfaceRow = operation[INTERFACE_ROW] === true;
  const examples = new Examples(schemas);
  const body = bodyOf(operation);
  if (body && !isInterfaceRow) refuseUnknownFields(body.schema, schemas);
  if (body) body.example = examples.ofBody(body.schema);
  const refusals = [
    ...caller.refusals,
    ...(method === 'get' ? [] : [new WrongOriginError()]),
    ...(body ? [new InvalidBodyError('The body must be a JSON object')] : []),
    ...(takesNoFields ? [new InvalidBodyError(unknownField('reason'))] : []),
    ...(answer.refusals ?? []),
    new TooManyRequestsError(1),
  ];
  return {
    ...operation,
    security: [...caller.security],
    responses: {
      200: { description: 'Done.', content: successOf(answer, examples) },
      ...describeAll(refusals, isInterfaceRow),
    },
  };
}

/** The JSON of a body, which the caller may change. */
function bodyOf({ requestBody }: Operation): { schema: Schema; example?: unknown } | undefined {
  const content = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
  return content?.schema && (content as { schema: Schema });
}

/** Marks the schema of an object, and of all objects in it, as having no other fields. */
function refuseUnknownFields(schema: Schema, schemas: Schemas): void {
  if ('$ref' in schema) {
    const found = schemas[schema.$ref.split('/').at(-1) ?? ''];
    if (found) refuseUnknownFields(found, schemas);
    return;
  }
  const { items, properties, allOf = [], anyOf = [], oneOf = [] } = schema;
  if (properties) schema.additionalProperties = false;
  const inside = [...Object.values(properties ?? {}), ...(items ? [items] : []), ...allOf, ...anyOf, ...oneOf];
  for (const each of inside) refuseUnknownFields(each, schemas);
}

function successOf({ data, message, warning, csv, events }: AnswerDescription, examples: Examples): Content {
  if (events !== undefined) return { 'text/event-stream': { schema: { type: 'string' }, example: events } };
  if (csv !== undefined) return { 'text/csv': { schema: { type: 'string' }, example: csv } };
  const model = [data].flat()[0];
  const item = model && { $ref: getSchemaPath(model) };
  const schema: Schema = {
    type: 'object',
    required: ['statusCode', 'message', ...(item ? ['data'] : [])],
    properties: {
      statusCode: { type: 'integer', example: HttpStatus.OK },
      message: { type: 'string', example: message },
      ...(item && { data: Array.isArray(data) ? { type: 'array', items: item } : item }),
      ...(warning && { warnings: { type: 'array', items: { type: 'string', example: warning } } }),
    },
  };
  return { 'application/json': { schema, example: examples.ofAnswer(schema) } };
}

/** The refusals by status. The example of each is the body that the service really sends. */
function describeAll(refusals: readonly DashboardError[], isInterfaceRow: boolean): Responses {
  const schema = { $ref: getSchemaPath(isInterfaceRow ? InterfaceRefusalView : RefusalView) };
  const statuses = [...new Set(refusals.map((error) => rowOf(error).httpStatus))];
  const responses = statuses.map((status) => {
    const same = refusals.filter((error) => rowOf(error).httpStatus === status);
    const examples = same.map((error, at) => {
      const { message, reason } = error;
      const statusCode = rowOf(error).bodyStatusCode;
      const value = toRefusalView({ statusCode, message, reason, requestId: REQUEST_ID }, { isInterfaceRow });
      const twins = same.slice(0, at).filter((before) => before.reason === reason).length;
      return [twins > 0 ? `${reason}_${twins + 1}` : reason, { summary: message, value }] as const;
    });
    const response = {
      description: STATUSES[status] ?? '',
      ...(same.some((error) => 'retryAfterSeconds' in error) && { headers: RETRY_AFTER }),
      content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
    };
    return [status, response] as const;
  });
  return Object.fromEntries(responses);
}

function rowOf(error: DashboardError): ErrorRow {
  const row = errorRowOf(error);
  if (!row) throw new Error(`${error.name} has no row in the error table`);
  return row;
}
