import simple7702V09 from '@account-abstraction/contracts-v09/artifacts/Simple7702Account.json';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { concatHex, encodeAbiParameters, toFunctionSelector, zeroHash, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { compileSolidityFile } from '@paymaster/chain/testing';
import { CANONICAL_ENTRY_POINTS } from '@paymaster/domain';
import { SIMPLE_7702_V09 } from './client-rows';
import { connectDevChain, placeContract, rpc, type PlacedContract, type Stack } from '@paymaster/devnet';

const STAND_INS = 'apps/paymaster-rpc-e2e/src/clients/StandIn.sol';
const NFT = 'apps/paymaster-rpc-e2e/src/clients/DemoNft.sol';
const SOLADY = 'apps/paymaster-rpc-e2e/src/clients/SoladyAccount.sol';
const CLIENTS = join(__dirname, '../../clients');
const packaged = createRequire(join(CLIENTS, 'package.json'));

/** Factories of accounts whose code is in no npm package, at their addresses on public chains. */
interface StandIn {
  readonly name: string;
  readonly address: Hex;
  /** The function that says an account's address, where clients ask for it. */
  readonly view?: string;
  /** Where in a call to the factory the owner's 20 bytes are. */
  readonly ownerAt: number;
  /** Where in an account's signature the 65 bytes of its owner's key are. */
  readonly signatureAt?: number;
}

/** Bytes of a selector, and of a word. */
const [SELECTOR, WORD] = [4, 32];
/** Of an address in the word with this number. */
const addressIn = (word: number) => SELECTOR + word * WORD + 12;
/** `createAccount(bytes data, bytes32 salt)`: a call to the account, with the owner's bytes behind so many words. */
const kernelOwner = (words: number) => SELECTOR + 3 * WORD + SELECTOR + words * WORD;

const FACTORIES: readonly StandIn[] = [
  {
    name: 'LightAccount 2.0.0',
    address: '0x0000000000400cdfef5e2714e63d8040b700bc24',
    ownerAt: addressIn(0),
    signatureAt: 1,
  },
  { name: 'Barz', address: '0x729c310186a57833f622630a16d13f710b83272a', ownerAt: SELECTOR + 4 * WORD },
  {
    name: 'Kernel 2',
    address: '0x5de4839a76cf55d0c90e2061ef4386d962e15ae3',
    ownerAt: SELECTOR + 4 * WORD + SELECTOR + 3 * WORD,
    signatureAt: 4,
  },
  { name: 'Kernel 3.0', address: '0x6723b44abeec4e71ebe3232bd5b455805badd22f', ownerAt: kernelOwner(5) },
  { name: 'Kernel 3.1', address: '0xaac5d4240af87249b3f71bc8e4a2cae074a3e419', ownerAt: kernelOwner(6) },
  { name: 'Kernel 3.2', address: '0x7a1dbab750f12a90eb1b60d2ae3ad17d4d81effe', ownerAt: kernelOwner(6) },
  { name: 'Kernel 3.3', address: '0x2577507b78c2008ff367261cb6285d44ba5ef2e9', ownerAt: kernelOwner(6) },
  {
    name: 'Nexus 1.0.0',
    address: '0x00000bb19a3579f4d779215def97afbd0e30db55',
    view: 'computeAccountAddress(address,uint256,address[],uint8)',
    ownerAt: addressIn(0),
  },
  {
    name: 'Nexus 1.2.0',
    address: '0x0000006648ed9b2b842552be63af870bc74af837',
    view: 'computeAccountAddress(bytes,bytes32)',
    // `abi.encode(bootstrap, data)`, whose data starts with a call of seven words: the first array has the owner's bytes.
    ownerAt: SELECTOR + 3 * WORD + 3 * WORD + SELECTOR + 7 * WORD,
  },
  {
    name: 'thirdweb, EntryPoint v0.6',
    address: '0x85e23b94e7f5e9cc1ff78bce78cfb15b81f0df00',
    view: 'getAddress(address,bytes)',
    ownerAt: addressIn(0),
  },
  {
    name: 'thirdweb, EntryPoint v0.7',
    address: '0x4be0ddfebca9a5a4a617dee4dece99e7c862dceb',
    view: 'getAddress(address,bytes)',
    ownerAt: addressIn(0),
  },
  { name: 'Etherspot', address: '0x2a40091f044e48deb5c0fcbc442e443f3341b451', ownerAt: addressIn(3) },
  {
    name: 'Etherspot, of its own SDK',
    address: '0x38cc0eddd3a944ca17981e0a19470d2298b8d43a',
    view: 'getAddress(bytes32,bytes)',
    ownerAt: addressIn(3),
  },
];

const META_FACTORY: Hex = '0xd703aae79538628d27099b8c4f621be4ccd142d5';
const COINBASE_FACTORY: Hex = '0xba5ed110efdba3d005bfc882d75358acbbb85842';
/** Implementation, validator and bootstrap: the client wants to see code there. */
const NEXUS_1_2_CONTRACTS: readonly Hex[] = [
  '0x00000000383e8cbe298514674ea60ee1d1de50ac',
  '0x0000000031ef4155c978d48a8a7d4edba03b04fe',
  '0x0000003edf18913c01cbc482c978bbd3d6e8ffa3',
];
const BICONOMY_FACTORY: Hex = '0x000000a56aaca3e9a4c479ea6b6cd0dbcb6634f5';
const BICONOMY_IMPLEMENTATION: Hex = '0x0000002512019dafb59528b82cb92d3c5d2423ac';
const LIGHT_ACCOUNT_1_FACTORY: Hex = '0x00004ec70002a32400f8ae005a26081065620d20';
const MODULAR_ACCOUNT_2_FACTORY: Hex = '0x00000000000017c61b5bee81050ec8efc9c6fecd';
const SAFE_MODULE_V06: Hex = '0xa581c4a4db7175302464ff3c06380bc3270b4037';
const SAFE_7579: Hex = '0x7579ee8307284f293b1927136486880611f20002';
const SAFE_7579_LAUNCHPAD: Hex = '0x7579011ab74c46090561ea277ba79d510c6c00ff';
const MODULAR_ACCOUNT_2_IMPLEMENTATION: Hex = '0x000000000000c5a9089039570dd36455b5c07383';

/**
 * Puts the contracts of the clients' accounts where they are on public chains, unless they are there: from published
 * packages, else stand-ins.
 */
export const placeAccountContracts = (stack: Stack) =>
  placeAll(stack, [...standIns(), ...safes(), solady(), simple7702(), ...metaMask()]);

/** A contract that mints NFTs for everybody: its address. */
export async function placeDemoNft(stack: Stack): Promise<Hex> {
  const address = privateKeyToAddress(generatePrivateKey());
  await placeAll(stack, [{ name: 'DemoNft', address, initCode: compiledIn(NFT, 'DemoNft') }]);
  return address;
}

async function placeAll(stack: Stack, contracts: readonly PlacedContract[]): Promise<void> {
  const privateKey = generatePrivateKey();
  const address = privateKeyToAddress(privateKey);
  await rpc(stack.chainRpc, 'anvil_setBalance', [address, '0x3635c9adc5dea00000']);
  const chain = await connectDevChain({ rpcUrl: stack.chainRpc, privateKey });
  await Promise.all(contracts.map((contract) => placeContract(chain, contract)));
}

/** Safe 1.4.1 and 1.5.0 with the module of EntryPoint v0.7, whose npm packages have their code. */
function safes(): PlacedContract[] {
  const artifact = (path: string) => (packaged(`@safe-global/${path}`) as { bytecode: Hex }).bytecode;
  const of = (packageName: string, path: string) => artifact(`${packageName}/build/artifacts/contracts/${path}`);
  const [v141, v150, module] = ['safe-contracts', 'safe-smart-account', 'safe-4337'] as const;
  const module4337 = concatHex([
    of(module, 'Safe4337Module.sol/Safe4337Module.json'),
    encodeAbiParameters([{ type: 'address' }], [CANONICAL_ENTRY_POINTS['0.7']]),
  ]);
  const contracts: Readonly<Record<Hex, Hex>> = {
    '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67': of(v141, 'proxies/SafeProxyFactory.sol/SafeProxyFactory.json'),
    '0x41675c099f32341bf84bfc5382af534df5c7461a': of(v141, 'Safe.sol/Safe.json'),
    '0x29fcb43b46531bca003ddc8fcb67ffe91900c762': of(v141, 'SafeL2.sol/SafeL2.json'),
    '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526': of(v141, 'libraries/MultiSend.sol/MultiSend.json'),
    '0x9641d764fc13c8b624c04430c7356c1c7c8102e2': of(v141, 'libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json'),
    '0x14f2982d601c9458f93bd70b218933a6f8165e7b': of(v150, 'proxies/SafeProxyFactory.sol/SafeProxyFactory.json'),
    '0xff51a5898e281db6dfc7855790607438df2ca44b': of(v150, 'Safe.sol/Safe.json'),
    '0xedd160febbd92e350d4d398fb636302fccd67c7e': of(v150, 'SafeL2.sol/SafeL2.json'),
    '0x218543288004cd07832472d464648173c77d7eb7': of(v150, 'libraries/MultiSend.sol/MultiSend.json'),
    '0xa83c336b20401af773b6219ba5027174338d1836': of(v150, 'libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json'),
    '0x2dd68b007b46fbe91b9a7c3eda5a7a1063cb5b47': of(module, 'SafeModuleSetup.sol/SafeModuleSetup.json'),
    '0x75cf11467937ce3f2f357ce24ffc3dbf8fd5c226': module4337,
    // The setup for EntryPoint v0.6, which does the same.
    '0x8ecd4ec46d4d2a6b64fe960b3d64e8b94b2234eb': of(module, 'SafeModuleSetup.sol/SafeModuleSetup.json'),
  };
  return Object.entries(contracts).map(([address, initCode]) => ({
    ...{ name: `Safe's contract at ${address}`, address: address as Hex, initCode },
  }));
}

/** MetaMask's DeleGator 1.3.0. */
function metaMask(): PlacedContract[] {
  const code = packaged('@metamask/delegation-abis/bytecode') as Readonly<Record<string, Hex>>;
  const of = (name: string): Hex => code[name] ?? '0x';
  const manager: Hex = '0xdb9b1e94b5b69df7e401ddbede43491141047db3';
  // Checks passkeys, which nobody has here: where it lies is its user's choice.
  const library: Hex = '0x00000000000000000000000000000000b0bb7212';
  const delegator = (name: string): Hex => {
    const linked = of(name).replace(/__\$[0-9a-f]{34}\$__/g, library.slice(2)) as Hex;
    const types = [{ type: 'address' }, { type: 'address' }] as const;
    return concatHex([linked, encodeAbiParameters(types, [manager, CANONICAL_ENTRY_POINTS['0.7']])]);
  };
  return [
    { address: '0x69aa2f9fe1572f1b640e1bbc512f5c3a734fc77c', initCode: of('SimpleFactory') },
    {
      address: manager,
      initCode: concatHex([of('DelegationManager'), encodeAbiParameters([{ type: 'address' }], [library])]),
    },
    { address: library, initCode: of('SCL_RIP7212') },
    { address: '0x48dbe696a4d990079e039489ba2053b36e8ffec4', initCode: delegator('HybridDeleGator') },
    { address: '0x63c0c19a282a1b52b07dd5a65b58948a07dae32b', initCode: delegator('EIP7702StatelessDeleGator') },
  ].map((contract) => ({ ...(contract as { address: Hex; initCode: Hex }), name: `MetaMask's ${contract.address}` }));
}

/** Its source is in the npm package, which has no code of its own: every user compiles it. */
function solady(): PlacedContract {
  return {
    name: 'Solady ERC4337Factory',
    address: '0x5d82735936c6cd5de57cc3c1a799f6b2e6f933df',
    initCode: compiledIn(SOLADY, 'SoladyFactory'),
  };
}

/** Of the release candidate of EntryPoint v0.9 that the local chain has. */
function simple7702(): PlacedContract {
  const entryPoint = encodeAbiParameters([{ type: 'address' }], [CANONICAL_ENTRY_POINTS['0.9']]);
  return {
    name: 'Simple7702Account of EntryPoint v0.9',
    address: SIMPLE_7702_V09,
    initCode: concatHex([simple7702V09.bytecode as Hex, entryPoint]),
  };
}

/** Exported for the hashes of their code in tools/lib/stack.mjs. */
export function standIns(): PlacedContract[] {
  const codeOf = (name: string) => compiledIn(STAND_INS, name);
  const withBytes = (name: string, bytes: Hex): Hex =>
    concatHex([codeOf(name), encodeAbiParameters([{ type: 'bytes' }], [bytes])]);
  const biconomyImplementation = encodeAbiParameters([{ type: 'address' }], [BICONOMY_IMPLEMENTATION]);
  return [
    ...FACTORIES.map(({ name, address, view, ownerAt, signatureAt = 0 }) => ({
      ...{ name, address },
      initCode: concatHex([
        codeOf('StandInFactory'),
        encodeAbiParameters(
          [{ type: 'bytes4' }, { type: 'uint256' }, { type: 'uint256' }],
          [view ? toFunctionSelector(view) : (zeroHash.slice(0, 10) as Hex), BigInt(ownerAt), BigInt(signatureAt)],
        ),
      ]),
    })),
    { name: "Kernel's meta factory", address: META_FACTORY, initCode: codeOf('StandInMetaFactory') },
    { name: 'Coinbase Smart Wallet 1.1', address: COINBASE_FACTORY, initCode: codeOf('StandInCoinbaseFactory') },
    ...NEXUS_1_2_CONTRACTS.map((address) => ({ name: 'Nexus 1.2.0', address, initCode: codeOf('StandInAccount') })),
    { name: 'Biconomy V2', address: BICONOMY_IMPLEMENTATION, initCode: codeOf('StandInAccount') },
    {
      name: 'Biconomy V2 factory',
      address: BICONOMY_FACTORY,
      initCode: withBytes('StandInBiconomyFactory', concatHex([biconomyProxyCode(), biconomyImplementation])),
    },
    {
      name: 'LightAccount 1.1.0',
      address: LIGHT_ACCOUNT_1_FACTORY,
      initCode: withBytes('StandInLightFactory', lightAccountProxyCode()),
    },
    { name: 'ModularAccount 2', address: MODULAR_ACCOUNT_2_IMPLEMENTATION, initCode: codeOf('StandInModularAccount') },
    {
      name: 'ModularAccount 2 factory',
      address: MODULAR_ACCOUNT_2_FACTORY,
      initCode: codeOf('StandInModularFactory'),
    },
    { name: "Safe's module of EntryPoint v0.6", address: SAFE_MODULE_V06, initCode: codeOf('StandInSafeModule') },
    { name: "Safe's ERC-7579 adapter", address: SAFE_7579, initCode: codeOf('StandInSafe7579') },
    { name: "The adapter's launchpad", address: SAFE_7579_LAUNCHPAD, initCode: codeOf('StandInLaunchpad') },
  ];
}

/** Creation code of a contract in a Solidity file. */
function compiledIn(file: string, name: string): Hex {
  const contract = compileSolidityFile(file)[name];
  if (!contract) throw new Error(`${file} has no ${name}`);
  return contract.bytecode as Hex;
}

const biconomyProxyCode = () =>
  creationCodeIn(
    'permissionless/accounts/biconomy/toBiconomySmartAccount.ts',
    /BICONOMY_PROXY_CREATION_CODE =\s*"(0x[0-9a-f]+)"/,
  );
const lightAccountProxyCode = () =>
  creationCodeIn(
    '@account-kit/smart-contracts/dist/esm/src/light-account/accounts/predictAddress.js',
    /LAv1_proxy_bytecode = "(0x[0-9a-f]+)"/,
  );

/** The creation code that the client itself computes addresses from. */
function creationCodeIn(file: string, pattern: RegExp): Hex {
  const code = pattern.exec(readFileSync(join(CLIENTS, 'node_modules', file), 'utf8'))?.[1];
  if (!code) throw new Error(`${file} has no creation code`);
  return code as Hex;
}
