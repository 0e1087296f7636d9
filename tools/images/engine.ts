import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { CONTEXT, imageOf, type App } from './images';
import { OciRuntime } from './oci-runtime';

/** A container that runs in the foreground, on the network of this machine. */
export interface ContainerOptions {
  readonly name: string;
  readonly image: string;
  /** In place of the image's. */
  readonly command?: readonly string[];
  /** Added to the image's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Read-only: paths in the container, and what of this machine is there. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** In place of the image's. */
  readonly user?: string;
}

/** A program that builds images and runs them. */
export interface Engine {
  readonly name: string;
  /**
   * Builds `docker/<app>.Dockerfile`, showing what the engine says.
   *
   * @param bases images of this machine, in place of those that the Dockerfile names
   */
  build(app: App, bases: ReadonlyMap<string, string>): Promise<void>;
  /** The command that runs a container until it ends: its root read-only, without capabilities or a way to get any. */
  run(container: ContainerOptions): Promise<readonly string[]>;
  /** The command that runs one more command in a container that runs. */
  exec(name: string, command: readonly string[]): readonly string[];
  /** For people: `412 MB`. */
  size(image: string): Promise<string>;
  /** Removes what containers left behind; images stay. */
  close(): Promise<void>;
}

/** In the order in which they are looked for; each question fails where the program cannot work. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  docker: ['info', '--format', '{{.ServerVersion}}'],
  podman: ['info'],
  buildah: ['--version'],
};

/**
 * The engine that is there.
 *
 * @param wanted no other than this one
 * @param folder for what containers need while they run
 * @throws when there is none, naming the command that installs one
 */
export function findEngine({ wanted, folder }: { wanted?: string; folder: string }): Engine {
  const name = Object.keys(QUESTIONS).find((each) => (wanted ?? each) === each && works(each, QUESTIONS[each]));
  if (!name) {
    const missing = wanted ? `${wanted} does not work here` : 'neither docker nor podman nor buildah works here';
    const install = 'apt-get install -y --no-install-recommends buildah runc';
    throw new Error(`${missing}. Without a daemon, as root on Debian or Ubuntu: ${install}`);
  }
  return name === 'buildah' ? new Buildah(folder) : new DockerLike(name);
}

/** Whether a program is there and answers. */
export function works(program: string, question: readonly string[] = ['--version']): boolean {
  return spawnSync(program, question, { stdio: 'ignore' }).status === 0;
}

/** Runs a command and shows its output. @throws when it fails */
export async function show(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(command, args, { cwd: CONTEXT, stdio: 'inherit', env: { ...process.env, ...env } });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${command} ${args[0]} failed (exit code ${String(code)})`);
}

/** Runs a command. @returns its output @throws when it fails, with what it said */
export async function output(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 64 * 1_024 * 1_024, timeout: 600_000 });
  return stdout.trim();
}

function buildArguments(app: App): string[] {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: CONTEXT, encoding: 'utf8' });
  const revision = stdout?.trim() || 'unknown';
  return ['--build-arg', `REVISION=${revision}`, '--file', `docker/${app}.Dockerfile`, '--tag', imageOf(app)];
}

function megabytes(bytes: string): string {
  return `${Math.round(Number(bytes) / 1_000_000)} MB`;
}

/** docker, and podman, which takes the same commands. */
class DockerLike implements Engine {
  private readonly started = new Set<string>();

  constructor(readonly name: string) {}

  build(app: App): Promise<void> {
    // Without this podman leaves HEALTHCHECK out.
    const format = this.name === 'podman' ? ['--format', 'docker'] : [];
    return show(this.name, ['build', ...format, ...buildArguments(app), '.']);
  }

  run({ name, image, command = [], env = {}, mounts = {}, user }: ContainerOptions): Promise<readonly string[]> {
    this.started.add(name);
    const locked = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--network', 'host'];
    return Promise.resolve([
      ...[this.name, 'run', '--rm', '--name', name, ...locked, ...(user ? ['--user', user] : [])],
      ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      ...Object.entries(mounts).flatMap(([path, here]) => ['--volume', `${here}:${path}:ro`]),
      ...[image, ...command],
    ]);
  }

  exec(name: string, command: readonly string[]): readonly string[] {
    return [this.name, 'exec', name, ...command];
  }

  async size(image: string): Promise<string> {
    return megabytes(await output(this.name, ['image', 'inspect', '--format', '{{.Size}}', image]));
  }

  close(): Promise<void> {
    for (const name of this.started) spawnSync(this.name, ['rm', '--force', name], { stdio: 'ignore' });
    return Promise.resolve();
  }
}

/** What `buildah inspect --type image` says of an image, as far as it is used. */
interface Inspected {
  readonly Docker: {
    readonly config: {
      readonly Env: string[];
      readonly Cmd: string[];
      readonly User: string;
      readonly WorkingDir: string;
    };
  };
}

/** What docker and podman give an image that says nothing of its environment. */
const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** buildah builds without a daemon, as root; its containers are run by runc or crun. */
class Buildah implements Engine {
  readonly name = 'buildah';
  private readonly runtime: OciRuntime;
  private readonly roots = new Map<string, { container: string; path: string; inspected: Inspected }>();

  constructor(folder: string) {
    if (process.getuid?.() !== 0) throw new Error('buildah is used as root here; docker and podman need no root');
    const program = ['runc', 'crun'].find((each) => works(each));
    if (!program) throw new Error('buildah needs runc: apt-get install -y --no-install-recommends runc');
    this.runtime = new OciRuntime(program, folder);
    // No namespaces are needed to build, and so no rights that a container of ours may lack.
    process.env['BUILDAH_ISOLATION'] ??= 'chroot';
    // Where layers cannot lie over one another they are copied, which needs more of the disk.
    if (!works('buildah', ['info'])) process.env['STORAGE_DRIVER'] ??= 'vfs';
  }

  build(app: App, bases: ReadonlyMap<string, string>): Promise<void> {
    const instead = [...bases].flatMap(([base, image]) => ['--build-context', `${base}=container-image://${image}`]);
    // Stages that two Dockerfiles have in common are made once; copies of all layers would fill the disk.
    const layers = process.env['STORAGE_DRIVER'] === 'vfs' ? [] : ['--layers'];
    // What npm has fetched for this machine it need not fetch again.
    const cache = [
      '--volume',
      `${execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim()}:/root/.npm`,
    ];
    const how = ['--format', 'docker', '--network', 'host', ...layers, ...cache];
    return show('buildah', ['build', ...how, ...instead, ...buildArguments(app), '.']);
  }

  async run({ image, mounts = {}, name, ...container }: ContainerOptions): Promise<readonly string[]> {
    const { path, inspected } = await this.rootOf(image);
    const { Env, Cmd, User, WorkingDir } = inspected.Docker.config;
    const added = Object.entries(container.env ?? {}).map(([key, value]) => `${key}=${value}`);
    return this.runtime.run(name, {
      ...{ root: path, mounts, cwd: WorkingDir || '/', env: [...(Env?.length ? Env : [DEFAULT_PATH]), ...added] },
      ...{ command: container.command ?? Cmd, user: container.user ?? User },
    });
  }

  exec(name: string, command: readonly string[]): readonly string[] {
    return this.runtime.exec(name, command);
  }

  async size(image: string): Promise<string> {
    const [bytes = ''] = (
      await output('du', ['--summarize', '--apparent-size', '--block-size=1', (await this.rootOf(image)).path])
    ).split('\t');
    return megabytes(bytes);
  }

  async close(): Promise<void> {
    this.runtime.close();
    for (const { container } of this.roots.values()) await output('buildah', ['rm', container]);
    this.roots.clear();
  }

  /** One root for all containers of an image: none can write it. */
  private async rootOf(image: string) {
    const known = this.roots.get(image);
    if (known) return known;
    const inspected = JSON.parse(await output('buildah', ['inspect', '--type', 'image', image])) as Inspected;
    const container = await output('buildah', ['from', '--pull-never', image]);
    const root = { container, inspected, path: await output('buildah', ['mount', container]) };
    this.roots.set(image, root);
    return root;
  }
}
