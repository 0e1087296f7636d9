import type { LoadRequest } from './load';

/** Asks the dashboard for an owner's paymasters; the answer is right when it lists all of them. */
export function restRequests(authToken: string, names: readonly string[]): () => LoadRequest {
  const head = ['GET /api/v2/public/sdk/paymaster HTTP/1.1', 'host: dashboard.example', `authToken: ${authToken}`];
  const request: LoadRequest = {
    bytes: Buffer.from(`${[...head, 'x-forwarded-for: 198.51.100.7'].join('\r\n')}\r\n\r\n`),
    check({ status, body }) {
      if (status !== 200) throw new Error(`${status} ${body.slice(0, 300)}`);
      const { data } = JSON.parse(body) as { data: ReadonlyArray<{ name: string }> };
      const missing = names.filter((name) => !data.some((each) => each.name === name));
      if (missing.length > 0) throw new Error(`the list lacks ${missing.join(', ')}`);
    },
  };
  return () => request;
}
