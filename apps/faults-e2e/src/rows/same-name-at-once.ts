import { randomUUID } from 'node:crypto';
import type { Row } from './row';
import { CHAIN_ID } from '../world/fault-world';

const RACES = 50;

export const SAME_NAME_AT_ONCE: Row = {
  id: 'B10',
  fault: `one name at two dashboards at once, ${RACES} times`,
  async play(scene) {
    let odd = 0;
    for (let race = 0; race < RACES; race += 1) {
      const body = { name: `faults ${randomUUID()}`, type: 'HYBRID', chainId: CHAIN_ID, version: '2.0.0' };
      const answers = await Promise.all(
        scene.world.dashboards.map(({ url }) => scene.tryDashboard('POST', 'paymaster', { dashboard: url, body })),
      );
      const statuses = answers.map(({ status }) => status).sort();
      if (statuses.join() !== '200,400') odd += 1;
    }
    return [{ what: 'races without one winner', value: odd, atMost: 0 }];
  },
};
