import { demoCounterAbi, demoCounterBytecode } from '@paymaster/contract-abis';
import { normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { Interface } from 'ethers';
import { ChainProvider } from '../providers/chain-provider';
import { compileSolidityFile } from '../testing/compile-solidity';
import { SimpleAccounts } from '../testing/simple-accounts';
import { UNHURRIED } from '../testing/unhurried';
import { CallGas, type MeasuredCall } from './call-gas';

/** Runtime code that burns all the gas it gets, whatever the call is. */
const BURNER = '0x5b5f56';
/** Creation code of a contract that burns as much gas as its first argument says. */
const ARGUMENT_BURNER = '0x600e8060095f395ff35a5b805a90036004351160015700';
const MOST_GAS = 5_000_000n;
const COUNTER = new Interface(demoCounterAbi);

describe('CallGas', () => {
  let accounts: SimpleAccounts;
  let counter: Address;
  let sender: Address;

  beforeAll(async () => {
    accounts = await SimpleAccounts.start([]);
    const deployed = await accounts.deploy({ abi: demoCounterAbi, bytecode: demoCounterBytecode });
    counter = normalizeAddress(await deployed.getAddress());
    sender = normalizeAddress(accounts.deployer.address);
  });
  afterAll(() => accounts?.stop());

  const increment = (): MeasuredCall => {
    const data = COUNTER.encodeFunctionData('increment') as Hex;
    return { to: counter, valueWei: 0n, data, selector: data.slice(0, 10) as Hex };
  };
  const question = (calls: readonly MeasuredCall[]) => ({ sender, shape: 'execute', calls });

  it('justifies the gas of the called contract, and the gas around a call', async () => {
    const callGas = new CallGas(accounts.provider);
    const justified = await callGas.measure(question([increment()]), MOST_GAS);
    // The first count writes a new slot: some 45,000 gas with its address and event, plus a tenth, plus the account's
    // own gas.
    expect(justified).toBeGreaterThan(60_000n);
    expect(justified).toBeLessThan(95_000n);
  });

  it('counts every call of a batch, those that follow with warm slots', async () => {
    const callGas = new CallGas(accounts.provider);
    const one = (await callGas.measure(question([increment()]), MOST_GAS)) ?? 0n;
    const two = (await callGas.measure(question([increment(), increment()]), MOST_GAS)) ?? 0n;
    expect(two - one).toBeGreaterThan(7_000n);
    expect(two - one).toBeLessThan(20_000n);
  });

  it('justifies the gas of setting the account up, with the same margin, for the operation that does so', async () => {
    const callGas = new CallGas(accounts.provider);
    const justified = (await callGas.measure(question([increment()]), MOST_GAS)) ?? 0n;
    expect(callGas.known({ ...question([increment()]), setupGas: 100_000n })).toBe(justified + 110_000n);
    expect(callGas.known(question([increment()]))).toBe(justified);
  });

  it('does not run the account, whose owner may have it burn gas in a simulation', async () => {
    const honest = await new CallGas(accounts.provider).measure(question([increment()]), MOST_GAS);
    await accounts.rpc.send('anvil_setCode', [sender, BURNER]);
    try {
      expect(await new CallGas(accounts.provider).measure(question([increment()]), MOST_GAS)).toBe(honest);
    } finally {
      await accounts.rpc.send('anvil_setCode', [sender, '0x']);
    }
  });

  // An account that a contract calls back answers (ERC-721, ERC-1155, ERC-1271, ERC-165).
  it.each([
    ...['safeMint', 'mint1155', 'mintBatch1155', 'asksForSignature', 'sendsCoin'],
    ...['asksForInterface', 'checksInterface', 'wantsNoOtherInterface'],
  ])('justifies the gas of a contract that calls the account back: %s', async (method) => {
    const contract = await accounts.deploy(compileSolidityFile('libs/chain/src/testing/CallsBack.sol')['CallsBack']!);
    const data = contract.interface.encodeFunctionData(method) as Hex;
    const call = { to: normalizeAddress(await contract.getAddress()), valueWei: 0n, data, selector: data };
    const justified = await new CallGas(accounts.provider).measure(question([call]), MOST_GAS);
    expect(justified).toBeGreaterThan(250_000n);
    expect(justified).toBeLessThan(350_000n);
  });

  it('remembers results by contract, method and account function, and measures only once', async () => {
    const callGas = new CallGas(accounts.provider);
    expect(callGas.known(question([increment()]))).toBeUndefined();
    const justified = await callGas.measure(question([increment()]), MOST_GAS);
    expect(callGas.known(question([increment()]))).toBe(justified);
    expect(callGas.known({ ...question([increment()]), shape: 'executeBatch' })).toBeUndefined();
    expect(callGas.known(question([increment(), increment()]))).toBeUndefined();
  });

  it('remembers dear results for the same sender and call data only', async () => {
    const spender = await accounts.deploy({ abi: [], bytecode: ARGUMENT_BURNER });
    const to = normalizeAddress(await spender.getAddress());
    const burn = (gas: bigint): MeasuredCall[] => {
      const data: Hex = `0x12345678${gas.toString(16).padStart(64, '0')}`;
      return [{ to, valueWei: 0n, data, selector: '0x12345678' }];
    };
    const callGas = new CallGas(accounts.provider);
    const justified = await callGas.measure(question(burn(300_000n)), MOST_GAS);
    expect(justified).toBeGreaterThan(300_000n);
    expect(callGas.known(question(burn(300_000n)))).toBe(justified);
    expect(callGas.known(question(burn(1n)))).toBeUndefined();
    expect(callGas.known({ ...question(burn(300_000n)), sender: counter })).toBeUndefined();
    const cheap = await callGas.measure(question(burn(1n)), MOST_GAS);
    expect(cheap).toBeLessThan(60_000n);
    expect(callGas.known(question(burn(300_000n)))).toBe(cheap);
  });

  it('justifies nothing if the nodes take no state overrides', async () => {
    const nowhere = new ChainProvider({ chainId: 31337, rpcUrls: [accounts.anvil.url] }, UNHURRIED);
    const refusing = {
      ethCall: () => nowhere.ethCall({ to: counter, data: '0xffffffff' }, () => 0n),
    } as unknown as Pick<ChainProvider, 'ethCall'>;
    // The counter has no such function, so it reverts, as the call does on a node that ignores the override.
    expect(await new CallGas(refusing).measure(question([increment()]), MOST_GAS)).toBeUndefined();
  });
});
