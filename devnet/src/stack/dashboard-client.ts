import type { paths } from '@paymaster/dashboard-api';

const SDK = '/api/v2/public/sdk';
const TIMEOUT_MS = 60_000;

type Method = 'get' | 'post' | 'patch' | 'delete';
type PathOf<M extends Method> = {
  [P in keyof paths]: P extends `${typeof SDK}${infer Path}` ? (paths[P][M] extends object ? Path : never) : never;
}[keyof paths];
type Operation<M extends Method, P extends string> = `${typeof SDK}${P}` extends infer Whole extends keyof paths
  ? paths[Whole][M]
  : never;
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type BodyOf<T> = T extends { requestBody?: infer Body } ? Json<Body> : never;
type QueryOf<T> = T extends { parameters: { query?: infer Query } } ? Query : never;
/** What an operation answers, without the dashboard's envelope. */
type DataOf<T> = T extends { responses: { 200: infer Answer } } ? Json<Answer>['data' & keyof Json<Answer>] : never;

/** An operation as `GET /operation` lists it. */
export type ListedOperation = DataOf<Operation<'get', '/operation'>>['operations'][number];

/** What `POST /paymaster-policy` takes. */
export type NewPolicy = BodyOf<Operation<'post', '/paymaster-policy'>>;

/** The dashboard's REST operations, as its API document types them. Refusals are errors. */
export class DashboardClient {
  constructor(
    private readonly baseUrl: string,
    private readonly authToken: string,
  ) {}

  /**
   * @param path after `/api/v2/public/sdk`
   * @returns `data` of the answer
   * @throws {Error} with the dashboard's message, when it refuses or does not answer within a minute
   */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    { apiKey, query, body }: { apiKey?: string; query?: QueryOf<Operation<M, P>>; body?: BodyOf<Operation<M, P>> } = {},
  ): Promise<DataOf<Operation<M, P>>> {
    const url = new URL(`${this.baseUrl}${SDK}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: {
        authToken: this.authToken,
        ...(apiKey && { apiKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = (await response.json()) as { message: string; data: DataOf<Operation<M, P>> };
    if (!response.ok) throw new Error(`dashboard: ${method} ${path} answered ${response.status} ${answer.message}`);
    return answer.data;
  }
}
