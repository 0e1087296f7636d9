import { join } from 'node:path';
import { appendFileSync, mkdirSync } from 'node:fs';
import { freePort, startProcess } from '@paymaster/devnet';
import type { KubernetesObject } from '../deployment/render';
import { Balancer } from './balancer';
import { Deployment } from './deployment';
import { variables } from './differences';
import { readImage, type Image } from './image';
import { executable, Pod } from './pod';
import { podEnvironment, type PodSources } from './pod-environment';
import { readWorkload, type Workload } from './workload';
import type { World } from './world';

const ROOT = join(__dirname, '../..');
/** For a busy machine: a pod is up within a few seconds. */
const SETTLE_MS = 180_000;
const JOB_MS = 120_000;

/** The manifests as running processes. */
export class Platform {
  readonly gateways: Deployment;
  readonly dashboards: Deployment;
  readonly settlements: Deployment;
  /** How long each pod that was deleted took to end; seconds. */
  readonly endings: number[] = [];
  private readonly sources: PodSources;
  private made = 0;

  private constructor(
    private readonly objects: readonly KubernetesObject[],
    private readonly world: World,
    private readonly event: (line: string) => void,
    readonly gateway: Balancer,
    readonly dashboard: Balancer,
  ) {
    this.sources = { ...world, objects, variables: variables(world) };
    const http = 'http';
    this.gateways = this.deployment('paymaster-rpc', { balancer: gateway, port: http });
    this.dashboards = this.deployment('dashboard', { balancer: dashboard, port: http });
    this.settlements = this.deployment('settlement');
  }

  /** Migrates, then brings up everything. @param event hears what kubelets tell */
  static async start(
    objects: readonly KubernetesObject[],
    { world, event }: { world: World; event: (line: string) => void },
  ): Promise<Platform> {
    const [gateway, dashboard] = await Promise.all([Balancer.start(), Balancer.start()]);
    const platform = new Platform(objects, world, event, gateway, dashboard);
    await platform.migrate();
    await platform.settle();
    return platform;
  }

  /** Runs the migration Jobs to their end, one after the other. @throws {Error} when one fails */
  async migrate(): Promise<void> {
    for (const { metadata } of this.objects.filter(({ kind }) => kind === 'Job')) {
      const { name } = metadata;
      const job = await this.start(readWorkload(this.objects, { kind: 'Job', name }));
      const how = await Promise.race([job.ended, overdue(name)]);
      if (how !== 'ended (exit code 0)') throw new Error(`Job ${name} ${how}; see ${this.logFile(name)}`);
      this.event(`${name}: done`);
    }
  }

  /** Waits until all of it stands. */
  async settle(): Promise<void> {
    const within = { withinMs: SETTLE_MS };
    await Promise.all([this.settlements, this.dashboards, this.gateways].map((each) => each.settle(within)));
  }

  /** A new version of everything that clients reach, after the migration, as an upgrade does. */
  async roll(): Promise<void> {
    await this.migrate();
    const within = { withinMs: SETTLE_MS };
    await Promise.all([this.dashboards.roll(within), this.gateways.roll(within)]);
  }

  /** Waits until every pod wanted is ready and nobody is on his way out. */
  async recover(): Promise<void> {
    const within = { withinMs: SETTLE_MS };
    await Promise.all([this.settlements, this.dashboards, this.gateways].map((each) => each.recover(within)));
  }

  async stop(): Promise<void> {
    await Promise.all([this.gateways.stop(), this.dashboards.stop()]);
    await this.settlements.stop();
    await Promise.all([this.gateway.stop(), this.dashboard.stop()]);
  }

  private deployment(name: string, service?: { balancer: Balancer; port: string }): Deployment {
    const workload = readWorkload(this.objects, { kind: 'Deployment', name });
    const make = async (revision: number): Promise<Pod> => {
      const parts = await this.parts(workload);
      return new Pod({
        ...parts,
        ...{ revision, container: workload.container },
        ...{ graceSeconds: workload.graceSeconds, preStop: workload.preStop },
        event: (what) => this.event(`${parts.name}: ${what}`),
        endedAfter: (seconds) => this.endings.push(seconds),
      });
    };
    return new Deployment(workload, make, service);
  }

  private async start(workload: Workload) {
    const { name, command, cwd, env, log } = await this.parts(workload);
    const { file, args } = executable(command);
    const ready = { probe: () => Promise.resolve(true) };
    return startProcess({ name, command: file, args, cwd, env, log, envIsAll: true, ready });
  }

  /** A pod's place on this machine, and the command that its container runs. */
  private async parts(workload: Workload) {
    const { container } = workload;
    const image = readImage(ROOT, container.image);
    const name = `${workload.name}-${++this.made}`;
    const ports = new Map<number, number>();
    for (const { containerPort } of container.ports ?? []) ports.set(containerPort, await freePort());
    const folder = join(this.world.folder, 'pods', name);
    mkdirSync(folder, { recursive: true });
    const env = podEnvironment({ workload, image }, { name, folder, ports }, this.sources);
    const logFile = this.logFile(name);
    return {
      ...{ name, ports, env },
      command: commandOf(workload, image),
      cwd: join(this.world.folder, 'images', image.app),
      log: (line: string) => appendFileSync(logFile, `${line}\n`),
    };
  }

  private logFile(name: string): string {
    return join(this.world.folder, `${name}.log`);
  }
}

/** What the container runs: its own words go before the image's. */
function commandOf({ container }: Workload, image: Image): readonly string[] {
  if (container.command) return [...container.command, ...(container.args ?? [])];
  return container.args ? [...image.command.slice(0, 1), ...container.args] : image.command;
}

async function overdue(name: string): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, JOB_MS).unref());
  return `has not ended after ${JOB_MS / 1_000} s (${name})`;
}
