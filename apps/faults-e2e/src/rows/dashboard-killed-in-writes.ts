import { randomUUID } from 'node:crypto';
import type { Row } from './row';
import { CHAIN_ID } from '../world/fault-world';

const WRITES = 30;

export const DASHBOARD_KILLED_IN_WRITES: Row = {
  id: 'B9',
  fault: 'a dashboard killed while it creates paymasters',
  async play(scene) {
    const [victim, other] = scene.world.dashboards;
    const names = Array.from({ length: WRITES }, () => `faults ${randomUUID()}`);
    const create = (dashboard: string, name: string) =>
      scene.tryDashboard('POST', 'paymaster', { dashboard, body: { name, type: 'HYBRID', chainId: CHAIN_ID, version: '2.0.0' } }); // prettier-ignore
    const first = names.map((name) => create(victim!.url, name));
    // About half of them are done by then.
    await Promise.race(first);
    await victim!.kill();
    const acknowledged = (await Promise.all(first)).map(({ status }) => status === 200);
    const again = await Promise.all(names.map((name) => create(other!.url, name)));
    const listed = await scene.dashboard<Array<{ name: string }>>('GET', 'paymaster', { dashboard: other!.url });
    await victim!.startAgain();
    const count = (name: string) => listed.filter((each) => each.name === name).length;
    const isOdd = ({ status, message }: { status: number; message: string }) =>
      status !== 200 && !/name/i.test(message);
    return [
      { what: 'acknowledged and lost', value: names.filter((_, index) => acknowledged[index] && again[index]!.status === 200).length, atMost: 0 }, // prettier-ignore
      { what: 'not there once after a retry', value: names.filter((name) => count(name) !== 1).length, atMost: 0 },
      { what: 'odd answers to a retry', value: again.filter(isOdd).length, atMost: 0 },
    ];
  },
};
