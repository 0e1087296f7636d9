/**
 * The headers in a variable, as OpenTelemetry writes them: `name=value`, separated by commas, values URL-encoded.
 *
 * @throws {Error} naming the position of a part that is none, never its text: it may be a secret
 */
export function parseHeaders(text: string | undefined): Record<string, string> {
  const parts = (text ?? '').split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part, index) => {
      const [, name, value] = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
      if (name === undefined || value === undefined) throw malformed(index);
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        throw malformed(index);
      }
    }),
  );
}

function malformed(index: number): Error {
  return new Error(
    `OTEL_EXPORTER_OTLP_HEADERS: part ${index + 1} is no header; write name=value, separated by commas, URL-encoded`,
  );
}
