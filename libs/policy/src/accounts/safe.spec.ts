import { Interface, ZeroAddress } from 'ethers';
import type { Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { explainUnknownSetup } from './known-factories';
import { checkSafeSetup } from './safe';

const safe = new Interface([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce)',
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function enableModules(address[] modules)',
  'function configure((uint256 x, uint256 y, uint176 verifiers) signer)',
]);

const SINGLETON = '0x41675C099F32341bf84BFc5382aF534df5C7461a';
const MODULE = '0x75cf11467937ce3F2f357CE24ffc3DBF8fD5c226';
const MODULE_SETUP = '0x2dd68b007B46fBe91B9A7c3EDa5A7a1063cB5b47';
const MODULE_V06 = '0xa581c4A4DB7175302464fF3C06380BC3270b4037';
const MODULE_SETUP_V06 = '0x8EcD4ec46D4D2a6B64fE960B3D64e8B94B2234eb';
const PASSKEY_SIGNER = '0x94a4F6affBd8975951142c3999aEAB7ecee555c2';

const enableModules = (...modules: string[]) => safe.encodeFunctionData('enableModules', [modules]);

interface Setup {
  singleton?: string;
  to?: string;
  data?: string;
  fallbackHandler?: string;
  payment?: bigint;
}

function initializer({ to = MODULE_SETUP, data = enableModules(MODULE), ...rest }: Setup): string {
  const owners = [randomAddress(), randomAddress()];
  const { fallbackHandler = MODULE, payment = 0n } = rest;
  const setup = [owners, 1, to, data, fallbackHandler, ZeroAddress, payment, ZeroAddress];
  return safe.encodeFunctionData('setup', setup);
}
const createProxy = (call: string, singleton = SINGLETON) =>
  safe.encodeFunctionData('createProxyWithNonce', [singleton, call, 7]) as Hex;
const factoryData = (setup: Setup) => createProxy(initializer(setup), setup.singleton);

const explain = (data: Hex) => explainUnknownSetup({ checkSetup: checkSafeSetup }, data);
const delegateCall = (to: string, data: string) => ({ to, valueWei: 0n, data, operation: 1 });
const throughMultiSend = (...transactions: (encode.TestCall & { operation: number })[]): Setup => ({
  to: encode.MULTI_SEND,
  data: encode.encodeMultiSend(encode.packMultiSend(transactions)),
});
const enabling = delegateCall(MODULE_SETUP, enableModules(MODULE));
const configuring = delegateCall(PASSKEY_SIGNER, safe.encodeFunctionData('configure', [[1, 2, 3]]));

describe('setup of a Safe', () => {
  it.each<[string, Setup]>([
    ['the module directly', {}],
    ['the module through MultiSend', throughMultiSend(enabling)],
    ['the module and a passkey', throughMultiSend(enabling, configuring)],
    ['the L2 singleton', { singleton: '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762' }],
  ])('should know a Safe that enables %s', (_title, setup) => {
    expect(explain(factoryData(setup))).toBeUndefined();
  });

  const other = randomAddress();

  it.each<[string, Setup]>([
    ['another singleton, that is: any code', { singleton: other }],
    ['another fallback handler, which decodes the operation', { fallbackHandler: other }],
    ['a delegatecall to other code', { to: other, data: '0x12345678' }],
    ['another module', { data: enableModules(other) }],
    ['another module beside the known one', { data: enableModules(MODULE, other) }],
    ['another function of the module setup', { data: '0x12345678' }],
    ['another module through MultiSend', throughMultiSend(enabling, delegateCall(MODULE_SETUP, enableModules(other)))],
    ['a delegatecall to other code through MultiSend', throughMultiSend(enabling, delegateCall(other, '0x'))],
    ['a call that no rule has seen', throughMultiSend(enabling, { ...delegateCall(other, '0x'), operation: 0 })],
  ])('should name %s', (_title, setup) => {
    expect(explain(factoryData(setup))).toContain(setup.data === '0x12345678' && !setup.to ? 'setup call' : other);
  });

  // Its calls would fail at once, whatever gas they were measured to take, and a tenth of that is the bundler's.
  it.each<[string, Setup]>([
    ['of no modules', { data: enableModules() }],
    ['through a MultiSend of nothing', throughMultiSend()],
    ['of a passkey only', throughMultiSend(configuring)],
    ['of the module of another EntryPoint', { data: enableModules(MODULE_V06) }],
    ['by the library of another EntryPoint, which the chain may lack', { to: MODULE_SETUP_V06 }],
  ])('should not know a Safe that lets its fallback handler make no call: a setup %s', (_title, setup) => {
    expect(explain(factoryData(setup))).toBe('setup does not enable the fallback handler as a module');
  });

  it('should name a payment, which setup makes out of the account', () => {
    expect(explain(factoryData({ payment: 1n }))).toContain('payment');
  });

  it('should name a call where a delegatecall is due, even to a known setup', () => {
    const setup = throughMultiSend({ ...enabling, operation: 0 });
    expect(explain(factoryData(setup))).toContain('makes a call');
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(factoryData({}), explain)).toBe(
      'singleton, offset of initializer, salt nonce, initializer, offset of owners, offset of setup data, offset of modules',
    );
    expect(encode.fieldsOf(initializer({}), (data) => explain(createProxy(data)))).toBe(
      'offset of owners, threshold, setup target, offset of setup data, fallback handler, payment token, payment, payment receiver, owners, setup data, offset of modules',
    );
    expect(encode.fieldsOf(enableModules(MODULE), (data) => explain(factoryData({ data })))).toBe(
      'offset of modules, modules',
    );
  });

  it('should name what is not a canonical createProxyWithNonce', () => {
    const good = factoryData({});
    for (const bad of ['0x', randomHex(100), `${good}00`, good.slice(0, -2), good.replace('1688f0b9', '1688f0b8')]) {
      expect(explain(bad as Hex)).toEqual(expect.any(String));
    }
  });
});
