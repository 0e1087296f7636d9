import { methodsOf, NoAbiError, readAbi } from './read-abi';

const MINT = {
  type: 'function',
  name: 'mint',
  stateMutability: 'payable',
  inputs: [
    { name: 'to', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
  outputs: [],
};
const VIEW = { type: 'function', name: 'total', stateMutability: 'view', inputs: [], outputs: [] };

describe('readAbi', () => {
  it.each([
    ['JSON', JSON.stringify([MINT, VIEW])],
    ['an artifact', JSON.stringify({ contractName: 'Shop', abi: [MINT, VIEW] })],
    ['lines', 'function mint(address to, uint256 amount) payable;\nfunction total() view returns (uint256)'],
  ])('reads %s', (_, text) => {
    expect(methodsOf(readAbi(text))).toEqual([
      {
        name: 'mint',
        signature: 'mint(address,uint256)',
        described: 'mint(address to, uint256 amount)',
        isPayable: true,
        isOverloaded: false,
      },
    ]);
  });

  it('marks overloads and keeps them apart', () => {
    const abi = readAbi('function set(uint256 value)\nfunction set(address who)\nfunction other()');
    expect(methodsOf(abi).map(({ signature, isOverloaded }) => [signature, isOverloaded])).toEqual([
      ['set(uint256)', true],
      ['set(address)', true],
      ['other()', false],
    ]);
  });

  it.each([
    ['', 'Paste the ABI of the contract.'],
    ['[{', /^This is not valid JSON/],
    ['{"bytecode":"0x"}', /neither an ABI nor an artifact/],
    ['[{"name":"mint"}]', /has no type/],
    ['[{"type":"function","name":"mint"}]', /no name or inputs/],
    ['hello', /^This is neither JSON nor lines/],
    [JSON.stringify([VIEW]), /no method that changes state/],
  ])('refuses "%s"', (text, message) => {
    expect(() => readAbi(text)).toThrow(NoAbiError);
    expect(() => readAbi(text)).toThrow(message);
  });
});
