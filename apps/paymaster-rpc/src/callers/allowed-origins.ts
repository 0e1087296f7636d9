import { SponsorshipRefusedError } from '@paymaster/domain';

/**
 * Whether a browser page of that origin may use the paymaster. Requests without an Origin are not from a page:
 * this stops a stolen key in someone else's page, nothing more (anyone can forge the header outside a browser).
 */
export function isOriginAllowed(origin: string | undefined, allowedOrigins: readonly string[]): boolean {
  return origin === undefined || allowedOrigins.includes('*') || allowedOrigins.includes(origin);
}

/** @throws {SponsorshipRefusedError} ORIGIN_NOT_ALLOWED */
export function assertOriginAllowed(origin: string | undefined, allowedOrigins: readonly string[]): void {
  if (isOriginAllowed(origin, allowedOrigins)) return;
  throw new SponsorshipRefusedError(
    'ORIGIN_NOT_ALLOWED',
    'This paymaster does not serve pages of this origin; its owner can add the origin in the settings.',
  );
}
