import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { SupportedChains } from '../chains/supported-chains';
import type { DashboardConfig } from '../config/dashboard.config';

/** The paths that the page itself leads to; all of them are answered with index.html. `/a/` begins those of accounts. */
const PAGE_PATHS = ['/', '/sign-in', '/no-account', '/operator', '/a/*'] as const;
const NONCE_BYTES = 18;

/**
 * Serves the built web page on the same origin as REST. Without WEB_PAGE_DIR there is no page. Files of the page have
 * routes of their own, listed when the service starts, so no path can lead out of the folder and all other paths stay
 * what they were: JSON answers with 404.
 *
 * @throws {Error} where the folder holds no built page
 */
export async function serveWebPage(
  app: NestFastifyApplication,
  { webPageDir, publicGatewayUrl, smtpUrl }: Pick<DashboardConfig, 'webPageDir' | 'publicGatewayUrl' | 'smtpUrl'>,
): Promise<void> {
  if (webPageDir === undefined) return;
  const chainIds = app
    .get(SupportedChains, { strict: false })
    .all()
    .map(({ chainId }) => chainId);
  const connect = ["'self'", ...(publicGatewayUrl === undefined ? [] : [new URL(publicGatewayUrl).origin])].join(' ');
  const page = readPage(webPageDir, {
    ...{ 'gateway-url': publicGatewayUrl ?? '', 'chain-ids': chainIds.join(' ') },
    mail: smtpUrl === undefined ? 'off' : 'on',
  });
  const icon = readFileSync(join(webPageDir, 'favicon.svg'));
  const fastify = app.getHttpAdapter().getInstance();
  for (const path of PAGE_PATHS) {
    fastify.get(path, (_request, reply) => sendPage(reply, page, connect));
  }
  fastify.get('/favicon.svg', (_request, reply) =>
    reply.header('content-type', 'image/svg+xml').header('cache-control', 'public, max-age=86400').send(icon),
  );
  // The name of an asset has a hash of its content, so what is cached is never old. The build has compressed the assets.
  // Nothing else is compressed: the length of a compressed answer tells what in it is equal to what a stranger had the
  // page send (BREACH), and answers of the API hold secrets.
  await app.register(fastifyStatic, {
    root: join(webPageDir, 'assets'),
    prefix: '/assets/',
    wildcard: false,
    index: false,
    decorateReply: false,
    maxAge: '365d',
    immutable: true,
    preCompressed: true,
    globIgnore: ['**/*.br', '**/*.gz'],
  });
}

/** index.html, made for one answer: with the nonce that this answer's policy names. */
type Page = (nonce: string) => string;

function readPage(folder: string, facts: Readonly<Record<string, string>>): Page {
  const file = readFileSync(join(folder, 'index.html'), 'utf8');
  const html = Object.entries(facts).reduce((text, [name, value]) => filled(text, name, value), file);
  return (nonce) => filled(html, 'csp-nonce', nonce);
}

/** Writes a value into one of the page's meta elements. The values hold no characters that HTML reads. */
function filled(html: string, name: string, value: string): string {
  const empty = `name="${name}" content=""`;
  if (!html.includes(empty)) throw new Error(`index.html of WEB_PAGE_DIR has no empty meta element ${name}`);
  return html.replace(empty, `name="${name}" content="${value}"`);
}

function sendPage(reply: FastifyReply, page: Page, connect: string): FastifyReply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policyWith(nonce, connect))
    .header('x-frame-options', 'DENY')
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
    .send(page(nonce));
}

/**
 * Scripts and styles of this origin only; requests go to it, and to the gateway where the operator has named that: the
 * page lands an operation there for who asks it to. No page may frame it. The nonce is for the style elements that
 * components make in the browser. Inline scripts have no way in.
 */
function policyWith(nonce: string, connect: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `connect-src ${connect}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
