import { readOperationText, readReference } from './read-operation-text';

const ENTRY_POINT = `0x${'a1'.repeat(20)}`;
const operation = {
  sender: `0x${'ab'.repeat(20)}`,
  nonce: '0x5',
  callData: '0x',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x3b9aca00',
};
const read = (value: unknown) => readOperationText(JSON.stringify(value));

describe('readOperationText', () => {
  it.each<[string, unknown, object]>([
    ['an operation', operation, { userOperation: operation }],
    [
      'a request to a gateway',
      { jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterStubData', params: [operation, ENTRY_POINT, '0x1', {}] },
      { userOperation: operation, entryPoint: ENTRY_POINT },
    ],
    [
      'a request whose second parameter is a context',
      { jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params: [operation, { mode: 'SPONSORED' }] },
      { userOperation: operation },
    ],
    [
      'what POST /explain takes',
      { userOperation: operation, entryPoint: ENTRY_POINT },
      { userOperation: operation, entryPoint: ENTRY_POINT },
    ],
  ])('reads %s', (_, text, question) => {
    expect(read(text)).toEqual({ question });
  });

  it.each<[string, unknown, RegExp]>([
    ['one field that is missing', { ...operation, nonce: undefined }, /^nonce: missing/],
    [
      'each missing field of a request, with its place',
      { params: [{ ...operation, sender: null, callData: undefined }] },
      /^params\[0\]\.sender, params\[0\]\.callData: missing/,
    ],
    ['a request without a list', { jsonrpc: '2.0', params: operation }, /^params must be a list/],
    ['a request without an operation', { params: [] }, /^params\[0\] must be the operation/],
    ['an EntryPoint that is no address', { params: [operation, '0x12'] }, /^params\[1\] must be an address/],
    ['an EntryPoint that is no text', { userOperation: operation, entryPoint: 7 }, /^entryPoint must be an address/],
    ['a batch', [operation], /^This is a list/],
    ['a number', 12, /^This is no JSON object/],
  ])('names %s', (_, text, problem) => {
    expect(read(text)).toEqual({ problem: expect.stringMatching(problem) as string });
  });

  it('says why a text is no JSON', () => {
    expect(readOperationText('{"sender": }')).toEqual({
      problem: expect.stringMatching(/^This is no JSON: Unexpected token/),
    });
  });
});

describe('readReference', () => {
  const hash = `0x${'AB'.repeat(32)}`;
  const id = '47ab2eb4-0cbd-4c04-8a6e-2c75e671e257';
  it.each([
    ['the hash of an operation', ` ${hash}\n`, { hash: hash.toLowerCase() }],
    ['the id of an operation', id, { id }],
    ['the JSON of an operation', JSON.stringify(operation), undefined],
    ['an address', ENTRY_POINT, undefined],
    ['half a hash', hash.slice(0, 40), undefined],
  ])('reads %s', (_, text, reference) => expect(readReference(text)).toEqual(reference));
});
