import { output, type Engine } from './engine';
import { imageOf, type App } from './images';

/** What an app is made of, beside its packages: bundles, what they were installed by, the built page and the healthcheck. */
const OWN =
  /^\/app(\/([\w-]+\.js|package(-lock)?\.json|healthcheck\.mjs|node_modules|web|web\/(index\.html|favicon\.svg|assets|assets\/[\w.-]+\.(js|css)(\.(br|gz))?)))?$/;
/**
 * What engines put into containers, and into images that they built by running containers: buildah leaves the empty folder
 * at which npm's cache was.
 */
const OF_ENGINES = ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf', '/.dockerenv', '/root/.npm'];

/** Run in a container: every path outside of node_modules, and the packages that npm has on record there. */
const LIST = `
const { existsSync, readdirSync, readFileSync } = require('fs');
const paths = [];
const walk = (folder) => {
  let entries = [];
  // A folder that is closed to root without capabilities is named by itself, and its content is not.
  try { entries = readdirSync(folder + '/', { withFileTypes: true }); } catch (error) { if (error.code !== 'EACCES') throw error; }
  for (const entry of entries) {
    const path = folder + '/' + entry.name;
    if (['/proc', '/sys', '/dev', '/run'].includes(path)) continue;
    paths.push(path);
    if (entry.isDirectory() && path !== '/app/node_modules') walk(path);
  }
};
walk('');
const record = '/app/node_modules/.package-lock.json';
const packages = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')).packages : {};
process.stdout.write(JSON.stringify({ paths, packages }));
`;

/** What {@link LIST} tells of an image. */
export interface Content {
  readonly paths: readonly string[];
  /** npm's own record of what it installed. */
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/** What has no place in an image: files that neither its base has nor its app needs, and packages for development. */
export function strayFiles(image: Content, base: Pick<Content, 'paths'>): string[] {
  const ofBase = new Set([...base.paths, ...OF_ENGINES]);
  const packages = Object.entries(image.packages);
  return [
    ...image.paths.filter((path) => !ofBase.has(path) && !OWN.test(path)),
    ...packages.filter(([, { dev }]) => dev).map(([path]) => path),
    // A folder that npm has no record of was not made by `npm ci`.
    ...(packages.length === 0 ? ['/app/node_modules'] : []),
  ];
}

/** Looks at the files of an app's image. @throws when it holds stray ones, naming them */
export async function mustHoldNothingStray(engine: Engine, { app, base }: { app: App; base: string }): Promise<void> {
  const strays = strayFiles(await contentOf(engine, imageOf(app)), await contentOf(engine, base));
  if (strays.length > 0)
    throw new Error(`${app} holds what has no place in an image: ${strays.slice(0, 20).join(', ')}`);
}

async function contentOf(engine: Engine, image: string): Promise<Content> {
  const name = `paymaster-files-${process.pid}`;
  // As root: what its user cannot read is in the image all the same.
  const [command = '', ...args] = await engine.run({ name, image, user: '0:0', command: ['node', '-e', LIST] });
  return JSON.parse(await output(command, args)) as Content;
}
