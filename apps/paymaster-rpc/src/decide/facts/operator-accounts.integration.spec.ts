import simple7702 from '@account-abstraction/contracts-v08/artifacts/Simple7702Account.json';
import factoryV07 from '@account-abstraction/contracts-v07/artifacts/SimpleAccountFactory.json';
import { DEV_KEYS, LOCAL_CHAIN_ID, placeContract, type DevChain } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_PAYMASTER_SETTINGS,
  normalizeAddress,
  type Address,
  type Hex,
} from '@paymaster/domain';
import { randomAddress, rulesPolicyBuilder } from '@paymaster/domain/testing';
import { concatHex, encodeAbiParameters, encodeFunctionData, keccak256, numberToHex, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startGatewayWorld, type GatewayWorld } from '../../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV07 } from '../../testing/rpc-call';

const abi = parseAbi([
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function accountImplementation() view returns (address)',
]);

/** thirdweb's default factory for EntryPoint v0.7. */
const THIRDWEB = '0x4be0ddfebca9a5a4a617dee4dece99e7c862dceb';
const OTHER_FACTORY: Hex = '0x60006000fd';

describe('factories, implementations and delegates of the operator', () => {
  let world: GatewayWorld;
  let chain: DevChain;
  let factory: Address;
  let implementation: Address;
  let delegate: Address;
  /** The gateway of an operator who lists none. */
  let elsewhere: string;

  beforeAll(async () => {
    world = await startGatewayWorld({
      prepareChain: async (preparation) => {
        chain = preparation.chain;
        const types = [{ type: 'address' }] as const;
        const entryPoint = encodeAbiParameters(types, [CANONICAL_ENTRY_POINTS['0.7']]);
        // Published code at addresses of the operator's own.
        factory = await deployed(concatHex([factoryV07.bytecode as Hex, entryPoint]));
        delegate = await deployed(simple7702.bytecode as Hex);
        const read = { address: factory, abi, functionName: 'accountImplementation' } as const;
        implementation = normalizeAddress(await chain.reader.readContract(read));
        // The operator's chain has this code where others have thirdweb's factory.
        await chain.reader.request({ method: 'anvil_setCode' as never, params: [THIRDWEB, OTHER_FACTORY] as never });
        const listed = { factories: [factory], implementations: [implementation], delegates: [delegate] };
        return { knownAccounts: { ...listed, codeHashes: [keccak256(OTHER_FACTORY)] } };
      },
    });
    world.node.beHonest();
    elsewhere = await world.another({ knownAccounts: {} });
  });
  afterAll(() => world?.stop());

  async function deployed(initCode: Hex): Promise<Address> {
    const address = randomAddress();
    await placeContract(chain, { name: "the operator's contract", address, initCode });
    return address;
  }

  const increment = () => executeCall({ to: world.demo.address, data: world.demo.callData });

  /** How both gateways answer: that of the operator who lists the accounts, then the other. */
  async function outcomes({ apiKey }: { apiKey: string }, operation: object, version: '0.7' | '0.8' = '0.7') {
    const params = [operation, CANONICAL_ENTRY_POINTS[version], sponsoredMode()];
    const ask = async (url: string) => {
      const { json } = await call(`${url}/api/v2/${LOCAL_CHAIN_ID}/${apiKey}`, 'pm_sponsorUserOperation', params);
      return json.error ? json.error.data['reason'] : 'granted';
    };
    return [await ask(world.url), await ask(elsewhere)];
  }

  it('are known by default settings: a factory', async () => {
    const args = [randomAddress(), 0n] as const;
    const read = { address: factory, abi, functionName: 'getAddress', args } as const;
    const sender = await chain.reader.readContract(read);
    const factoryData = encodeFunctionData({ abi, functionName: 'createAccount', args });
    const operation = wireOperationV07(increment(), { sender, nonce: '0x0', factory, factoryData });
    expect(await outcomes(world.newPaymaster(), operation)).toEqual(['granted', 'UNKNOWN_ACCOUNT_FACTORY']);
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, requireKnownAccounts: true };
    expect(await outcomes(world.newPaymaster({ settings }), operation)).toEqual(['granted', 'UNKNOWN_ACCOUNT_FACTORY']);
  });

  it('are known by the hash of their code: a known factory whose code is another on this chain', async () => {
    const createAccount = parseAbi(['function createAccount(address admin, bytes data)']);
    const factoryData = encodeFunctionData({ abi: createAccount, args: [randomAddress(), '0x'] });
    const operation = wireOperationV07(increment(), { nonce: '0x0', factory: THIRDWEB, factoryData });
    expect(await outcomes(world.newPaymaster(), operation)).toEqual(['granted', 'UNKNOWN_ACCOUNT_FACTORY']);
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, allowUnknownFactories: true };
    expect(await outcomes(world.newPaymaster({ settings }), operation)).toEqual(['granted', 'granted']);
    // Whose code it is does not loosen the check of what it is called with.
    const unknownSetup = { ...operation, factoryData: `${factoryData}00` };
    expect(await outcomes(world.newPaymaster(), unknownSetup)).toEqual([
      'UNKNOWN_ACCOUNT_SETUP',
      'UNKNOWN_ACCOUNT_SETUP',
    ]);
  });

  it('are known where known accounts are required: an implementation', async () => {
    const args = [randomAddress(), 1n] as const;
    await chain.execute({ to: factory, data: encodeFunctionData({ abi, functionName: 'createAccount', args }) });
    const sender = await chain.reader.readContract({ address: factory, abi, functionName: 'getAddress', args });
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, requireKnownAccounts: true };
    const operation = wireOperationV07(increment(), { sender });
    expect(await outcomes(world.newPaymaster({ settings }), operation)).toEqual([
      'granted',
      'UNKNOWN_ACCOUNT_IMPLEMENTATION',
    ]);
  });

  it('are known where a policy lists them: a delegate', async () => {
    const owner = privateKeyToAccount(DEV_KEYS.owner.privateKey);
    const signed = await owner.signAuthorization({ chainId: LOCAL_CHAIN_ID, nonce: 0, address: delegate });
    const { chainId, nonce, r, s, yParity = 0 } = signed;
    const numbers = { chainId: numberToHex(chainId), nonce: numberToHex(nonce), yParity: numberToHex(yParity) };
    const eip7702Auth = { ...numbers, address: delegate, r, s };
    const more = { sender: owner.address, nonce: '0x0', preVerificationGas: '100000', eip7702Auth };
    const operation = wireOperationV07(increment(), { ...more, factory: '0x7702', factoryData: '0x' });
    const listing = world.newPaymaster({ policies: [rulesPolicyBuilder({ eip7702Delegates: [delegate] }).build()] });
    expect(await outcomes(listing, operation, '0.8')).toEqual(['granted', 'CALL_DATA_NOT_UNDERSTOOD']);
    expect(await outcomes(world.newPaymaster(), operation, '0.8')).toEqual([
      'EIP7702_NOT_SPONSORED',
      'EIP7702_NOT_SPONSORED',
    ]);
  });
});
