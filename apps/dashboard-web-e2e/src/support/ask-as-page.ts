import type { Page } from 'playwright-core';

const SDK = '/api/v2/public/sdk';

interface Question {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly accountId: string;
}

/** Asks the dashboard with the session of the page. @throws {Error} with the message of a refusal */
export async function askAsPage(page: Page, { method, path, body, accountId }: Question): Promise<void> {
  const init = JSON.stringify({
    method,
    headers: { 'content-type': 'application/json', accountId },
    body: JSON.stringify(body),
  });
  const refusal = await page.evaluate<string>(
    `fetch(${JSON.stringify(SDK + path)}, ${init}).then(async (answer) => (answer.ok ? '' : answer.text()))`,
  );
  if (refusal) throw new Error(`${method} ${path}: ${refusal}`);
}
