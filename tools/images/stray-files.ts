import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltImage } from './build-stages';

/** What an app is made of, beside its packages: bundles, what they were installed by, and the healthcheck. */
const OWN = /^([\w-]+\.js|package(-lock)?\.json|healthcheck\.mjs|node_modules)$/;

/** npm's own record of what it installed. */
interface Installed {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/** What has no place in an image: files beside the app's own, and packages that are for development only. */
export function strayFiles({ root, workdir }: Pick<BuiltImage, 'root' | 'workdir'>): string[] {
  const app = join(root, workdir);
  const besideApp = readdirSync(root).filter((name) => `/${name}` !== workdir);
  const besideBundles = readdirSync(app).filter((name) => !OWN.test(name));
  return [...besideApp, ...besideBundles.map((name) => join(workdir, name)), ...developmentPackages(app)];
}

function developmentPackages(app: string): string[] {
  const record = join(app, 'node_modules/.package-lock.json');
  // A folder that npm has no record of was not made by `npm ci`.
  if (!existsSync(record)) return [record];
  const { packages } = JSON.parse(readFileSync(record, 'utf8')) as Installed;
  return Object.entries(packages)
    .filter(([, { dev }]) => dev)
    .map(([path]) => path);
}
