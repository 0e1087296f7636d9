import { join } from 'node:path';
import { read } from '../deployment/environment';
import { parseCompose, type Compose } from '../deployment/compose-schema';
import { parseDockerfile } from '../deployment/dockerfile';

/** The images that are built, in the order in which their apps start. */
export const APPS = ['dashboard', 'settlement', 'paymaster-rpc'] as const;
export type App = (typeof APPS)[number];

/** The checkout, which is the build context. */
export const CONTEXT = join(__dirname, '../..');

/** docker/compose.yaml, as compose reads it where no variable is set. @throws when it says what its schema does not know */
export function readCompose(): Compose {
  const { compose, problems } = parseCompose(withDefaults(read('docker/compose.yaml')));
  if (problems.length > 0) throw new Error(`docker/compose.yaml: ${problems.join('; ')}`);
  return compose;
}

/** The name that compose gives an app's image. */
export function imageOf(app: App): string {
  return readCompose().services[app]?.image as string;
}

/** The images that Dockerfiles begin with, each once, the last stage's last. */
export function basesOf(apps: readonly App[]): string[] {
  const all = apps.flatMap((app) => parseDockerfile(read(`docker/${app}.Dockerfile`)).map(({ from }) => from));
  return [...new Set(all.filter((from) => from.includes('@')))];
}

/** Puts the default of `${NAME:-default}` in its place; the default may name variables itself. */
function withDefaults(text: string): string {
  const inner = text.replace(/\$\{\w+:-([^${}]*)\}/g, '$1');
  return inner === text ? text : withDefaults(inner);
}
