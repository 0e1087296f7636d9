import { AbiCoder, Interface, ZeroAddress } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

/** Factory, bootstrap and validator. */
type Version = readonly [Address, string, string];
const FIRST: Version = [
  '0x2a40091f044e48deb5c0fcbc442e443f3341b451',
  '0x0D5154d7751b6e2fDaa06F0cC9B400549394C8AA',
  '0x0740Ed7c11b9da33d9C80Bd76b826e4E90CC1906',
];
const SECOND: Version = [
  '0x38cc0eddd3a944ca17981e0a19470d2298b8d43a',
  '0xCF2808eA7d131d96E5C73Eb0eCD8Dc84D33905C7',
  '0x0eA25BF9F313344d422B513e1af679484338518E',
];
const MODULE = '(address,bytes)';

const contracts = new Interface([
  'function createAccount(bytes32 salt, bytes initCode)',
  `function initMSA(${MODULE}[] validators, ${MODULE}[] executors, ${MODULE} hook, ${MODULE}[] fallbacks)`,
  'function onInstall(bytes data)',
]);
const install = (module: string, data = '0x') => [module, contracts.encodeFunctionData('onInstall', [data])];
const none = install(ZeroAddress);

interface Setup {
  readonly bootstrap?: string;
  readonly validators?: unknown[];
  readonly executor?: unknown;
  readonly hook?: unknown;
  readonly fallback?: unknown;
  readonly initialization?: string;
}
const createWith = (initCode: string) => contracts.encodeFunctionData('createAccount', [randomHex(32), initCode]);

describe.each([
  ['first', FIRST, SECOND],
  ['second', SECOND, FIRST],
])('setup of an Etherspot wallet of the %s factory', (_which, [FACTORY, BOOTSTRAP, VALIDATOR], otherVersion) => {
  function initCodeOf({ bootstrap = BOOTSTRAP, initialization, ...setup }: Setup = {}): string {
    const { validators = [install(VALIDATOR)], executor = none, hook = none, fallback = none } = setup;
    const init = initialization ?? contracts.encodeFunctionData('initMSA', [validators, [executor], hook, [fallback]]);
    return AbiCoder.defaultAbiCoder().encode(['address', 'address', 'bytes'], [randomAddress(), bootstrap, init]);
  }
  const create = (setup?: Setup) => createWith(initCodeOf(setup));
  const explain = (factoryData: string) =>
    explainUnknownSetup(compileKnownFactories().get(FACTORY)!, factoryData as Hex);

  it('should be known for any owner and salt', () => {
    expect(explain(create())).toBeUndefined();
  });

  const other = randomAddress();

  it.each<[string, Setup]>([
    ['another bootstrap, which the account would run', { bootstrap: other }],
    ['the bootstrap of the other factory', { bootstrap: otherVersion[1] }],
    ['another validator', { validators: [install(other)] }],
    ['the validator of the other factory', { validators: [install(otherVersion[2])] }],
    ['a second validator', { validators: [install(VALIDATOR), install(other)] }],
    ['data for the validator', { validators: [install(VALIDATOR, '0x00')] }],
    ['no validator', { validators: [] }],
    ['an executor', { executor: install(other) }],
    ['a hook', { hook: install(other) }],
    ['a fallback handler', { fallback: install(other) }],
    ['another function of the bootstrap', { initialization: randomHex(100) }],
    ['nothing', { initialization: '0x' }],
  ])('should not be known with %s', (_title, setup) => {
    expect(explain(create(setup))).toContain(setup.bootstrap?.toLowerCase() ?? 'initialization');
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(create(), explain)).toBe('salt, offset of init code, init code, offset of initialization');
    expect(encode.fieldsOf(initCodeOf(), (initCode) => explain(createWith(initCode)), 2)).toBe(
      'owner, bootstrap, offset of initialization, initialization',
    );
  });

  it('should not be known by what is not exactly this call', () => {
    const good = create();
    for (const bad of ['0x', good.slice(0, 10), good.slice(0, -2), `${good}00`, good.replace('f8a59370', 'f8a59371')]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });
});
