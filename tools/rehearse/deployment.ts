import { setTimeout as sleep } from 'node:timers/promises';
import type { Balancer } from './balancer';
import { ENDPOINT_DELAY_MS } from './differences';
import type { Pod } from './pod';
import { rolloutStep } from './rollout-plan';
import type { Workload } from './workload';

/** How often the controller looks; milliseconds. */
const LOOK_MS = 200;

/** Makes and starts a pod of a revision. */
export type MakePod = (revision: number) => Promise<Pod>;

/** The controllers of a Deployment and of the Service before it: they keep as many pods as wanted, and change them. */
export class Deployment {
  private readonly all = new Set<Pod>();
  private readonly ending = new Set<Promise<void>>();
  private revision = 1;

  /** @param servicePort the container's port that the Service leads to, by its name; none without a Service */
  constructor(
    private readonly workload: Workload,
    private readonly make: MakePod,
    private readonly service?: { readonly balancer: Balancer; readonly port: string | number },
  ) {}

  /** Those that are not being deleted. */
  get pods(): readonly Pod[] {
    return [...this.all].filter(({ terminating }) => !terminating);
  }

  /** As many pods of the newest revision as wanted, all available, and no other process left. */
  get settled(): boolean {
    const { pods } = this;
    const isRight = (pod: Pod): boolean => pod.revision === this.revision && this.isAvailable(pod);
    return pods.length === this.workload.bounds.replicas && pods.every(isRight) && this.ending.size === 0;
  }

  /** Changes what stands to the newest revision, step by step. @throws {Error} when that takes too long */
  async settle({ withinMs }: { withinMs: number }): Promise<void> {
    for (const endsAtMs = performance.now() + withinMs; !this.settled; await sleep(LOOK_MS)) {
      if (performance.now() > endsAtMs) throw new Error(`${this.workload.name} is not settled after ${withinMs} ms`);
      await this.step();
    }
  }

  /** Waits until all pods wanted are ready again, and known to be. @throws {Error} when that takes too long */
  async recover({ withinMs }: { withinMs: number }): Promise<void> {
    const isBack = (): boolean =>
      this.pods.length === this.workload.bounds.replicas && this.pods.every((pod) => pod.ready);
    for (const endsAtMs = performance.now() + withinMs; !isBack(); await sleep(LOOK_MS / 4)) {
      if (performance.now() > endsAtMs) throw new Error(`${this.workload.name} is not back after ${withinMs} ms`);
    }
    await sleep(ENDPOINT_DELAY_MS);
  }

  /** A rolling update to a new revision of the same image. @throws {Error} when that takes too long */
  async roll(options: { withinMs: number }): Promise<void> {
    this.revision += 1;
    await this.settle(options);
  }

  /** Ends all of it. */
  async stop(): Promise<void> {
    this.revision = Infinity;
    await Promise.all([...this.all].map((pod) => pod.terminate()));
  }

  private async step(): Promise<void> {
    const { revision } = this;
    const pods = this.pods.map((pod) => ({ pod, revision: pod.revision, available: this.isAvailable(pod) }));
    const { create, remove } = rolloutStep(this.workload.bounds, { revision, pods });
    for (let made = 0; made < create; made++) await this.add(revision);
    for (const { pod } of remove) this.end(pod);
  }

  private isAvailable(pod: Pod): boolean {
    return pod.ready && pod.readyForMs >= this.workload.minReadySeconds * 1_000;
  }

  private async add(revision: number): Promise<void> {
    const pod = await this.make(revision);
    this.all.add(pod);
    pod.on('changed', () => this.followReadiness());
    pod.start();
  }

  private end(pod: Pod): void {
    const ended: Promise<void> = pod.terminate().finally(() => {
      this.all.delete(pod);
      this.ending.delete(ended);
    });
    this.ending.add(ended);
  }

  /** The endpoints as they are now are what proxies know a moment later. */
  private followReadiness(): void {
    if (!this.service) return;
    const { balancer, port } = this.service;
    const endpoints = this.pods.filter(({ ready }) => ready).map((pod) => ({ name: pod.name, port: pod.port(port) }));
    setTimeout(() => balancer.setEndpoints(endpoints), ENDPOINT_DELAY_MS);
  }
}
