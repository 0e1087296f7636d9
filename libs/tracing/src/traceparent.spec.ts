import { formatTraceparent, parseTraceparent } from './traceparent';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

describe('parseTraceparent', () => {
  it.each([
    ['01', true],
    ['00', false],
    // Bits of later versions say nothing about sampling.
    ['ff', true],
    ['fe', false],
  ])('reads trace, span and the sampled flag of %s', (flags, isSampled) => {
    expect(parseTraceparent(`00-${TRACE_ID}-${SPAN_ID}-${flags}`)).toEqual({
      ...{ traceId: TRACE_ID, spanId: SPAN_ID, isSampled },
    });
  });

  it('reads what formatTraceparent writes', () => {
    const parent = { traceId: TRACE_ID, spanId: SPAN_ID, isSampled: false };
    expect(parseTraceparent(formatTraceparent(parent))).toEqual(parent);
  });

  it('takes a later version, which may have more', () => {
    expect(parseTraceparent(`cc-${TRACE_ID}-${SPAN_ID}-01-what-the-future-brings`)?.traceId).toBe(TRACE_ID);
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['another text', 'hello'],
    ['the version that is forbidden', `ff-${TRACE_ID}-${SPAN_ID}-01`],
    ['more than version 00 has', `00-${TRACE_ID}-${SPAN_ID}-01-x`],
    ['capital letters', `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
    ['a span id of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ['two headers in one', `00-${TRACE_ID}-${SPAN_ID}-01, 00-${TRACE_ID}-${SPAN_ID}-01`],
    ['a very long text', `cc-${TRACE_ID}-${SPAN_ID}-01-${'x'.repeat(10_000)}`],
  ])('takes %s for no parent', (_title, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
