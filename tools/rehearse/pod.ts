import { EventEmitter } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, type RunningProcess } from '@paymaster/devnet';
import type { Container, Probe } from '../deployment/pod-spec';
import { BackOff } from './back-off';
import { probeTiming, ProbeState } from './probe-state';

export interface PodOptions {
  readonly name: string;
  readonly revision: number;
  readonly container: Pick<Container, 'ports' | 'startupProbe' | 'readinessProbe' | 'livenessProbe'>;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** On this machine, by the container's port. */
  readonly ports: ReadonlyMap<number, number>;
  /** From being asked to end to SIGKILL, the preStop hook included. */
  readonly graceSeconds: number;
  readonly preStop: readonly string[] | undefined;
  /** Hears what the process writes. */
  readonly log: (line: string) => void;
  /** Hears what the kubelet would have told. */
  readonly event: (what: string) => void;
  /** Hears how long a deleted pod took to end; seconds. */
  readonly endedAfter: (seconds: number) => void;
}

/**
 * One container as a kubelet keeps it: started, probed, started again with a back-off when it ends or no longer lives,
 * and ended by preStop, SIGTERM and, after the grace, SIGKILL. Emits `changed` when {@link ready} or
 * {@link terminating} changes.
 */
export class Pod extends EventEmitter<{ changed: [] }> {
  private readonly backOff = new BackOff();
  private readonly stopping = new AbortController();
  private running: RunningProcess | undefined;
  private givenUp: RunningProcess | undefined;
  private life: Promise<void> = Promise.resolve();
  private readySinceMs: number | undefined;
  private restarted = 0;

  constructor(private readonly options: PodOptions) {
    super();
  }

  get name(): string {
    return this.options.name;
  }

  get revision(): number {
    return this.options.revision;
  }

  /** The process that runs now. */
  get pid(): number | undefined {
    return this.running?.pid;
  }

  get ready(): boolean {
    return this.readySinceMs !== undefined;
  }

  /** How long it has been ready; 0 when it is not. */
  get readyForMs(): number {
    return this.readySinceMs === undefined ? 0 : performance.now() - this.readySinceMs;
  }

  get terminating(): boolean {
    return this.stopping.signal.aborted;
  }

  get restarts(): number {
    return this.restarted;
  }

  /** The port on this machine of a container's port, by its name or number. */
  port(of: string | number): number {
    const declared = this.options.container.ports?.find(
      ({ name, containerPort }) => of === name || of === containerPort,
    );
    const port = declared && this.options.ports.get(declared.containerPort);
    if (port === undefined) throw new Error(`${this.name} has no port ${of}`);
    return port;
  }

  start(): void {
    this.life = this.live();
  }

  /** As `kubectl delete pod` does. Resolves when the process has ended. */
  async terminate(): Promise<void> {
    if (!this.terminating) {
      this.stopping.abort();
      this.emit('changed');
      this.options.event('is to end');
      const askedAtMs = performance.now();
      if (this.running) await this.end(this.running);
      this.options.endedAfter((performance.now() - askedAtMs) / 1_000);
    }
    await this.life;
  }

  private async live(): Promise<void> {
    while (!this.terminating) {
      const startedAtMs = performance.now();
      const container = await this.launch();
      if (this.terminating) void container.stop();
      const probing = new AbortController();
      const probes = this.probe(container, probing.signal);
      const how = await container.ended;
      this.running = undefined;
      probing.abort();
      await probes;
      this.setReady(false);
      this.options.event(`container ${how}`);
      if (this.terminating) return;
      this.restarted += 1;
      await sleep(this.backOff.afterEnd(performance.now() - startedAtMs), undefined, {
        signal: this.stopping.signal,
      }).catch(() => undefined);
    }
  }

  private async launch(): Promise<RunningProcess> {
    const { name, command, cwd, env, log, graceSeconds } = this.options;
    const { file, args } = executable(command);
    this.running = await startProcess({
      ...{ name, args, cwd, env, log },
      ...{ command: file, envIsAll: true },
      // Whether it serves, its probes will say.
      ready: { probe: () => Promise.resolve(true) },
      // A longer one than any here: the kubelet's own is what counts.
      stopTimeoutMs: graceSeconds * 2_000,
    });
    return this.running;
  }

  /** The startup probe first, then the other two, as long as the container runs. */
  private async probe(container: RunningProcess, signal: AbortSignal): Promise<void> {
    const { startupProbe, readinessProbe, livenessProbe } = this.options.container;
    const isUp = await this.untilStarted(startupProbe, { container, signal });
    if (!isUp) return;
    await Promise.all([
      this.repeat(readinessProbe, { passing: false, signal }, (passing) => this.setReady(passing)),
      this.repeat(livenessProbe, { passing: true, signal }, (passing) => {
        if (!passing && !this.terminating) void this.restart(container);
      }),
    ]);
  }

  /** @returns false when it was given up, or the container ended */
  private async untilStarted(
    probe: Probe | undefined,
    { container, signal }: { container: RunningProcess; signal: AbortSignal },
  ): Promise<boolean> {
    const started = new AbortController();
    const either = AbortSignal.any([signal, started.signal]);
    let isUp = probe === undefined;
    await this.repeat(probe, { passing: true, signal: either }, (passing, succeeded) => {
      if (succeeded) isUp = true;
      if (succeeded || !passing) started.abort();
      if (!passing && !this.terminating) void this.restart(container);
    });
    return isUp && !signal.aborted;
  }

  private async repeat(
    probe: Probe | undefined,
    { passing, signal }: { passing: boolean; signal: AbortSignal },
    hear: (passing: boolean, succeeded: boolean) => void,
  ): Promise<void> {
    if (!probe?.httpGet) return probe === undefined ? hear(true, true) : undefined;
    const timing = probeTiming(probe);
    const state = new ProbeState(timing, passing);
    const { path, port } = probe.httpGet;
    const at = { port: this.port(port), path, timeoutMs: timing.timeoutSeconds * 1_000 };
    const pause = (seconds: number) => sleep(seconds * 1_000, undefined, { signal }).catch(() => undefined);
    await pause(timing.initialDelaySeconds);
    while (!signal.aborted) {
      const askedAtMs = performance.now();
      const succeeded = await answers(at);
      if (signal.aborted) return;
      hear(state.record(succeeded), succeeded);
      await pause(Math.max(0, timing.periodSeconds - (performance.now() - askedAtMs) / 1_000));
    }
  }

  private async restart(container: RunningProcess): Promise<void> {
    if (this.givenUp === container) return;
    this.givenUp = container;
    this.options.event('does not live: the container is ended');
    await this.end(container);
  }

  /** The preStop hook, SIGTERM, and SIGKILL when the grace of both is over. */
  private async end(container: RunningProcess): Promise<void> {
    const { graceSeconds, preStop } = this.options;
    const force = setTimeout(() => {
      this.options.event(`has not ended in ${graceSeconds} s: killed`);
      process.kill(container.pid, 'SIGKILL');
    }, graceSeconds * 1_000);
    void container.ended.then(() => clearTimeout(force));
    if (preStop) await Promise.race([this.run(preStop), container.ended]);
    await container.stop();
  }

  /** A command in the container, to its end. */
  private async run(command: readonly string[]): Promise<void> {
    const { name, cwd, env } = this.options;
    const { file, args } = executable(command);
    const ready = { probe: () => Promise.resolve(true) };
    await (
      await startProcess({ ...{ name, args, cwd, env, ready }, command: file, envIsAll: true })
    ).ended;
  }

  private setReady(ready: boolean): void {
    if (ready === this.ready) return;
    this.readySinceMs = ready ? performance.now() : undefined;
    this.options.event(ready ? 'is ready' : 'is not ready');
    this.emit('changed');
  }
}

/** The image's Node is this one. */
export function executable([file = '', ...args]: readonly string[]): { file: string; args: readonly string[] } {
  return { file: file === 'node' || file.endsWith('/node') ? process.execPath : file, args };
}

/** A kubelet's HTTP probe: a connection of its own, any status from 200 to 399. */
function answers({ port, path, timeoutMs }: { port: number; path: string; timeoutMs: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      response.once('close', () => done(statusCode >= 200 && statusCode < 400));
    });
    const timer = setTimeout(() => done(false), timeoutMs);
    const done = (succeeded: boolean): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(succeeded);
    };
    request.once('error', () => done(false));
  });
}
