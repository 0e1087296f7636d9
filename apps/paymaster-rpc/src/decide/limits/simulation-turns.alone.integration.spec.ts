import { FakeRpcError, FakeRpcServer } from '@paymaster/chain/testing';
import type { Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { startGatewayWorld, type GatewayWorld } from '../../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV07 } from '../../testing/rpc-call';

const ESTIMATE = { callGasLimit: '0x186a0', verificationGasLimit: '0x186a0', preVerificationGas: '0xc350' };
const UNLIMITED = { callGasLimit: undefined, verificationGasLimit: undefined, preVerificationGas: undefined };
/** How many operations the bundler simulates at once, and how long a looping and an ordinary operation take. */
const WORKERS = 6;
const LOOP_MS = 1_000;
const WORK_MS = 100;
const STRANGERS = ['203.0.113.66', '2001:db8:66::1'];
const [HONEST, NEIGHBOUR] = ['198.51.100.1', '198.51.100.2'];

describe('accounts that loop, estimated for strangers without pause', () => {
  let world: GatewayWorld;
  let bundler: FakeRpcServer;
  let callData: Hex;
  const looping = randomAddress();
  /** Looping operations at the bundler: the number now, and the highest number so far. */
  const loops = { now: 0, most: 0 };

  beforeAll(async () => {
    bundler = await FakeRpcServer.start();
    const waiting: Array<() => void> = [];
    let free = WORKERS;
    bundler.methods['eth_estimateUserOperationGas'] = async ([operation]) => {
      const isLoop = (operation as { sender: string }).sender === looping;
      if (isLoop) loops.most = Math.max(loops.most, ++loops.now);
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      await new Promise((resolve) => setTimeout(resolve, isLoop ? LOOP_MS : WORK_MS));
      const next = waiting.shift();
      if (next) next();
      else free += 1;
      if (!isLoop) return ESTIMATE;
      loops.now -= 1;
      throw new FakeRpcError(-32500, 'AA23 reverted (or OOG)');
    };
    // The rate limit must not be what refuses here.
    const env = { TRUSTED_PROXIES: '1', RATE_LIMIT_PER_KEY_PER_SECOND: '0' };
    world = await startGatewayWorld({ bundlerUrl: bundler.url, env });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  });
  afterAll(async () => {
    await world?.stop();
    await bundler?.stop();
  });

  const ask = async (apiKey: string, from: string, sender = randomAddress()) => {
    const params = [wireOperationV07(callData, { ...UNLIMITED, sender }), sponsoredMode({ calculateGasLimits: true })];
    const url = `${world.url}/api/v2/31337/${apiKey}`;
    return call(url, 'pm_sponsorUserOperation', params, { 'x-forwarded-for': from });
  };
  /** Sends some requests one after the other. @returns the milliseconds of each */
  const timesOf = async (apiKey: string, from: string) => {
    const times: number[] = [];
    for (let asked = 0; asked < 15; asked++) {
      const startedMs = performance.now();
      expect((await ask(apiKey, from)).json).toHaveProperty('result');
      times.push(performance.now() - startedMs);
    }
    return times.sort((a, b) => a - b);
  };
  const middle = (times: readonly number[]): number => times[Math.floor(times.length / 2)] as number;

  it('hardly delay the estimates of other clients', async () => {
    const [attacked, other] = [world.newPaymaster().apiKey, world.newPaymaster().apiKey];
    const alone = await timesOf(other, HONEST);
    let isOver = false;
    const refused: Array<{ status: number; code: number | undefined; waits: boolean }> = [];
    const attack = STRANGERS.flatMap((from) =>
      Array.from({ length: 20 }, async () => {
        while (!isOver) {
          const { status, json, headers } = await ask(attacked, from, looping);
          if (json.error?.code === -32500) continue;
          refused.push({ status, code: json.error?.code, waits: headers.has('retry-after') });
          // All run in this process, so the test measures the bundler's turns, not our requests.
          await new Promise((resolve) => setTimeout(resolve, LOOP_MS / 2));
        }
      }),
    );
    const honest = Promise.all([timesOf(other, HONEST), timesOf(attacked, NEIGHBOUR)]);
    const [beside, neighbour] = await honest.finally(() => {
      isOver = true;
      return Promise.all(attack);
    });
    expect(middle(beside)).toBeLessThan(2 * middle(alone));
    expect(middle(neighbour)).toBeLessThan(2 * middle(alone));
    expect(loops.most).toBe(2 * STRANGERS.length);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused).toEqual(refused.map(() => ({ status: 429, code: -32005, waits: true })));
  });
});
