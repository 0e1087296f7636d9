import { parseHeaders } from './parse-headers';

describe('parseHeaders', () => {
  it('reads names and values, as OpenTelemetry writes them', () => {
    expect(parseHeaders('api-key=abc%3D%3D, x-tenant = one two')).toEqual({
      'api-key': 'abc==',
      'x-tenant': 'one two',
    });
    expect(parseHeaders('authorization=Basic YWJj==')).toEqual({ authorization: 'Basic YWJj==' });
  });

  it.each([[undefined], [''], [' ']])('finds none in %p', (text) => {
    expect(parseHeaders(text)).toEqual({});
  });

  it.each(['secret-token', 'a=1,secret-token', 'a b=secret-token', 'a=secret-token%'])(
    'refuses %p and keeps its text to itself',
    (text) => {
      expect(() => parseHeaders(text)).toThrow(/^OTEL_EXPORTER_OTLP_HEADERS: part \d is no header/);
      expect(() => parseHeaders(text)).not.toThrow(/secret-token/);
    },
  );
});
