import factoryV06 from '@account-abstraction/contracts-v06/artifacts/SimpleAccountFactory.json';
import factoryV07 from '@account-abstraction/contracts-v07/artifacts/SimpleAccountFactory.json';
import factoryV08 from '@account-abstraction/contracts-v08/artifacts/SimpleAccountFactory.json';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { accountImplementationOf, compileKnownImplementations, implementationSlotOf } from './known-implementations';

const ERC1967_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const FIRST_SLOT = `0x${'0'.repeat(64)}`;

/** The proxy's deployed code, out of the published code of the factory that creates it. */
function compiledInto(factory: { bytecode: string }, { start, bytes }: { start: string; bytes: number }): Hex {
  const at = factory.bytecode.indexOf(start, 100);
  return `0x${factory.bytecode.slice(at, at + 2 * bytes)}`;
}

const CODE = {
  simpleAccountV06: compiledInto(factoryV06, { start: '60806040523661001357', bytes: 845 }),
  simpleAccountV07: compiledInto(factoryV07, { start: '6080604052600a600c565b', bytes: 183 }),
  simpleAccountV08: compiledInto(factoryV08, { start: '60806040525f8073', bytes: 141 }),
  soladyErc1967:
    '0x363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
  biconomyV2:
    '0x608060405230546000808092368280378136915af43d82803e156020573d90f35b3d90fdfea2646970667358221220a03b18dce0be0b4c9afe58a9eb85c35205e2cf087da098bbf1d23945bf89496064736f6c63430008110033',
  safe141:
    '0x608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e0000000000000000000000000000000000000000000000000000000060003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fea264697066735822122003d1488ee65e08fa41e58e888a9865554c535f2c77126a82cb4c0f917f31441364736f6c63430007060033',
  safe150:
    '0x608060405260005463a619486e60003560e01c14156024578060601b606c5260206060f35b3660008037600080366000845af43d6000803e806040573d6000fd5b3d6000f3fea2646970667358221220e61834ebd2d8cd909d362bf67c47ef58fd665df38e6dd036ce65611101d072e964736f6c63430007060033',
} as const satisfies Readonly<Record<string, Hex>>;
/** Of an account of thirdweb's default factory: EIP-1167. */
const thirdwebCode = (implementation: string): Hex =>
  `0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`;
const SIMPLE_ACCOUNT_V07 = '0x68641de71cfea5a5d0d29712449ee254bb1400c2';
const SAFE = '0x41675c099f32341bf84bfc5382af534df5c7461a';

const account = randomAddress();
const ownAddressSlot = `0x${account.slice(2).padStart(64, '0')}`;
const known = compileKnownImplementations();
const ask = (code: Hex, implementation: Address | undefined) =>
  accountImplementationOf({ code, implementation, known }).known;

describe('accountImplementationOf', () => {
  it.each<[keyof typeof CODE, Address, string]>([
    ['simpleAccountV06', '0x8abb13360b87be5eeb1b98647a016add927a136c', ERC1967_SLOT],
    ['simpleAccountV07', SIMPLE_ACCOUNT_V07, ERC1967_SLOT],
    ['simpleAccountV08', '0x28426d752372d68d34340bd94390950dce3c9ec3', ERC1967_SLOT],
    ['soladyErc1967', '0x000000039dfcad030719b07296710f045f0558f7', ERC1967_SLOT],
    ['biconomyV2', '0x0000002512019dafb59528b82cb92d3c5d2423ac', ownAddressSlot],
    ['safe141', SAFE, FIRST_SLOT],
    ['safe150', '0xff51a5898e281db6dfc7855790607438df2ca44b', FIRST_SLOT],
  ])('should know %s with its implementation, and with no other', (proxy, implementation, slot) => {
    const code = CODE[proxy];
    expect(implementationSlotOf({ account, code })).toBe(slot);
    expect(ask(code, implementation)).toBe(true);
    expect(ask(code, randomAddress())).toBe(false);
    expect(ask(code, undefined)).toBe(false);
  });

  it.each<Address>(['0xf22175c80c6e074c171811c59c6c0087e2a6a346', '0x94ec38a5d2eda5a543ab4c08d998338d4082beb2'])(
    'should know a clone that has %s in its code, and no other clone',
    (implementation) => {
      expect(implementationSlotOf({ account, code: thirdwebCode(implementation) })).toBeUndefined();
      expect(ask(thirdwebCode(implementation), undefined)).toBe(true);
      expect(ask(thirdwebCode(randomAddress()), undefined)).toBe(false);
      expect(ask(thirdwebCode(randomAddress()), implementation)).toBe(false);
    },
  );

  it('should know a semi-modular account by its code before the owner, whoever that is', () => {
    const [owner, implementation] = [randomAddress(), '0x000000000000c5a9089039570dd36455b5c07383'] as const;
    const code: Hex = `${CODE.soladyErc1967}${owner.slice(2)}`;
    expect(implementationSlotOf({ account, code })).toBe(ERC1967_SLOT);
    expect(ask(code, implementation)).toBe(true);
    // LightAccount 2's implementation is known behind this proxy without an owner.
    expect(ask(code, '0x8e8e658e22b12ada97b402ff0b044d6a325013c7')).toBe(false);
    expect(ask(CODE.soladyErc1967, implementation)).toBe(false);
    expect(ask(`${code}00`, implementation)).toBe(false);
  });

  it.each<[string, Hex]>([
    ['code of its own', randomHex(200)],
    ['no code', '0x'],
    ['known proxy code and a byte more', `${CODE.safe141}00`],
    ['an EIP-7702 delegation to a known implementation', `0xef0100${SIMPLE_ACCOUNT_V07.slice(2)}`],
    ['the implementation itself copied', `0x${factoryV07.bytecode.slice(2, 2_000)}`],
  ])('should not know an account with %s, whatever it stores', (_title, code) => {
    expect(implementationSlotOf({ account, code })).toBeUndefined();
    for (const implementation of known.keys()) expect(ask(code, implementation)).toBe(false);
  });

  it('should not know an implementation behind the proxy of another kind', () => {
    expect(ask(CODE.simpleAccountV07, SAFE)).toBe(false);
    expect(ask(CODE.safe141, SIMPLE_ACCOUNT_V07)).toBe(false);
  });

  it("should know the operator's implementation behind known proxies only", () => {
    const own = randomAddress();
    const vouched = compileKnownImplementations([own]);
    const askVouched = (code: Hex) => accountImplementationOf({ code, implementation: own, known: vouched }).known;
    expect(askVouched(CODE.soladyErc1967)).toBe(true);
    expect(askVouched(randomHex(100))).toBe(false);
  });

  it('should say of Nexus that its nonce names its validator', () => {
    const implementation = '0x000000039dfcad030719b07296710f045f0558f7';
    const nexus = accountImplementationOf({ code: CODE.soladyErc1967, implementation, known });
    expect(nexus).toMatchObject({ known: true, nonceLayout: 'nexus' });
    expect([...nexus.shapes!]).toEqual(['none', 'erc7579Execute', 'executeUserOp(erc7579Execute)']);
  });
});
