import { concat, Interface, ZeroAddress } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const META_FACTORY: Address = '0xd703aae79538628d27099b8c4f621be4ccd142d5';
const ECDSA_3_0: Address = '0x8104e3ad430ea6d354d013a6789fdfc71e671c43';
const ECDSA_3_1: Address = '0x845adb2c711129d4f3966735ed98a9f09fc4ce57';

const contracts = new Interface([
  'function deployWithFactory(address factory, bytes createData, bytes32 salt)',
  'function createAccount(bytes data, bytes32 salt)',
  'function initialize(bytes21 rootValidator, address hook, bytes validatorData, bytes hookData)',
  'function initialize(bytes21 rootValidator, address hook, bytes validatorData, bytes hookData, bytes[] initConfig)',
  'function installModule(uint256 moduleType, address module, bytes initData)',
]);
const INITIALIZE_3_0 = 'initialize(bytes21,address,bytes,bytes)';
const INITIALIZE_3_1 = 'initialize(bytes21,address,bytes,bytes,bytes[])';

interface Init {
  readonly kind?: string;
  readonly validator?: string;
  readonly hook?: string;
  readonly owner?: string;
  readonly hookData?: string;
  readonly calls?: string[];
}
const old = (init: Init = {}) => contracts.encodeFunctionData(INITIALIZE_3_0, parts({ validator: ECDSA_3_0, ...init }));
const recent = (init: Init = {}) => contracts.encodeFunctionData(INITIALIZE_3_1, [...parts(init), init.calls ?? []]);
const parts = ({ kind = '0x01', validator = ECDSA_3_1, hook = ZeroAddress, owner, hookData = '0x' }: Init) => [
  concat([kind, validator]),
  hook,
  owner ?? randomAddress(),
  hookData,
];
const create = (data: string) => contracts.encodeFunctionData('createAccount', [data, randomHex(32)]);
const deploy = (factory: string, data: string) =>
  contracts.encodeFunctionData('deployWithFactory', [factory, data, randomHex(32)]);
const explain = (factory: Address, factoryData: string) =>
  explainUnknownSetup(compileKnownFactories().get(factory)!, factoryData as Hex);

describe.each<[string, Address, typeof recent]>([
  ['3.0', '0x6723b44abeec4e71ebe3232bd5b455805badd22f', old],
  ['3.1', '0xaac5d4240af87249b3f71bc8e4a2cae074a3e419', recent],
  ['3.2', '0x7a1dbab750f12a90eb1b60d2ae3ad17d4d81effe', recent],
  ['3.3', '0x2577507b78c2008ff367261cb6285d44ba5ef2e9', recent],
])('setup of a Kernel %s', (_version, factory, initialize) => {
  const either = (data: string) => [explain(factory, create(data)), explain(META_FACTORY, deploy(factory, data))];

  it('should be known with its ECDSA validator, by its factory and by the meta factory', () => {
    expect(either(initialize())).toEqual([undefined, undefined]);
  });

  const other = randomAddress();

  it.each<[string, Init, string]>([
    ['another validator', { validator: other }, other],
    ['the validator of another version', { validator: initialize === old ? ECDSA_3_1 : ECDSA_3_0 }, 'validator'],
    ['a permission', { kind: '0x02' }, 'kind'],
    ['a hook', { hook: other }, other],
    ['the hook that stands for none, with data', { hookData: '0x01' }, 'hook data'],
    ['no owner', { owner: '0x' }, 'owner'],
    ['more than an owner', { owner: randomHex(40) }, 'owner'],
  ])('should name %s', (_title, init, expected) => {
    for (const reason of either(initialize(init))) expect(reason).toContain(expected);
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(create(initialize()), (data) => explain(factory, data))).toBe(
      'offset of initialization, salt, initialization',
    );
    expect(encode.fieldsOf(initialize(), (data) => explain(factory, create(data)))).toBe(
      initialize === old
        ? 'root validator, hook, offset of owner, offset of hook data, owner, hook data'
        : 'root validator, hook, offset of owner, offset of hook data, offset of calls, owner, hook data, calls',
    );
  });

  it('should name any other first call', () => {
    const install = contracts.encodeFunctionData('installModule', [2, other, '0x']);
    const otherVersion = initialize === old ? recent() : old();
    for (const data of ['0x', install, otherVersion, `${initialize()}00`, initialize().slice(0, -2), randomHex(200)]) {
      for (const reason of either(data)) expect(reason).toEqual(expect.any(String));
    }
  });

  it('should name calls of the account to itself, which install modules', () => {
    const install = contracts.encodeFunctionData('installModule', [2, other, '0x']);
    if (initialize === recent)
      for (const reason of either(recent({ calls: [install] }))) expect(reason).toContain('itself');
  });
});

describe('meta factory of Kernel', () => {
  it('should not be known with a factory that is not', () => {
    const other = randomAddress();
    expect(explain(META_FACTORY, deploy(other, recent()))).toContain(other);
    expect(explain(META_FACTORY, deploy(META_FACTORY, recent()))).toContain(META_FACTORY);
  });

  it('should be asked by exactly this call', () => {
    const good = deploy('0xaac5d4240af87249b3f71bc8e4a2cae074a3e419', recent());
    expect(encode.fieldsOf(good, (data) => explain(META_FACTORY, data))).toBe(
      'factory, offset of initialization, salt, initialization',
    );
    expect(explain(META_FACTORY, good)).toBeUndefined();
    for (const bad of ['0x', good.slice(0, 10), good.slice(0, -2), `${good}00`, create(recent())]) {
      expect(explain(META_FACTORY, bad)).toEqual(expect.any(String));
    }
  });
});
