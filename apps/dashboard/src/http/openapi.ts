import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

/** The OpenAPI document of the REST operations, from the controllers and their DTOs. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const description =
    'Register paymasters, say which contract methods they sponsor, and which wallet pays. ' +
    'Every answer is an envelope {statusCode, message, data?}.';
  const config = new DocumentBuilder()
    .setTitle('Paymaster dashboard')
    .setDescription(description)
    .setVersion('2')
    .build();
  const document = SwaggerModule.createDocument(app, config);
  // For probes, and no part of what accounts may rely on.
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/health'));
  return { ...document, paths: Object.fromEntries(paths) };
}

/** The document at /docs-json, and as a page at /docs. */
export function serveOpenApi(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => buildOpenApi(app));
}
