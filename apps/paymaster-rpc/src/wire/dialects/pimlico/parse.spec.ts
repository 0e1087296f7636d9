import { CANONICAL_ENTRY_POINTS } from '@paymaster/domain';
import { limitPolicyBuilder, rulesPolicyBuilder } from '@paymaster/domain/testing';
import { MethodRegistry } from '../../json-rpc/method-registry';
import type { RpcMetrics } from '../../../metrics/rpc-metrics';
import { exampleCaller, MINT_CALL, STRANGER, TOKEN } from '../../../testing/examples/example-world';
import { sponsoredMode, wireOperationV06, wireOperationV07 } from '../../../testing/rpc-call';
import { erc20Mode } from '../../../testing/token-call';
import { DIALECTS } from '../index';
import { parsePimlicoRequest } from './parse';

const registry = new MethodRegistry(DIALECTS, {} as RpcMetrics);
const operation = wireOperationV07(MINT_CALL);
const entryPoint = CANONICAL_ENTRY_POINTS['0.7'];
const policies = ['first', 'second'].map((id) => rulesPolicyBuilder().with('policyId', id).build());
const restriction = limitPolicyBuilder().with('policyId', 'restriction').build();
const caller = exampleCaller({}, { policies: [...policies, restriction] });

/** What is asked for, once the dialect that takes the params is known to be Pimlico's. */
function parse(...params: unknown[]) {
  const sent = JSON.parse(JSON.stringify(params)) as unknown[];
  const { shape, params: checked } = registry.get('pm_sponsorUserOperation').claim(sent);
  expect([shape.method.parse, shape.errors.decisionStatus]).toEqual([parsePimlicoRequest, 200]);
  return parsePimlicoRequest(checked, caller);
}

describe('pm_sponsorUserOperation without a mode', () => {
  it.each<[string, unknown[]]>([
    ['no context (thirdweb, permissionless)', []],
    ['null (userop)', [null]],
    ['an empty context', [{}]],
    ['pay as you go (Stackup)', [{ type: 'payg' }]],
    ['what it does not know', [{ meta: { a: 1 } }]],
    ['nulls', [{ token: null, policyId: null, sponsorshipPolicyId: null }]],
  ])('is sponsored by whatever policy allows with %s', (_title, context) => {
    expect(parse(operation, entryPoint, ...context)).toMatchObject({
      ...{ mode: 'sponsored', policyIds: undefined, calculateGasLimits: true, webhookData: undefined },
      ...{ operation: { entryPointVersion: '0.7' }, expiry: { seconds: undefined } },
    });
  });

  it('is for the EntryPoint that it names', () => {
    const v06 = parse(wireOperationV06(MINT_CALL), CANONICAL_ENTRY_POINTS['0.6']);
    expect(v06.operation.entryPointVersion).toBe('0.6');
    expect(parse(operation, CANONICAL_ENTRY_POINTS['0.8'].toLowerCase()).operation.entryPointVersion).toBe('0.8');
  });

  it.each([
    { sponsorshipPolicyId: 'second' },
    { policyId: 'second' },
    { policyId: 'second', sponsorshipPolicyId: 'second' },
    { policyId: ['second', 'second'], policyIds: ['second'], sponsorshipPolicyId: 'second' },
  ])('is sponsored by the policy of %j', (context) => {
    expect(parse(operation, entryPoint, context)).toMatchObject({ mode: 'sponsored', policyIds: ['second'] });
  });

  it.each([
    [{ sponsorshipPolicyId: 'Second' }, 'sponsorshipPolicyId'],
    [{ policyId: 'restriction' }, 'policyId'],
    [{ policyId: 'first', sponsorshipPolicyId: 'second' }, 'sponsorshipPolicyId'],
    [{ policyId: ['first', 'third'] }, 'policyId[1]'],
    [{ policyIds: ['first'], token: TOKEN.address }, 'policyIds'],
    [{ sponsorshipPolicyId: 'second', policyId: 'third' }, 'policyId'],
    [{ sponsorshipPolicyId: 'second', token: TOKEN.address }, 'sponsorshipPolicyId'],
  ])('refuses %j, naming the field', (context, field) => {
    expect(() => parse(operation, entryPoint, context)).toThrow(`params[2].${field} `);
  });

  it('ignores policies of another vendor where the owner lets clients name them, and no policy of his own', () => {
    const lenient = exampleCaller({ ignoreForeignPolicyIds: true }, { policies: [...policies, restriction] });
    const asked = (context: object) => parsePimlicoRequest([operation, entryPoint, context], lenient);
    expect(asked({ sponsorshipPolicyId: 'sp_wild_magneto' })).toMatchObject({
      mode: 'sponsored',
      policyIds: undefined,
    });
    expect(() => asked({ sponsorshipPolicyId: 'restriction' })).toThrow('params[2].sponsorshipPolicyId must be');
    expect(() => parse(operation, entryPoint, { sponsorshipPolicyId: 'sp_wild_magneto' })).toThrow(
      'Its owner can set ignoreForeignPolicyIds',
    );
  });

  it.each([{ token: TOKEN.address }, { type: 'erc20token', token: TOKEN.address.toUpperCase().replace('0X', '0x') }])(
    'is paid in the token of %j',
    (context) => {
      expect(parse(operation, entryPoint, context)).toMatchObject({
        ...{ mode: 'token', calculateGasLimits: true, refuseExpiredQuote: false, field: 'params[2].token' },
        tokens: { feeToken: TOKEN.address, field: 'params[2].token' },
      });
    },
  );

  it('holds as long as it asks for, in either mode', () => {
    expect(parse(operation, entryPoint, { validForSeconds: 200 })).toMatchObject({
      expiry: { seconds: 200, field: 'params[2].validForSeconds' },
    });
    expect(parse(operation, entryPoint, { validForSeconds: 200, token: STRANGER })).toMatchObject({
      expirySeconds: 200,
    });
  });

  it.each<[string, unknown[]]>([
    ['a mode', [operation, sponsoredMode()]],
    ['a mode behind the EntryPoint', [operation, entryPoint, sponsoredMode()]],
    ['what a mode follows from', [operation, entryPoint, sponsoredMode({ mode: undefined })]],
    ['token mode', [operation, entryPoint, erc20Mode({})]],
    ['a mode and a policy', [operation, entryPoint, sponsoredMode({ sponsorshipPolicyId: 'first' })]],
    ['two modes', [operation, sponsoredMode(), sponsoredMode()]],
  ])('leaves to Biconomy what has %s', (_title, params) => {
    const { shape } = registry.get('pm_sponsorUserOperation').claim(JSON.parse(JSON.stringify(params)));
    expect(shape.errors.decisionStatus).toBe(400);
  });
});
