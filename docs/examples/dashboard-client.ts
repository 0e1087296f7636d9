// A typed client of the dashboard, made of its API document and of nothing else:
//   npx openapi-typescript docs/api/dashboard.openapi.json --default-non-nullable false -o dashboard-api.ts
// `npm run lint` makes it and compiles this file.
import type { paths } from 'dashboard-api';

type Path = keyof paths;
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type BodyOf<Operation> = Operation extends { requestBody?: infer Body } ? Json<Body> : never;
type AnswerOf<Operation> = Operation extends { responses: { 200: infer Answer } } ? Json<Answer> : never;
type RefusalOf<Operation> = Operation extends { responses: infer All } ? Json<All[Exclude<keyof All, 200>]> : never;

export interface Keys {
  readonly authToken: string;
  readonly apiKey?: string;
}

/** Calls one operation of a dashboard. */
export async function call<P extends Path, M extends keyof paths[P] & string>(
  dashboard: string,
  { method, path, keys, body }: { method: M; path: P; keys: Keys; body?: BodyOf<paths[P][M]> },
): Promise<AnswerOf<paths[P][M]> | RefusalOf<paths[P][M]>> {
  const response = await fetch(dashboard + path, {
    method: method.toUpperCase(),
    headers: { ...keys, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as AnswerOf<paths[P][M]> | RefusalOf<paths[P][M]>;
}

/** Makes a paymaster that sponsors two operations a day for each smart account. @returns its API key */
export async function twoADay(dashboard: string, authToken: string): Promise<string> {
  const made = await call(dashboard, {
    method: 'post',
    path: '/api/v2/public/sdk/paymaster',
    keys: { authToken },
    body: { name: 'My dapp', type: 'HYBRID', chainId: 31337, version: '2.0.0' },
  });
  if (!('data' in made)) throw new Error(made.message);
  const { apiKey } = made.data;
  const limited = await call(dashboard, {
    method: 'post',
    path: '/api/v2/public/sdk/paymaster-policy',
    keys: { authToken, apiKey },
    body: {
      name: 'Two a day',
      policyType: 'PAYMASTER_SA_LIMIT',
      policyData: {
        type: 'SMART_ACCOUNT',
        cycleDuration: { value: 1, unit: 'day' },
        thresholdType: 'COUNT',
        threshold: 2,
      },
    },
  });
  if (!('data' in limited)) throw new Error(`${limited.reason}: ${limited.message} (request ${limited.requestId})`);
  return apiKey;
}

/** The compiler knows which fields there are. */
export const misspelt = (dashboard: string, keys: Keys) =>
  call(dashboard, {
    method: 'patch',
    path: '/api/v2/public/sdk/paymaster-settings',
    keys,
    // @ts-expect-error The dashboard would refuse it: property maxOperationCostwei should not exist.
    body: { maxOperationCostwei: '1' },
  });
