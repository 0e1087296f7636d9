import { startApplication, type Application, type ApplicationOptions } from '@paymaster/devnet';

/** One process of an app that may be killed, paused and started again on the same port. */
export class AppProcess {
  private current: Application | undefined;

  private constructor(private readonly options: ApplicationOptions & { readonly port: number }) {}

  static async start(options: ApplicationOptions): Promise<AppProcess> {
    const current = await startApplication(options);
    const app = new AppProcess({ ...options, port: Number(new URL(current.url).port) });
    app.current = current;
    return app;
  }

  get url(): string {
    return `http://127.0.0.1:${this.options.port}`;
  }

  get pid(): number {
    if (!this.current) throw new Error(`${this.options.name} does not run`);
    return this.current.pid;
  }

  /** To the whole process group, as an orchestrator's kernel does. */
  signal(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** Ends it without a word, and waits until it is gone. */
  async kill(): Promise<void> {
    const { died } = this.current!;
    this.signal('SIGKILL');
    await died;
    this.current = undefined;
  }

  /** The polite end. */
  async stop(): Promise<void> {
    await this.current?.stop();
    this.current = undefined;
  }

  /** Starts it again where it was; resolves when it is ready. */
  async startAgain(): Promise<void> {
    this.current = await startApplication(this.options);
    const { url } = this.current;
    if (new URL(url).port !== `${this.options.port}`)
      throw new Error(`${this.options.name} came back at ${url}, not at ${this.url}`);
  }

  async isReady(): Promise<boolean> {
    return fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}
