import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';
import type { AppProcess } from '../world/app-process';
import type { FaultScene } from '../world/fault-scene';
import type { FaultWorld } from '../world/fault-world';

export const ALL_REPLACED: Row = {
  id: 'B2',
  fault: 'all gateways and dashboards replaced, one after the other',
  play: async (scene) => {
    const balancer = new Balancer(scene.world);
    try {
      return await scene.underLoad(
        async (load) => {
          await load.recoversWithin(30_000);
          const owner = new Owner(scene, balancer);
          const slowestExitMs = await replaceAll(scene, balancer);
          await load.recoversWithin(30_000);
          const refusals = await owner.stop();
          const unsigned = load.answers.filter((each) => each.outcome !== 'signed');
          const counted = [...new Set(unsigned.map(({ outcome, detail }) => `${outcome}: ${detail}`))];
          return [
            { what: 'failed requests', value: unsigned.length, atMost: 0, counted },
            { what: 'failed REST requests', value: refusals.length, atMost: 0 },
            { what: 'slowest exit', value: slowestExitMs / 1_000, unit: 's', atMost: 25 },
          ];
        },
        { gateways: () => balancer.ready('gateways'), perSecond: 20 },
      );
    } finally {
      await balancer.stop();
    }
  },
};

/** @returns how long the slowest process took from being asked to end until it was gone; milliseconds */
async function replaceAll(scene: FaultScene, balancer: Balancer): Promise<number> {
  let slowestExitMs = 0;
  for (const apps of ['gateways', 'dashboards'] as const)
    for (const app of scene.world[apps]) {
      const askedMs = performance.now();
      await app.stop();
      slowestExitMs = Math.max(slowestExitMs, performance.now() - askedMs);
      await app.startAgain();
      await scene.until('the balancer has it again', async () => balancer.ready(apps).includes(app.url));
    }
  return slowestExitMs;
}

/** Sends requests only to processes whose readiness probe passed a moment ago, as a Service does. */
class Balancer {
  private readonly urls = new Map<keyof FaultWorld, readonly string[]>();
  private readonly over = new AbortController();
  private readonly probing: Promise<void>;

  constructor(world: FaultWorld) {
    for (const apps of ['gateways', 'dashboards'] as const) this.urls.set(apps, urlsOf(world[apps]));
    this.probing = this.probe(world);
  }

  ready(apps: 'gateways' | 'dashboards'): readonly string[] {
    return this.urls.get(apps) ?? [];
  }

  async stop(): Promise<void> {
    this.over.abort();
    await this.probing;
  }

  private async probe(world: FaultWorld): Promise<void> {
    while (!this.over.signal.aborted) {
      for (const apps of ['gateways', 'dashboards'] as const) {
        const passed = await Promise.all(world[apps].map((app) => app.isReady()));
        this.urls.set(apps, urlsOf(world[apps].filter((_, index) => passed[index])));
      }
      await sleep(100);
    }
  }
}

const urlsOf = (apps: readonly AppProcess[]): readonly string[] => apps.map(({ url }) => url);

/** Reads its paymasters over REST five times a second, at the dashboards in turn. */
class Owner {
  private readonly requests: Promise<string | undefined>[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly scene: FaultScene,
    private readonly balancer: Balancer,
  ) {
    this.timer = setInterval(() => this.requests.push(this.readPaymasters()), 200);
  }

  /** @returns what went wrong with the requests that failed */
  async stop(): Promise<readonly string[]> {
    clearInterval(this.timer);
    return (await Promise.all(this.requests)).filter((failure) => failure !== undefined);
  }

  private async readPaymasters(): Promise<string | undefined> {
    const dashboards = this.balancer.ready('dashboards');
    const dashboard = dashboards[this.requests.length % dashboards.length];
    const { status, message } = await this.scene.tryDashboard('GET', 'paymaster', { dashboard });
    return status === 200 ? undefined : `${status} ${message}`;
  }
}
