import { readStack } from '@paymaster/devnet';
import type { Page } from 'playwright-core';

const SDK = '/api/v2/public/sdk';

interface Question {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly accountId: string;
}

/** Asks the dashboard with the session of the tab. @throws {Error} with the message of a refusal */
export async function askAsPage(page: Page, { method, path, body, accountId }: Question): Promise<void> {
  const headers = { origin: readStack().dashboard, accountId };
  const answer = await page.request.fetch(SDK + path, { method, headers, data: body });
  if (!answer.ok()) throw new Error(`${method} ${path}: ${await answer.text()}`);
}
