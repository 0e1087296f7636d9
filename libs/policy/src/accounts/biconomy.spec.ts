import { Interface } from 'ethers';
import type { Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { checkBiconomySetup } from './biconomy';
import { explainUnknownSetup } from './known-factories';

const biconomy = new Interface([
  'function deployCounterFactualAccount(address moduleSetupContract, bytes moduleSetupData, uint256 index)',
  'function initForSmartAccount(address owner)',
  'function getOwner(address account)',
]);
const ECDSA_MODULE = '0x0000001c5b32F37F5beA87BDD5374eB2aC54eA8e';

const init = biconomy.encodeFunctionData('initForSmartAccount', [randomAddress()]);
const deployment = (module: string, setup: string) =>
  biconomy.encodeFunctionData('deployCounterFactualAccount', [module, setup, 3]) as Hex;
const explain = (factoryData: string) => explainUnknownSetup({ checkSetup: checkBiconomySetup }, factoryData as Hex);

describe('setup of a Biconomy V2 account', () => {
  it.each([ECDSA_MODULE, '0x000000824dc138db84FD9109fc154bdad332Aa8E'])('should know the module %s', (module) => {
    expect(explain(deployment(module, init))).toBeUndefined();
  });

  it('should name another module, which could replace the code of the account', () => {
    const other = randomAddress();
    expect(explain(deployment(other, init))).toContain(other);
  });

  it('should refuse another function of a known module, which could return any module', () => {
    const getOwner = biconomy.encodeFunctionData('getOwner', [randomAddress()]);
    expect(explain(deployment(ECDSA_MODULE, getOwner))).toContain('module setup');
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(deployment(ECDSA_MODULE, init), explain)).toBe(
      'module, offset of module setup, index, module setup',
    );
    expect(encode.fieldsOf(init, (setup) => explain(deployment(ECDSA_MODULE, setup)))).toBe('owner');
  });

  it('should refuse what is not exactly this call', () => {
    const good = deployment(ECDSA_MODULE, init);
    const bad = ['0x', randomHex(100), `${good}00`, good.slice(0, -2), good.replace('df20ffbc', 'df20ffbd')];
    for (const factoryData of [...bad, deployment(ECDSA_MODULE, `${init}00`), deployment(ECDSA_MODULE, '0x')]) {
      expect(explain(factoryData)).toEqual(expect.any(String));
    }
  });
});
