import { nameCall } from './decode-call';

const TO = `0x${'ab'.repeat(20)}`;
const abi = JSON.stringify([
  { type: 'function', name: 'increment', inputs: [], outputs: [], stateMutability: 'nonpayable' },
]);
const SHOP = { name: 'Shop', address: TO, abi, whitelistedMethods: [], methods: ['increment'] };

it('names the contract and the method of a registered contract', () => {
  const call = nameCall({ to: TO.toUpperCase().replace('0X', '0x'), selector: '0xd09de08a', valueWei: '0' }, [SHOP]);
  expect([call.contract, call.method?.signature]).toEqual(['Shop', 'increment()']);
});

it('names no method that the ABI does not have', () => {
  expect(nameCall({ to: TO, selector: '0xdeadbeef', valueWei: '0' }, [SHOP])).toEqual({
    contract: 'Shop',
    method: undefined,
  });
});

it('names nothing of a contract that is not registered, or whose ABI cannot be read', () => {
  expect(nameCall({ to: TO, selector: '0xd09de08a', valueWei: '0' }, [])).toEqual({
    contract: undefined,
    method: undefined,
  });
  expect(nameCall({ to: TO, selector: '0xd09de08a', valueWei: '0' }, [{ ...SHOP, abi: 'x' }]).method).toBeUndefined();
});
