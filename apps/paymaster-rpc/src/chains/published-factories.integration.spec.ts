import factoryV07 from '@account-abstraction/contracts-v07/artifacts/SimpleAccountFactory.json';
import { ChainProvider } from '@paymaster/chain';
import { fakeClock } from '@paymaster/chain/testing';
import { LOCAL_CHAIN_ID, rpc, startAnvil, type Anvil } from '@paymaster/devnet';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import type { KnownAccountFactory } from '@paymaster/policy';
import { NO_DEADLINE } from '@paymaster/turns';
import { keccak256, pad } from 'viem';
import { PublishedFactories } from './published-factories';

const PUBLISHED = factoryV07.deployedBytecode as Hex;
const ERC1967_SLOT: Hex = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const FIRST_SLOT: Hex = pad('0x');
/** Solady's minimal ERC-1967 proxy and beacon proxy (`LibClone`): both do what the published code does. */
const PROXY: Hex = `0x363d3d373d3d363d7f${ERC1967_SLOT.slice(2)}545af43d6000803e6038573d6000fd5b3d6000f3`;
const BEACON_PROXY: Hex =
  '0x363d3d373d3d363d602036600436635c60da1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3';

describe('factories that are not what they seem, on a chain', () => {
  let anvil: Anvil;
  let provider: ChainProvider;
  beforeAll(async () => {
    anvil = await startAnvil();
    provider = new ChainProvider({ chainId: LOCAL_CHAIN_ID, rpcUrls: [anvil.url] });
  });
  afterAll(() => anvil?.stop());

  const setCode = (address: Address, code: Hex) => rpc(anvil.url, 'anvil_setCode', [address, code]);
  const setSlot = (address: Address, slot: Hex, value: Address) =>
    rpc(anvil.url, 'anvil_setStorageAt', [address, slot, pad(value)]);

  /** A factory that its owner can point to another implementation, as Etherspot's second one. */
  async function deployed(): Promise<{ factory: KnownAccountFactory; implementation: Address }> {
    const [address, implementation] = [randomAddress(), randomAddress()];
    await setCode(address, PUBLISHED);
    await setSlot(address, FIRST_SLOT, implementation);
    const pointer = { slot: FIRST_SLOT, address: implementation };
    return { factory: { name: 'a', address, onChain: { codeHash: keccak256(PUBLISHED), pointer } }, implementation };
  }

  function reader() {
    const time = fakeClock();
    const factories = new PublishedFactories(provider, { codeHashes: new Set(), clock: time.clock });
    return { time, isPublished: (factory: KnownAccountFactory) => factories.isPublished(factory, NO_DEADLINE) };
  }

  it('is known where the chain has the published factory', async () => {
    const { factory } = await deployed();
    await expect(reader().isPublished(factory)).resolves.toBe(true);
  });

  it.each<[string, (at: Address, published: Address) => Promise<unknown>]>([
    ['nothing', (at) => setCode(at, '0x')],
    ['a proxy in front of the published code', (at) => setCode(at, PROXY)],
    ['a beacon proxy in front of it', (at) => setCode(at, BEACON_PROXY)],
    ['a delegation to it, by EIP-7702', (at, published) => setCode(at, `0xef0100${published.slice(2)}`)],
    ['the published code with a byte more', (at) => setCode(at, `${PUBLISHED}00`)],
  ])('is not known where the chain has %s', async (_what, place) => {
    const [{ factory }, published] = [await deployed(), randomAddress()];
    await setCode(published, PUBLISHED);
    await setSlot(factory.address, ERC1967_SLOT, published);
    await place(factory.address, published);
    await expect(reader().isPublished(factory)).resolves.toBe(false);
  });

  it.each<[string, (at: Address) => Promise<unknown>]>([
    ['code is replaced', (at) => setCode(at, PROXY)],
    ['owner switches the implementation', (at) => setSlot(at, FIRST_SLOT, randomAddress())],
  ])('is not known any more a minute after its %s, and is known again when that is undone', async (_what, change) => {
    const { factory, implementation } = await deployed();
    const { time, isPublished } = reader();
    await expect(isPublished(factory)).resolves.toBe(true);
    await change(factory.address);
    time.advanceSeconds(60);
    await expect(isPublished(factory)).resolves.toBe(false);
    await setCode(factory.address, PUBLISHED);
    await setSlot(factory.address, FIRST_SLOT, implementation);
    time.advanceSeconds(60);
    await expect(isPublished(factory)).resolves.toBe(true);
  });
});
