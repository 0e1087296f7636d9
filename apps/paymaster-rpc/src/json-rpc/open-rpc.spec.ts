import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { undressedMethods } from '../methods';
import { renderOpenRpc } from './render-open-rpc';

const FILE = join(__dirname, '../../../../docs/api/paymaster-rpc.openrpc.json');

describe('the OpenRPC document', () => {
  it('stands in docs/api as the code has it', () => {
    // node dist/apps/paymaster-rpc/open-rpc.js docs/api/paymaster-rpc.openrpc.json --write
    expect(readFileSync(FILE, 'utf8')).toBe(renderOpenRpc());
  });

  it.each(undressedMethods().flatMap(({ name, document }) => document.params.map((param) => [name, param] as const)))(
    'has a JSON Schema for what %s takes',
    (_method, { schema }) => {
      const ajv = new Ajv();
      void ajv.validateSchema(schema);
      expect(ajv.errors ?? []).toEqual([]);
    },
  );

  it('describes every method with its parameters by position', () => {
    const { methods } = JSON.parse(renderOpenRpc()) as {
      methods: Array<{ name: string; params: Array<{ name: string }> }>;
    };
    expect(methods.map(({ name, params }) => [name, ...params.map((param) => param.name)])).toEqual([
      ['pm_getFeeQuoteOrData', 'userOperation', 'mode', 'modeAfterEntryPoint'],
      ['pm_sponsorUserOperation', 'userOperation', 'mode', 'modeAfterEntryPoint'],
      ['pm_explain', 'userOperation', 'mode', 'modeAfterEntryPoint'],
      ['pm_getPaymasterStubData', 'userOperation', 'entryPoint', 'chainId', 'context'],
      ['pm_getPaymasterData', 'userOperation', 'entryPoint', 'chainId', 'context'],
      ['pm_supportedEntryPoints'],
      ['pm_chainId'],
      ['pm_supportedERC20Tokens', 'entryPoint'],
      ['rpc.discover'],
    ]);
  });
});
