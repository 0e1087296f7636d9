import fc from 'fast-check';
import { concat, encodeFunctionData, pad, parseAbi, type Hex } from 'viem';
import { readStack, rpc } from '@paymaster/devnet';
import { randomAddress } from '@paymaster/domain/testing';
import { placeAccountContracts } from './clients/account-contracts';
import { CLIENT_ROWS, type ClientRow } from './clients/client-rows';
import { runClient, type ClientJob, type ClientOutcome } from './clients/run-client';
import { deployedSafe } from './clients/safe';
import { landed } from './support/bundler';
import { publicClient } from './support/chain';
import { dashboardOk } from './support/dashboard-client';
import { demoContractAbi } from './support/demo-contract';
import { currentFees } from './support/fees';
import { freshPaymaster } from './support/fresh-paymaster';
import { rules } from './support/policies';
import { AS_SENT, askSponsor, LIMITS } from './support/sponsor';
import { paymentIn } from './support/token-payment';
import { tokenBalanceOf, tokenOf } from './support/tokens';

const stack = readStack();
const chain = publicClient(stack);
const token = tokenOf(stack, 'USDx');

const safeModuleAbi = parseAbi(['function executeUserOpWithErrorString(address, uint256, bytes, uint8)']);

const MODES = ['sponsored', 'token'] as const;
const DRIVERS = [...new Set(CLIENT_ROWS.map(({ driver }) => driver))];
const idOf = ({ client, account, version }: ClientRow, mode: string) => `${client} ${account} ${version} ${mode}`;

/** One for all rows that need the same; as a new paymaster, but for what they need and the caps of the tests. */
const paymastersOf = new Map<string, { readonly url: string; readonly policyId: string | undefined }>();
const needsOf = ({ settings, delegates, namesPolicy }: ClientRow) =>
  JSON.stringify({ settings, delegates, namesPolicy });

async function makePaymaster(row: ClientRow): Promise<void> {
  const { settings, delegates, namesPolicy } = row;
  let policyId: string | undefined;
  const { url, apiKey } = await freshPaymaster(stack, { settings });
  if (delegates || namesPolicy) {
    const body = rules(delegates ? { eip7702Delegates: delegates } : {});
    const policy = await dashboardOk(stack, { method: 'POST', path: '/paymaster-policy', apiKey, body });
    policyId = (policy as { policyId: string }).policyId;
  }
  paymastersOf.set(needsOf(row), { url, policyId });
}

beforeAll(async () => {
  const different = [...new Map(CLIENT_ROWS.map((row) => [needsOf(row), row])).values()];
  // First, because the compiler keeps this process from sending: the dashboard would give a request up half-way.
  await placeAccountContracts(stack);
  await Promise.all(different.map(makePaymaster));
});

describe.each(DRIVERS)('%s, unmodified', (driver) => {
  const rows = CLIENT_ROWS.filter((row) => row.driver === driver);
  let outcomes: ReadonlyMap<string, ClientOutcome>;

  beforeAll(async () => {
    const jobs = rows.flatMap((row) =>
      MODES.map((mode): ClientJob => ({
        ...row,
        id: idOf(row, mode),
        mode,
        paymasterUrl: paymastersOf.get(needsOf(row))?.url ?? '',
        policyId: row.namesPolicy && paymastersOf.get(needsOf(row))?.policyId,
      })),
    );
    outcomes = await runClient(driver, { stack, token, jobs });
  });

  /** The operation that the client has sent, once it is on chain. @throws when the client threw */
  async function eventOf(row: ClientRow, mode: (typeof MODES)[number]) {
    const outcome = outcomes.get(idOf(row, mode));
    if (!outcome || 'thrown' in outcome) throw new Error(`the client threw: ${outcome?.thrown.message}`);
    const { userOpHash, sender } = outcome.returned;
    const event = await landed(stack, userOpHash);
    expect(event).toMatchObject({ success: true, sender, paymaster: stack.paymasters[row.version] });
    expect(await countOf(sender)).toBe(1n);
    expect(await chain.getBalance({ address: sender })).toBe(0n);
    return event;
  }

  it.each(rows)('lands a sponsored operation of $account on v$version', async (row) => {
    await eventOf(row, 'sponsored');
  });

  it.each(rows)('lands an operation of $account on v$version that is paid in a token', async (row) => {
    const event = await eventOf(row, 'token');
    const { charged } = await paymentIn(stack, { ...event, token });
    expect(charged).toBeGreaterThan(0n);
    expect(await tokenBalanceOf(stack, token, event.sender)).toBe(1_000_000_000n - charged);
  });
});

describe('the 4337 module of Safe, whose functions may have bytes behind them', () => {
  /** `revert(calldata)`: what the account calls it with comes back as the reason. */
  const ECHO = '0x365f5f37365ffd';
  const bytes = (maxLength: number) =>
    fc.uint8Array({ maxLength }).map((some): Hex => `0x${Buffer.from(some).toString('hex')}`);

  it('makes the same call whatever is behind the arguments', async () => {
    const [safe, target] = [await deployedSafe(stack), randomAddress()];
    await rpc(stack.chainRpc, 'anvil_setCode', [target, ECHO]);
    const property = fc.asyncProperty(bytes(100), bytes(256), async (data, suffix) => {
      const args = [target, 0n, data, 0] as const;
      const callData = concat([encodeFunctionData({ abi: safeModuleAbi, args }), suffix]);
      const call = { from: stack.entryPoints['0.7'], to: safe, data: callData };
      const answer = rpc(stack.chainRpc, 'eth_call', [call, 'latest']);
      await expect(answer).rejects.toMatchObject({ data });
    });
    await fc.assert(property, { numRuns: 50, seed: Number(process.env['TEST_SEED']) });
  });
});

describe('a deployed Safe, where the paymaster requires known accounts', () => {
  /** keccak256("fallback_manager.handler.address") */
  const HANDLER_SLOT = '0x6c9a6c4a39284e37ed1cf53d337577d14212a4870fb976a4366c693b939918d5';

  async function ask(sender: Hex) {
    const { url } = await freshPaymaster(stack, { settings: { requireKnownAccounts: true } });
    const args = [stack.demoContract.address, 0n, '0xd09de08a', 0] as const;
    const callData = encodeFunctionData({ abi: safeModuleAbi, args });
    const operation = { sender, nonce: '0x0', callData, ...LIMITS, ...(await currentFees(stack)), signature: '0x' };
    return askSponsor({ url, operation, mode: AS_SENT, entryPoint: stack.entryPoints['0.7'] });
  }

  it('is sponsored with its real 4337 module', async () => {
    expect((await ask(await deployedSafe(stack))).body).toMatchObject({
      result: { paymasterAndData: expect.any(String) },
    });
  });

  it('is not sponsored once its owner has set another fallback handler', async () => {
    const safe = await deployedSafe(stack);
    await rpc(stack.chainRpc, 'anvil_setStorageAt', [safe, HANDLER_SLOT, pad(randomAddress())]);
    const error = { data: { reason: 'UNKNOWN_ACCOUNT_IMPLEMENTATION' } };
    expect((await ask(safe)).body).toMatchObject({ error });
  });
});

const countOf = (account: Hex) =>
  chain.readContract({
    abi: demoContractAbi,
    address: stack.demoContract.address,
    functionName: 'countOf',
    args: [account],
  });
