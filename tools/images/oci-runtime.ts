import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process and the folder that is its root. */
export interface Bundle {
  readonly root: string;
  readonly command: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  /** Two numbers: `10001:10001`. */
  readonly user: string;
  readonly mounts: Readonly<Record<string, string>>;
}

interface Specification {
  root: object;
  process: object;
  mounts: Array<{ destination: string; type: string; source: string; options: string[] }>;
  linux: { namespaces: Array<{ type: string }> };
}

/** runc or crun: runs a container of a folder, as docker and podman do behind their commands. */
export class OciRuntime {
  private readonly started: string[] = [];

  /** @param folder for what describes containers */
  constructor(
    private readonly program: string,
    private readonly folder: string,
  ) {}

  /** Describes a container. @returns the command that runs it until it ends */
  run(name: string, { root, command, env, cwd, user, mounts }: Bundle): readonly string[] {
    const bundle = mkdtempSync(join(this.folder, `${name}-`));
    execFileSync(this.program, ['spec', '--bundle', bundle]);
    const file = join(bundle, 'config.json');
    const spec = JSON.parse(readFileSync(file, 'utf8')) as Specification;
    const [uid, gid] = user.split(':').map(Number);
    spec.root = { path: root, readonly: true };
    spec.process = {
      ...{ terminal: false, user: { uid, gid }, args: command, env, cwd },
      ...{ capabilities: {}, noNewPrivileges: true },
    };
    spec.mounts = [
      ...spec.mounts.filter(({ type }) => type !== 'cgroup' && type !== 'sysfs'),
      ...Object.entries(mounts).map(([destination, source]) => ({
        ...{ destination, source, type: 'bind', options: ['bind', 'ro', 'nosuid', 'nodev'] },
      })),
    ];
    spec.linux.namespaces = spec.linux.namespaces.filter(({ type }) => type !== 'network' && type !== 'cgroup');
    writeFileSync(file, JSON.stringify(spec));
    this.started.push(name);
    return [this.program, 'run', '--bundle', bundle, name];
  }

  /** The command that runs one more command in a container that runs, as its user and in its environment. */
  exec(name: string, command: readonly string[]): readonly string[] {
    return [this.program, 'exec', name, ...command];
  }

  /** Ends what still runs. */
  close(): void {
    for (const name of this.started) spawnSync(this.program, ['delete', '--force', name], { stdio: 'ignore' });
  }
}
