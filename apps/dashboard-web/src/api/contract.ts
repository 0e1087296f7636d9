/**
 * Routes that the page uses and that the API document does not have yet. What is merged into the document is taken out
 * here; the compiler says so, because the two would differ.
 */
export type Role = 'owner' | 'editor' | 'viewer' | 'support';

export interface Me {
  readonly person: { personId: string; name: string; walletAddress: string | null; isOperator: boolean };
  readonly accounts: { accountId: string; name: string; role: Role }[];
  readonly session: { sessionId: string; createdAt: string; expiresAt: string };
}

export interface Chain {
  readonly chainId: number;
  readonly name: string;
  readonly explorerUrl?: string | null;
  readonly nativeSymbol: string;
  readonly entryPoints: { version: string; address: string; paymaster: string }[];
  readonly tokenMode: boolean;
}

interface Json<T> {
  headers: Record<string, unknown>;
  content: { 'application/json': T };
}
interface Envelope<T> {
  statusCode: number;
  message: string;
  data: T;
}
interface Refused {
  statusCode: number;
  message: string;
  reason?: string;
  requestId?: string;
}
interface Route<Data, Body = never> {
  parameters: { query?: never; header?: never; path?: never; cookie?: never };
  requestBody?: [Body] extends [never] ? never : { content: { 'application/json': Body } };
  responses: { 200: Json<Envelope<Data>>; 400: Json<Refused> };
}
interface None {
  get?: never;
  put?: never;
  post?: never;
  delete?: never;
  options?: never;
  head?: never;
  patch?: never;
  trace?: never;
}
type With<Routes> = Omit<None, keyof Routes> & Routes;

export interface ContractPaths {
  '/api/v2/public/sdk/session/nonce': With<{ get: Route<{ nonce: string }> }>;
  '/api/v2/public/sdk/session/wallet': With<{ post: Route<Me, { message: string; signature: string }> }>;
  '/api/v2/public/sdk/session/code': With<{ post: Route<Me, { code: string }> }>;
  '/api/v2/public/sdk/session': With<{ get: Route<Me>; delete: Route<undefined> }>;
  '/api/v2/public/sdk/account': With<{ post: Route<{ accountId: string; name: string }, { name: string }> }>;
  '/api/v2/public/sdk/chains': With<{ get: Route<Chain[]> }>;
}
