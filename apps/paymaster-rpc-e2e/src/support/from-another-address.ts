import { request } from 'node:http';
import { parsed, type RpcAnswer, type RpcCall } from './json-rpc';

/** All of 127.0.0.0/8 is this machine; requests usually come from 127.0.0.1. */
const ANOTHER_ADDRESS = '127.0.0.2';

/** A JSON-RPC call that the gateway sees coming from another client than all others. */
export async function askFromAnotherAddress({ url, method, params, id = 1 }: RpcCall): Promise<RpcAnswer> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', localAddress: ANOTHER_ADDRESS, headers: { 'content-type': 'application/json' } };
    const outgoing = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        const elapsedMs = performance.now() - started;
        const answer = { status: response.statusCode ?? 0, headers: new Headers(), text, elapsedMs };
        try {
          resolve(parsed(answer));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    outgoing.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  });
}
