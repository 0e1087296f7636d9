import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** The methods of each path. They tell a wrong method from a wrong path; Fastify answers 404 to both. */
@Injectable()
export class KnownRoutes {
  private readonly routes: Array<{ path: RegExp; method: string }> = [];

  /** Call before the application is initialized. */
  record(app: NestFastifyApplication): void {
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRoute', ({ url, method }) => {
        if (!url.startsWith('/api/')) return;
        const path = new RegExp(`^${url.replace(/:[^/]+/g, '[^/]+')}/?$`);
        for (const one of [method].flat()) this.routes.push({ path, method: one });
      });
  }

  /** The methods of a path; none when there is no such path. */
  methodsOf(url: string): string[] {
    const path = (url.split('?', 1)[0] ?? '').replace(/\/{2,}/g, '/');
    return this.routes.filter((route) => route.path.test(path)).map(({ method }) => method);
  }
}
