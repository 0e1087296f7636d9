import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * The lines that an app with these log options writes for three requests. The app runs in a separate process, to
 * capture its output.
 *
 * @param end what ends the process
 */
function linesOf(options: object, end = 'await app.close();'): { url: string; status: number }[] {
  const at = (file: string): string => JSON.stringify(join(__dirname, file));
  const script = `
    require('reflect-metadata');
    const { createHttpApp } = require(${at('../http/create-http-app.ts')});
    const { loggerModule } = require(${at('logger.module.ts')});
    const { HealthModule } = require(${at('../health/health.module.ts')});
    (async () => {
      class App {}
      const imports = [loggerModule({ service: 's', level: 'info', ...${JSON.stringify(options)} }), HealthModule.register({ checks: [] })];
      const app = await createHttpApp({ module: App, imports }, { bodyLimitBytes: 1000 });
      await app.listen(0, '127.0.0.1');
      for (const path of ['/health/live', '/metrics?x=1', '/healthy', '/other'])
        await fetch((await app.getUrl()) + path);
      ${end}
    })();`;
  const { stdout } = spawnSync(process.execPath, ['-r', './devnet/load-typescript.cjs', '-e', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return stdout
    .split('\n')
    .filter((line) => line.includes('"req"'))
    .map((line) => JSON.parse(line) as { req: { url: string }; res: { statusCode: number } })
    .map(({ req, res }) => ({ url: req.url, status: res.statusCode }));
}

describe('loggerModule', () => {
  it('writes a line for each request, but for those of probes', () => {
    expect(linesOf({}).map(({ url }) => url)).toEqual(['/[7 characters]', '/[7 characters]', '/[5 characters]']);
  });

  it('writes the same where lines wait for each other, the last ones when the process ends', () => {
    expect(linesOf({ buffered: true })).toEqual(linesOf({}));
  });

  it('lets lines wait for a moment only, so that a process that is killed loses no others', () => {
    const killed = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1_000);`;
    expect(linesOf({ buffered: true }, killed)).toHaveLength(3);
  });

  it('writes none if the app has switched them off', () => {
    expect(linesOf({ perRequest: false })).toEqual([]);
  });

  it('leaves out the configured paths, writes known paths, and only the shape of others', () => {
    const urls = linesOf({ quietPaths: ['/metrics'] }).map(({ url }) => url);
    expect(urls).toEqual(['/health/live', '/[7 characters]', '/[5 characters]']);
  });
});
