import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem';
import { nameCall } from './decode-call';

const ABI = parseAbi([
  'function mint(address to, uint256 amount)',
  'function mint(address)',
  'function setAll((uint8 kind, bool on)[] flags)',
]);
const contract = { address: '0x1111111111111111111111111111111111111111', name: 'Shop', abi: JSON.stringify(ABI) };
const TO = '0x2222222222222222222222222222222222222222';

const callOf = (data: `0x${string}`, to = contract.address) => ({
  to,
  valueWei: '0',
  selector: data.slice(0, 10),
  data,
});
const named = (call: Parameters<typeof nameCall>[0], abi = contract.abi) =>
  nameCall(call, [{ ...contract, abi } as never]);

describe('nameCall', () => {
  it('names contract, method and arguments, also of an overloaded method', () => {
    const data = encodeFunctionData({ abi: ABI, functionName: 'mint', args: [TO, 10n ** 30n] });
    const call = named(callOf(data, contract.address.toUpperCase().replace('X', 'x')));
    expect(call).toMatchObject({ contract: 'Shop', method: { signature: 'mint(address,uint256)' } });
    expect(call.args).toEqual([
      { name: 'to', value: TO },
      { name: 'amount', value: `1${'0'.repeat(30)}` },
    ]);
    const other = encodeFunctionData({ abi: ABI, functionName: 'mint', args: [TO] });
    expect(named(callOf(other)).args).toEqual([{ name: 'argument 1', value: TO }]);
  });

  it('writes out lists and structs', () => {
    const data = encodeFunctionData({ abi: ABI, functionName: 'setAll', args: [[{ kind: 2, on: true }]] });
    expect(named(callOf(data)).args).toEqual([{ name: 'flags', value: '[{kind: 2, on: true}]' }]);
  });

  it('has no arguments where the data are not known, or are not those of the method', () => {
    const selector = toFunctionSelector('mint(address)');
    const call = { to: contract.address, valueWei: '0', selector };
    expect(named(call)).toMatchObject({ method: { signature: 'mint(address)' }, args: undefined });
    expect(named({ ...call, data: `${selector}01` }).args).toBeUndefined();
  });

  it('names the contract only where its method is not known', () => {
    const call = { to: contract.address, valueWei: '0', selector: '0xdeadbeef' };
    expect(named(call)).toEqual({ contract: 'Shop', method: undefined, args: undefined });
    expect(named(call, 'no ABI')).toEqual({ contract: 'Shop', method: undefined, args: undefined });
    expect(named({ ...call, selector: null })).toEqual({ contract: 'Shop', method: undefined, args: undefined });
  });

  it('names nothing of a contract that is not registered', () => {
    expect(named({ to: TO, valueWei: '0', selector: '0xdeadbeef' })).toEqual({
      ...{ contract: undefined, method: undefined, args: undefined },
    });
  });
});
