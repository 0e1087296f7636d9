import { join } from 'node:path';
import type { Row } from './row';

const SKEW_SECONDS = 600;

export const WRONG_CLOCK: Row = {
  id: 'B6',
  fault: "a gateway's clock 10 min ahead, then stepped back to 10 min behind",
  async play(scene) {
    const [right] = scene.world.gateways;
    const wrong = await scene.world.anotherGateway({
      NODE_OPTIONS: `--require=${join(__dirname, '../world/shifted-clock.cjs')}`,
      CLOCK_SHIFT_SECONDS: String(SKEW_SECONDS),
    });
    try {
      let worst = 0;
      const compare = async () => {
        const [one, other] = await Promise.all([scene.ask(right!.url), scene.ask(wrong.url)]);
        worst = Math.max(worst, Math.abs(one.validUntilSeconds! - other.validUntilSeconds!));
      };
      for (let pair = 0; pair < 20; pair += 1) await compare();
      // The clock turns from ahead to behind.
      wrong.signal('SIGUSR2');
      for (let pair = 0; pair < 20; pair += 1) await compare();
      return [
        { what: 'validity differs by', value: worst, unit: 's', atMost: 2 },
        { what: 'held twice', value: await scene.heldTwice(), atMost: 0 },
      ];
    } finally {
      await wrong.stop();
    }
  },
};
