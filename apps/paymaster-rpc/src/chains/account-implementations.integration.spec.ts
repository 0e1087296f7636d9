import { ChainProvider } from '@paymaster/chain';
import {
  CANONICAL_ENTRY_POINTS,
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  ZERO_ADDRESS,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import {
  CANONICAL_ACCOUNT_FACTORIES,
  connectDevChain,
  deployCanonicalContracts,
  DEV_KEYS,
  LOCAL_CHAIN_ID,
  rpc,
  startAnvil,
  type Anvil,
  type DevChain,
} from '@paymaster/devnet';
import { NO_DEADLINE } from '@paymaster/turns';
import { encodeAbiParameters, encodeFunctionData, keccak256, numberToHex, parseAbi, stringToHex } from 'viem';
import { AccountImplementations } from './account-implementations';

const ERC1967_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const FIRST_SLOT: Hex = `0x${'0'.repeat(64)}`;
const SIMPLE_ACCOUNT_V07 = '0x68641de71cfea5a5d0d29712449ee254bb1400c2';
const SAFE = '0x41675c099f32341bf84bfc5382af534df5c7461a';
/** Runtime code in SafeProxy.json of @safe-global/safe-contracts 1.4.1. */
const SAFE_PROXY =
  '0x608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e0000000000000000000000000000000000000000000000000000000060003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fea264697066735822122003d1488ee65e08fa41e58e888a9865554c535f2c77126a82cb4c0f917f31441364736f6c63430007060033';
/** Where a Safe stores its fallback handler (FallbackManager.sol), and that a module is enabled (ModuleManager.sol). */
const HANDLER_SLOT = keccak256(stringToHex('fallback_manager.handler.address'));
const enabledSlot = (module: Address) =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [module, 1n]));
const SAFE_MODULE: Address = '0x75cf11467937ce3f2f357ce24ffc3dbf8fd5c226';
const ABI = parseAbi([
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function senderCreator() view returns (address)',
]);

describe('AccountImplementations', () => {
  let anvil: Anvil;
  let chain: DevChain;
  let accounts: AccountImplementations;

  beforeAll(async () => {
    anvil = await startAnvil();
    chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
    await deployCanonicalContracts(chain);
    accounts = new AccountImplementations(new ChainProvider({ chainId: LOCAL_CHAIN_ID, rpcUrls: [anvil.url] }));
  });

  afterAll(() => anvil?.stop());

  const ask = (method: string, ...params: unknown[]) => rpc<unknown>(anvil.url, method, params);

  const reader = { clientAddress: '192.0.2.1', deadlineMs: NO_DEADLINE };
  const isKnown = async (account: Address) => (await accounts.implementationOf(account, reader)).known;

  async function deploySimpleAccount(version: EntryPointVersion): Promise<Address> {
    const to = CANONICAL_ACCOUNT_FACTORIES[version];
    const args = [randomAddress(), 0n] as const;
    const data = encodeFunctionData({ abi: ABI, functionName: 'createAccount', args });
    if (version === '0.8' || version === '0.9') {
      // Its factory accepts calls only from the EntryPoint's SenderCreator.
      const entryPoint = CANONICAL_ENTRY_POINTS[version];
      const from = await chain.reader.readContract({ address: entryPoint, abi: ABI, functionName: 'senderCreator' });
      await ask('anvil_impersonateAccount', from);
      await ask('anvil_setBalance', from, numberToHex(10n ** 18n));
      const hash = (await ask('eth_sendTransaction', { from, to, data })) as Hex;
      await chain.reader.waitForTransactionReceipt({ hash });
    } else {
      await chain.execute({ to, data });
    }
    const address = await chain.reader.readContract({ address: to, abi: ABI, functionName: 'getAddress', args });
    return normalizeAddress(address);
  }

  async function placeCode(code: Hex, storage: Readonly<Record<Hex, Address>>): Promise<Address> {
    const address = randomAddress();
    await ask('anvil_setCode', address, code);
    for (const [slot, value] of Object.entries(storage)) {
      await ask('anvil_setStorageAt', address, slot, `0x${value.slice(2).padStart(64, '0')}`);
    }
    return address;
  }

  it.each(ENTRY_POINT_VERSIONS)(
    'knows a SimpleAccount that the factory of EntryPoint v%s deployed',
    async (version) => {
      const account = await deploySimpleAccount(version);
      expect(await chain.hasCode(account)).toBe(true);
      await expect(isKnown(account)).resolves.toBe(true);
    },
  );

  it('does not know a contract of its own code that stores known addresses where proxies keep theirs', async () => {
    const counterfeit = await placeCode('0x60006000f3', { [ERC1967_SLOT]: SIMPLE_ACCOUNT_V07, [FIRST_SLOT]: SAFE });
    await expect(isKnown(counterfeit)).resolves.toBe(false);
  });

  it('does not know an account that delegates by EIP-7702, even to a known implementation', async () => {
    const delegated = await placeCode(`0xef0100${SIMPLE_ACCOUNT_V07.slice(2)}`, { [ERC1967_SLOT]: SIMPLE_ACCOUNT_V07 });
    await expect(isKnown(delegated)).resolves.toBe(false);
  });

  it('does not know a SimpleAccount that was upgraded to another implementation', async () => {
    const account = await deploySimpleAccount('0.7');
    await ask('anvil_setStorageAt', account, ERC1967_SLOT, `0x${randomAddress().slice(2).padStart(64, '0')}`);
    await expect(isKnown(account)).resolves.toBe(false);
  });

  it.each<[string, boolean, Readonly<Record<Hex, Address>>]>([
    ['knows a Safe whose 4337 module decodes and calls', true, { [HANDLER_SLOT]: SAFE_MODULE }],
    ['does not know a Safe whose owner set another fallback handler', false, { [HANDLER_SLOT]: randomAddress() }],
    ['does not know a Safe without a fallback handler', false, {}],
    [
      'does not know a Safe whose 4337 module may make no calls',
      false,
      { [HANDLER_SLOT]: SAFE_MODULE, [enabledSlot(SAFE_MODULE)]: ZERO_ADDRESS },
    ],
  ])('%s', async (_title, expected, storage) => {
    const enabled = { [enabledSlot(SAFE_MODULE)]: `0x${'0'.repeat(39)}1` as const };
    const account = await placeCode(SAFE_PROXY, { [FIRST_SLOT]: SAFE, ...enabled, ...storage });
    await expect(isKnown(account)).resolves.toBe(expected);
  });

  it('does not know an address without code', async () => {
    await expect(isKnown(randomAddress())).resolves.toBe(false);
  });
});
