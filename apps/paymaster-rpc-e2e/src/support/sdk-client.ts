import { execFile } from 'node:child_process';
import { join } from 'node:path';

const CLIENTS = join(__dirname, '../../clients');

/** The published clients, each in a process of its own with its own dependencies. */
export const SDK_CLIENTS = {
  '@biconomy/account 4.6.3': 'biconomy-account-v4.mjs',
  '@biconomy/paymaster 3.1.4': 'biconomy-paymaster-v3.cjs',
} as const;
export type SdkClient = keyof typeof SDK_CLIENTS;

export interface SdkRequest {
  readonly paymasterUrl: string;
  readonly method: 'getPaymasterFeeQuotesOrData' | 'getPaymasterAndData' | 'buildTokenApprovalTransaction';
  /** What the method takes: mostly the operation, then the client's own options (mode, smartAccountInfo and so on). */
  readonly args: readonly unknown[];
}

/** What the developer gets: a value, or the text of what was thrown. */
export type SdkOutcome =
  | { readonly returned: Readonly<Record<string, unknown>> }
  | { readonly thrown: { readonly message: string; readonly code?: number } };

/** Runs one method of an unmodified client. */
export function runSdk(client: SdkClient, request: SdkRequest): Promise<SdkOutcome> {
  const script = join(CLIENTS, SDK_CLIENTS[client]);
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [script, JSON.stringify(request)],
      { cwd: CLIENTS, timeout: 120_000 },
      (error, stdout, stderr) => {
        // Clients print log lines of their own; the outcome is the last line.
        const line = stdout.trim().split('\n').at(-1) ?? '';
        if (error || !line) reject(new Error(`${client} did not answer: ${stderr || String(error)}`, { cause: error }));
        else resolve(JSON.parse(line) as SdkOutcome);
      },
    );
  });
}

/** @throws when the client threw */
export function returnedBy(outcome: SdkOutcome): Readonly<Record<string, unknown>> {
  if ('returned' in outcome) return outcome.returned;
  throw new Error(`the client threw: ${outcome.thrown.message}`);
}
