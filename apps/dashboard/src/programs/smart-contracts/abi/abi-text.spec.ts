import { AbiError } from './abi-error';
import { abiTextIn } from './abi-text';

const ABI = '[ {"type":"function","name":"put","inputs":[]} ]';

describe('abiTextIn', () => {
  it('leaves a list as it was sent', () => {
    expect(abiTextIn(` ${ABI}\n`)).toBe(` ${ABI}\n`);
    expect(abiTextIn('no JSON')).toBe('no JSON');
  });

  it.each<[string, string]>([
    ['Hardhat', `{"_format":"hh-sol-artifact-1","contractName":"Shop","abi":${ABI},"bytecode":"0x6080"}`],
    ['Foundry', `{"abi":${ABI},"bytecode":{"object":"0x"},"methodIdentifiers":{"put()":"00"},"id":3}`],
    ['Etherscan', JSON.stringify({ status: '1', message: 'OK', result: ABI })],
    ['an explorer that answers with a list', `{"status":"1","message":"OK","result":${ABI}}`],
    ['a file whose ABI is text', JSON.stringify({ abi: ABI })],
  ])('finds the ABI in a file of %s', (_title, file) => {
    expect(abiTextIn(file)).toBe(ABI);
  });

  it.each<[string, string, string]>([
    ['a file without one', '{"bytecode":"0x"}', 'a file of Hardhat, Foundry or Etherscan'],
    [
      'what Etherscan says of a contract that it does not know',
      '{"status":"0","message":"NOTOK","result":"Contract source code not verified"}',
      'the file has no ABI, but "Contract source code not verified"',
    ],
    ['an object as ABI', '{"abi":{"put":[]}}', 'the file has no ABI'],
    ['half a surrogate', '{"abi":"[\\ud800]"}', 'well-formed'],
    ['a text that ends early', '{"abi":"[', 'must be JSON'],
  ])('refuses %s', (_title, file, problem) => {
    expect(() => abiTextIn(file)).toThrow(AbiError);
    expect(() => abiTextIn(file)).toThrow(problem);
  });
});
