import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROUTER = join(__dirname, '../../../dashboard-web/src/router.tsx');
const ROUTE = /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(path|id): '([^']+)'/g;

/** The path of each route of the page, as its router is written. @throws {Error} when a route is written otherwise */
export function routesOfPage(): string[] {
  const source = readFileSync(ROUTER, 'utf8');
  const paths = new Map([['root', '']]);
  const routes: string[] = [];
  for (const [, name = '', parent = '', kind, path = ''] of source.matchAll(ROUTE)) {
    const base = paths.get(parent);
    if (base === undefined) throw new Error(`${name} stands before its parent ${parent}`);
    paths.set(name, kind === 'id' ? base : `${base}${path === '/' ? '' : path}`);
    if (kind === 'path') routes.push(`${base}${path === '/' ? '' : path}` || '/');
  }
  const written = source.match(/createRoute\(/g)?.length ?? 0;
  if (paths.size - 1 !== written) throw new Error(`${paths.size - 1} of ${written} routes were understood`);
  return [...new Set(routes)].sort();
}
