import { Interface, toBeHex, ZeroAddress } from 'ethers';
import type { Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { decodeCalls } from './decode-calls';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const SAFE_FACTORY = '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67';
const LAUNCHPAD = '0x7579011ab74c46090561ea277ba79d510c6c00ff';

const contracts = new Interface([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce)',
  'function preValidationSetup(bytes32 initHash, address to, bytes preInit)',
  'function installModule(uint256 moduleType, address module, bytes initData)',
]);
const preValidation = (to: string = ZeroAddress, preInit = '0x') =>
  contracts.encodeFunctionData('preValidationSetup', [randomHex(32), to, preInit]);
const explain = (initializer: string, singleton = LAUNCHPAD) =>
  explainUnknownSetup(
    compileKnownFactories().get(SAFE_FACTORY)!,
    contracts.encodeFunctionData('createProxyWithNonce', [singleton, initializer, 7]) as Hex,
  );

describe('deployment of a Safe7579', () => {
  it('should be known where the launchpad is given a hash only', () => {
    expect(explain(preValidation())).toBeUndefined();
  });

  it('should not be known where the launchpad runs anything, or another one is named', () => {
    const other = randomAddress();
    expect(explain(preValidation(other))).toContain(other);
    expect(explain(preValidation(other, randomHex(36)))).toContain(other);
    expect(explain(preValidation(ZeroAddress, '0x00'))).toContain('setup target');
    expect(explain(preValidation(), other)).toContain(other);
    expect(encode.fieldsOf(preValidation(), (initializer) => explain(initializer))).toBe(
      'hash, setup target, offset of setup data, setup data',
    );
    for (const bad of ['0x', randomHex(100), `${preValidation()}00`, preValidation().slice(0, -2)]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });
});

describe('setupSafe', () => {
  const other = randomAddress();
  const sorted = (...addresses: string[]) => addresses.sort();
  const call: encode.TestCall = { to: randomAddress(), valueWei: 5n, data: randomHex(36) };
  const decode = (setup: encode.Safe7579Setup) =>
    decodeCalls({ callData: encode.encodeSetupSafe([call], setup), entryPointVersion: '0.7' });

  const detailOf = (callData: Hex) => {
    const decoded = decodeCalls({ callData, entryPointVersion: '0.7' });
    return decoded.understood ? undefined : decoded.detail;
  };
  const initSafe7579 = encode.encodeInitSafe7579({ attesters: [randomAddress()] });

  it.each<[string, encode.Safe7579Setup]>([
    ['Safe 1.4.1', {}],
    ['Safe 1.4.1 L2', { singleton: '0x29fcb43b46531bca003ddc8fcb67ffe91900c762' }],
    ['attesters', { attesters: sorted(randomAddress(), randomAddress()) }],
    ['owners', { owners: [other, randomAddress()], threshold: 2n }],
  ])('should be read with %s', (_title, setup) => {
    expect(decode(setup)).toMatchObject({ understood: true, shape: 'setupSafe', calls: [call] });
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(encode.encodeSetupSafe([call]), detailOf)).toBe(
      'offset of init data, singleton, offset of owners, threshold, setup target, offset of setup data, adapter, offset of validators, offset of call data, owners, setup data, validators, call data, offset of executionCalldata',
    );
    expect(encode.fieldsOf(initSafe7579, (setupData) => detailOf(encode.encodeSetupSafe([call], { setupData })))).toBe(
      'adapter, offset of executors, offset of fallback handlers, offset of hooks, offset of attesters, threshold of attesters, executors, fallback handlers, hooks, attesters',
    );
  });

  const modules: encode.Safe7579Setup['validators'] = [[other, '0x']];
  const unsupported = { understood: false, failure: 'UNSUPPORTED_MODE' };

  it.each<[string, encode.Safe7579Setup, object]>([
    ['another singleton, that is: any code', { singleton: other }, unsupported],
    [
      'Safe 1.5.0, which permissionless does not set up',
      { singleton: '0xff51a5898e281db6dfc7855790607438df2ca44b' },
      unsupported,
    ],
    ['another setup target', { setupTo: other }, unsupported],
    ['another adapter', { safe7579: other }, unsupported],
    ['another adapter in the setup data', { enabled: other }, unsupported],
    ['a validator', { validators: modules }, unsupported],
    ['an executor', { executors: modules }, unsupported],
    ['a fallback handler', { fallbacks: modules }, unsupported],
    ['a hook', { hooks: modules }, unsupported],
    ['no owner', { owners: [], threshold: 0n }, unsupported],
    ['a threshold of no owner', { threshold: 0n }, unsupported],
    ['a threshold above the owners', { threshold: 2n }, unsupported],
    ['the zero address as owner', { owners: [other, ZeroAddress] }, unsupported],
    ["the head of Safe's list as owner", { owners: [other, toBeHex(1, 20)] }, unsupported],
    ['an owner twice', { owners: [other, other] }, unsupported],
    ['no attester', { attesters: [] }, unsupported],
    ['a threshold above the attesters', { attestation: 2 }, unsupported],
    ['the zero address as attester', { attesters: [ZeroAddress] }, unsupported],
    ['an attester twice', { attesters: [other, other] }, unsupported],
    ['attesters that are not sorted', { attesters: sorted(other, randomAddress()).reverse() }, unsupported],
    ['another setup call', { setupData: randomHex(100) }, unsupported],
    ['no setup call', { setupData: '0x' }, unsupported],
    ['another function behind it', { callData: encode.encodeSingle('execute', [call]) }, unsupported],
    [
      'the installation of a module behind it',
      { callData: contracts.encodeFunctionData('installModule', [2, other, '0x']) },
      unsupported,
    ],
    [
      'a mode selector, which the adapter ignores',
      { callData: encode.encodeErc7579(`0x${'00'.repeat(4)}12345678${'00'.repeat(24)}`, encode.packExecution([call])) },
      unsupported,
    ],
    ['nothing behind it', { callData: '0x' }, unsupported],
    ['itself behind it', { callData: encode.encodeSetupSafe([call]) }, unsupported],
    [
      'a delegatecall behind it',
      { callData: encode.encodeErc7579(`0xff${'00'.repeat(31)}`, encode.packExecution([call])) },
      { understood: false, failure: 'DELEGATE_CALL' },
    ],
    [
      'bytes after the call',
      { callData: `${encode.encodeErc7579Calls([call])}00` },
      { understood: false, failure: 'NOT_CANONICAL' },
    ],
  ])('should refuse %s', (_title, setup, expected) => {
    expect(decode(setup)).toMatchObject(expected);
  });
});
