import { concatHex, encodeAbiParameters, zeroHash, type Hex } from 'viem';
import { CANONICAL_ENTRY_POINTS, ENTRY_POINT_VERSIONS, type EntryPointVersion } from '@paymaster/domain';
import entryPointV06 from '@account-abstraction/contracts-v06/artifacts/EntryPoint.json';
import factoryV06 from '@account-abstraction/contracts-v06/artifacts/SimpleAccountFactory.json';
import entryPointV07 from '@account-abstraction/contracts-v07/artifacts/EntryPoint.json';
import factoryV07 from '@account-abstraction/contracts-v07/artifacts/SimpleAccountFactory.json';
import entryPointV08 from '@account-abstraction/contracts-v08/artifacts/EntryPoint.json';
import simple7702 from '@account-abstraction/contracts-v08/artifacts/Simple7702Account.json';
import factoryV08 from '@account-abstraction/contracts-v08/artifacts/SimpleAccountFactory.json';
import entryPointV09 from '@account-abstraction/contracts-v09/artifacts/EntryPoint.json';
import factoryV09 from '@account-abstraction/contracts-v09/artifacts/SimpleAccountFactory.json';
import { deployDeterministically } from './deterministic-deployment';
import type { DevChain } from './dev-chain';
import { placeContract } from './place-contract';

export type PerVersion<T> = Readonly<Record<EntryPointVersion, T>>;

/**
 * SimpleAccountFactory, the same address on every chain (eth-infinitism deployments). That of v0.9 is where the code of the
 * release candidate on npm lands; the final release's is another one.
 */
export const CANONICAL_ACCOUNT_FACTORIES: PerVersion<Hex> = {
  '0.6': '0x9406cc6185a346906296840746125a0e44976454',
  '0.7': '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985',
  '0.8': '0x13e9ed32155810fdbd067d4522c492d6f68e5944',
  '0.9': '0xedd9667c46f5fc5115ec33940df899ad4eae5949',
};

/** Simple7702Account, which accounts of EntryPoint v0.8 delegate to by EIP-7702; the same address on every chain. */
export const CANONICAL_DELEGATE: Hex = '0xe6cae83bde06e4c305530e199d7217f42808555b';

/**
 * Creation code as published on npm, and the salt the canonical EntryPoint was deployed with. Of v0.9 only a release
 * candidate is published, which no salt brings to the canonical address: it is placed there.
 */
const PUBLISHED: PerVersion<{ entryPoint: Hex; salt?: Hex; factory: Hex }> = {
  '0.6': { entryPoint: hex(entryPointV06.bytecode), salt: zeroHash, factory: hex(factoryV06.bytecode) },
  '0.7': {
    entryPoint: hex(entryPointV07.bytecode),
    salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
    factory: hex(factoryV07.bytecode),
  },
  '0.8': {
    entryPoint: hex(entryPointV08.bytecode),
    salt: '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
    factory: hex(factoryV08.bytecode),
  },
  '0.9': { entryPoint: hex(entryPointV09.bytecode), factory: hex(factoryV09.bytecode) },
};

/**
 * Puts the EntryPoints, SimpleAccount factories and Simple7702Account where they are on every public chain.
 *
 * @throws when one would not land on its canonical address
 */
export async function deployCanonicalContracts(chain: DevChain): Promise<void> {
  const delegate = { name: 'Simple7702Account', initCode: hex(simple7702.bytecode), expected: CANONICAL_DELEGATE };
  await Promise.all([
    ...ENTRY_POINT_VERSIONS.map((version) => deployVersion(chain, version)),
    deployDeterministically(chain, delegate),
  ]);
}

async function deployVersion(chain: DevChain, version: EntryPointVersion): Promise<void> {
  const { entryPoint, salt, factory } = PUBLISHED[version];
  const expected = CANONICAL_ENTRY_POINTS[version];
  const contract = { name: `EntryPoint v${version}`, initCode: entryPoint };
  if (salt) await deployDeterministically(chain, { ...contract, salt, expected });
  else await placeContract(chain, { ...contract, address: expected });
  // Afterwards: the factories of v0.8 and v0.9 ask the EntryPoint for its SenderCreator when they are made.
  await deployDeterministically(chain, {
    name: `SimpleAccountFactory v${version}`,
    initCode: concatHex([factory, encodeAbiParameters([{ type: 'address' }], [expected])]),
    expected: CANONICAL_ACCOUNT_FACTORIES[version],
  });
}

function hex(bytecode: string): Hex {
  return bytecode as Hex;
}
