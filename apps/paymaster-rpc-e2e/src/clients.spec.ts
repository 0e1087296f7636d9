import fc from 'fast-check';
import { concat, encodeFunctionData, pad, parseAbi, type Hex } from 'viem';
import { readStack, rpc } from '@paymaster/devnet';
import { randomAddress } from '@paymaster/domain/testing';
import { CLIENT_ROWS, MODES, type ClientRow, type Mode } from './clients/client-rows';
import { playMatrix, rowId, type Plan, type Played } from './clients/matrix';
import { someOperations, type Operation } from './clients/operations';
import { deployedSafe } from './clients/safe';
import { landed } from './support/bundler';
import { currentFees } from './support/fees';
import { freshPaymaster } from './support/fresh-paymaster';
import { AS_SENT, askSponsor, LIMITS } from './support/sponsor';
import { paymentIn } from './support/token-payment';
import { tokenOf } from './support/tokens';

const stack = readStack();
const token = tokenOf(stack, 'USDx');

const safeModuleAbi = parseAbi(['function executeUserOpWithErrorString(address, uint256, bytes, uint8)']);

/** All rows together take so long on a machine that runs other tests too; milliseconds. */
const WITHIN_MS = 15 * 60_000;
/** Clients that play at the same time: each waits for blocks most of the time. */
const AT_ONCE = 3;

const ABLE = CLIENT_ROWS.flatMap((row) => MODES.map((mode) => [rowId(row), mode, row] as const));

describe('the clients, unmodified, with the settings of a new paymaster', () => {
  let played: readonly Played[];

  beforeAll(async () => {
    const matrix = { rows: CLIENT_ROWS, planOf, atOnce: AT_ONCE, withinMs: WITHIN_MS };
    played = await playMatrix(stack, matrix);
  }, WITHIN_MS);

  it.each(ABLE)('%s, %s: land, or are refused for what the row says', async (_, mode, row) => {
    const ofRow = played.filter((each) => each.row === row && each.mode === mode);
    const refused = ofRow.flatMap(({ operation, outcome }) => ('thrown' in outcome ? [{ operation, ...outcome }] : []));
    expect(ofRow.map(({ operation }) => operation)).toEqual(planOf(row).flat());
    if (row.refused?.mode === mode) {
      const thrown = { message: expect.stringMatching(row.refused.shows) };
      return expect(refused).toEqual(
        ofRow.map(() => expect.objectContaining({ thrown: expect.objectContaining(thrown) })),
      );
    }
    expect(refused).toEqual([]);
    for (const { outcome } of ofRow) if ('returned' in outcome) await expectLanded(row, mode, outcome.returned);
  });

  /** As the chain has it, whatever the client says. */
  async function expectLanded(row: ClientRow, mode: Mode, { userOpHash, sender }: { userOpHash: Hex; sender: Hex }) {
    const event = await landed(stack, userOpHash);
    expect(event).toMatchObject({ success: true, sender, paymaster: stack.paymasters[row.version] });
    if (mode === 'sponsored') return;
    const { charged, leftSender } = await paymentIn(stack, { ...event, token });
    expect(charged).toBeGreaterThan(0n);
    // Its calls may send tokens too.
    expect(leftSender).toBeGreaterThanOrEqual(charged);
  }
});

/** Of each row: a first operation, a second and a large one. */
function planOf(row: ClientRow): Plan {
  return someOperations(Object.keys(row.cannot ?? {}) as Operation[], CLIENT_ROWS.indexOf(row));
}

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
