import { createServer } from 'node:http';

/**
 * A server that stands for one of a vendor's, at a free port of this machine.
 *
 * @param answer what it answers, from a request's path and its JSON body
 * @returns its address, without a path
 */
export async function serve(answer) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const answered = await answer(request.url, body && JSON.parse(body));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answered));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}
