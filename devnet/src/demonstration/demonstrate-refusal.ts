import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpcError } from '../chain/json-rpc';
import { simpleAccount, type SimpleAccount } from '../operations/simple-account';
import { draftUserOperation, type WireUserOperation } from '../operations/user-operation';
import { DashboardClient } from '../stack/dashboard-client';
import type { Stack } from '../stack/stack-file';
import { ether } from './amounts';
import { askGateway } from './ask-gateway';
import { mustHold } from './claims';
import type { Demonstrated } from './demonstrated';
import { demonstrateOne } from './demonstrate-sponsorship';
import { limitedPaymaster, LIMIT_POLICY } from './limited-paymaster';
import { SPONSORED_MODE, sponsorWithPlainJsonRpc } from './sponsor-with-json-rpc';
import type { Say } from './token-quote';
import { until } from './until';

interface TraceLine {
  readonly rule: string;
  readonly input: string;
  readonly outcome: 'pass' | 'refuse' | 'skip';
}

/** What a refusal says where the paymaster explains (docs/architecture/rules.md, "Explanations"). */
interface RefusalData {
  readonly reason?: string;
  readonly rule?: string;
  readonly limit?: string;
  readonly used?: string;
  readonly resetsAtSeconds?: number;
}

/** The answer of `pm_explain`, as far as the demonstration reads it. */
interface Explanation {
  readonly sponsored: boolean;
  readonly reason?: string;
  readonly trace: readonly TraceLine[];
}

const VERSION = '0.6';
/** It is listed at once; the rest is for a busy machine. */
const LISTED_MS = 120_000;
/** What two operations may take on a busy machine. */
const TWO_OPERATIONS_MS = 240_000;
/** How far the chain's clock may be behind ours. */
const CHAIN_BEHIND_MS = 15_000;

/**
 * A smart account has one operation sponsored, which is all that the owner's limit gives it, and is refused the next,
 * with its explanation.
 *
 * @param print takes the lines for the terminal
 * @returns the operation that landed
 * @throws {DemonstrationError} unless the first lands and the second is refused, both answers agree on why, and the
 *   owner finds the refusal in the dashboard
 */
export async function demonstrateRefusal(stack: Stack, print: (line: string) => void): Promise<Demonstrated> {
  const limited: Stack = { ...stack, paymaster: await limitedPaymaster(stack) };
  const account = await simpleAccount(limited, { version: VERSION });
  const say: Say = (topic, text) => print(`  ${topic.padEnd(14)} ${text}`);
  print('');
  print(
    `Refused operation on EntryPoint v${VERSION} (a paymaster that sponsors one operation a month of each account)`,
  );
  await clearOfMonthsEnd(say);
  say('policy', `${LIMIT_POLICY.policyType} ${JSON.stringify(LIMIT_POLICY.policyData)}, explainToClients`);
  const first = await demonstrateOne({
    stack: limited,
    version: VERSION,
    account,
    send: sponsorWithPlainJsonRpc,
    say: () => undefined,
  });
  say('first', `landed, charged ${ether(first.chargedWei)}, transaction ${first.transactionHash}`);
  await demonstrateSecond(limited, account, say);
  return { ...first, title: `${first.title}, limited` };
}

/** The limit counts by the month (UTC), which must not turn between the two operations. */
async function clearOfMonthsEnd(say: Say): Promise<void> {
  const now = new Date();
  const leftMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime();
  if (leftMs > TWO_OPERATIONS_MS) return;
  say('waits', `for the month to end, in ${Math.ceil(leftMs / 1_000)} s`);
  await sleep(leftMs + CHAIN_BEHIND_MS);
}

async function demonstrateSecond(stack: Stack, account: SimpleAccount, say: Say): Promise<void> {
  const { address: to, callData: data } = stack.demoContract;
  const draft = await draftUserOperation(stack, { account, calls: [{ to, data }] });
  const refusal = await refusalOf(stack, draft);
  const { reason, rule, limit, used, resetsAtSeconds = 0 } = (refusal.data ?? {}) as RefusalData;
  const resetsAt = new Date(resetsAtSeconds * 1_000).toISOString();
  say('second', `refused, ${reason}; ${refusal.message}`);
  say('rule', `${rule}: ${used} used of ${limit}, resets at ${resetsAt}`);

  const explained = await askGateway<Explanation>(stack, 'pm_explain', [draft, SPONSORED_MODE]);
  const passed = explained.trace.filter(({ outcome }) => outcome === 'pass').map((line) => line.rule);
  const refusing = explained.trace.filter(({ outcome }) => outcome === 'refuse');
  say('pm_explain', `sponsored: ${explained.sponsored}, ${explained.trace.length} rules looked at`);
  say('  passed', passed.join(', '));
  for (const line of refusing) say('  refused', `${line.rule}: ${line.input}`);

  const { sender } = draft as { sender: string };
  const dashboard = new DashboardClient(stack.dashboard, stack.authToken);
  const listed = await until(LISTED_MS, async () => {
    const { apiKey } = stack.paymaster;
    const { operations } = await dashboard.call('get', '/operation', { apiKey, query: { sender, state: 'refused' } });
    return operations[0];
  });
  say('owner', `finds it at GET /operation: state ${listed?.state}, reason ${listed?.reason}`);
  mustHold([
    ['the second operation was refused for the limit', refusal.code === -32501 && reason === 'SPENDING_LIMIT_REACHED'],
    ['the refusal names limit and use', limit === '1' && used === '1'],
    [
      'the limit resets when the month ends',
      resetsAt.endsWith('-01T00:00:00.000Z') && resetsAtSeconds * 1_000 > Date.now(),
    ],
    ['pm_explain says the same', !explained.sponsored && explained.reason === reason],
    ['its trace ends with the rule that refused', explained.trace.at(-1)?.rule === rule && refusing.length === 1],
    ['the owner sees the refusal', listed?.reason === reason],
  ]);
}

async function refusalOf(stack: Stack, draft: WireUserOperation): Promise<JsonRpcError> {
  try {
    await askGateway(stack, 'pm_sponsorUserOperation', [draft, SPONSORED_MODE]);
  } catch (error) {
    if (error instanceof JsonRpcError) return error;
    throw error;
  }
  return new JsonRpcError('pm_sponsorUserOperation', 0, 'it was sponsored');
}
