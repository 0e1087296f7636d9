import { connect } from 'node:net';
import { readStack } from '@paymaster/devnet';

export interface RawAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends exactly these lines (what `fetch` would refuse or tidy up) and reads the answer. */
export function rawCall(lines: readonly string[], body = ''): Promise<RawAnswer> {
  const { hostname, port } = new URL(readStack().dashboard);
  const head = [...lines, `host: ${hostname}:${port}`, 'connection: close', '', ''].join('\r\n');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(head + body, 'latin1')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(parse(Buffer.concat(chunks).toString('utf8'))));
  });
}

function parse(answer: string): RawAnswer {
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const json = /\{[^]*\}/.exec(rest.join('\r\n\r\n'))?.[0];
  return { status: Number(head.split(' ')[1]), body: json && JSON.parse(json) };
}
