import { createRequire } from 'node:module';
import { join } from 'node:path';
import { concatHex, encodeAbiParameters, encodeFunctionData, pad, parseAbi, slice, toHex, zeroAddress } from 'viem';
import { entryPointV07Abi } from '@paymaster/contract-abis';
import { DEV_KEYS, readStack, rpc } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, type Hex } from '@paymaster/domain';
import { placeAccountContracts } from './clients/account-contracts';
import { publicClient } from './support/chain';

const stack = readStack();
const entryPoint = CANONICAL_ENTRY_POINTS['0.7'];
const { address: owner } = DEV_KEYS.bundlerExecutor;

const abi = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 salt)',
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address handler, address token, uint256 payment, address receiver)',
  'function enableModules(address[] modules)',
  'function deploy(bytes code, bytes32 salt)',
  'function initialize(address owner, string[] keyIds, uint256[] x, uint256[] y)',
]);
const SAFE_MODULE: Hex = '0x75cf11467937ce3f2f357ce24ffc3dbf8fd5c226';
const MODULE_SETUP: Hex = '0x2dd68b007b46fbe91b9a7c3eda5a7a1063cb5b47';
const HYBRID: Hex = '0x48dbe696a4d990079e039489ba2053b36e8ffec4';
const VALIDATE_USER_OP = '0x19822f7c';

interface Deployment {
  readonly factory: Hex;
  readonly factoryData: Hex;
}

/** With one owner and the one module that it has to enable. */
function cheapestSafe(factory: Hex, singleton: Hex): Deployment {
  const enabling = encodeFunctionData({ abi, functionName: 'enableModules', args: [[SAFE_MODULE]] });
  const initializer = encodeFunctionData({
    ...{ abi, functionName: 'setup' },
    args: [[owner], 1n, MODULE_SETUP, enabling, SAFE_MODULE, zeroAddress, 0n, zeroAddress],
  });
  const args = [singleton, initializer, 0n] as const;
  return { factory, factoryData: encodeFunctionData({ abi, functionName: 'createProxyWithNonce', args }) };
}

/** With one owner and no passkey: each passkey writes three slots, and an account of several signers at least four. */
function cheapestDeleGator(): Deployment {
  const packaged = createRequire(join(__dirname, '../clients/package.json'));
  const { ERC1967Proxy } = packaged('@metamask/delegation-abis/bytecode') as { ERC1967Proxy: Hex };
  const initialize = encodeFunctionData({ abi, functionName: 'initialize', args: [owner, [], [], []] });
  const made = encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }], [HYBRID, initialize]);
  const args = [concatHex([ERC1967Proxy, made]), pad('0x')] as const;
  return {
    factory: '0x69aa2f9fe1572f1b640e1bbc512f5c3a734fc77c',
    factoryData: encodeFunctionData({ abi, functionName: 'deploy', args }),
  };
}

interface Frame {
  readonly to: Hex;
  readonly input: Hex;
  readonly gasUsed: Hex;
  readonly calls?: readonly Frame[];
}

const framesIn = (frame: Frame): readonly Frame[] => [frame, ...(frame.calls ?? []).flatMap(framesIn)];

/** Gas of the deployment, and of a validation that ends at the wrong signature, in an operation without a paymaster. */
async function gasOf({ factory, factoryData }: Deployment): Promise<bigint> {
  const { data: returned = '0x' } = await publicClient(stack).call({ to: factory, data: factoryData });
  const sender = slice(returned, 12);
  const operation = {
    ...{ sender, nonce: 0n, initCode: concatHex([factory, factoryData]), callData: '0x' as const },
    accountGasLimits: concatHex([toHex(2_000_000, { size: 16 }), pad('0x', { size: 16 })]),
    ...{ preVerificationGas: 0n, gasFees: pad('0x'), paymasterAndData: '0x' as const, signature: '0x' as const },
  };
  const args = [[operation], owner] as const;
  const data = encodeFunctionData({ abi: entryPointV07Abi, functionName: 'handleOps', args });
  const call = { from: owner, to: entryPoint, data, gas: toHex(5_000_000) };
  const trace = await rpc<Frame>(stack.chainRpc, 'debug_traceCall', [call, 'latest', { tracer: 'callTracer' }]);
  const frames = framesIn(trace);
  const deployed = frames.find(({ to }) => to === factory);
  const validated = frames.find(({ to, input }) => to === sender && input.startsWith(VALIDATE_USER_OP));
  return BigInt(deployed?.gasUsed ?? 0) + BigInt(validated?.gasUsed ?? 0);
}

beforeAll(() => placeAccountContracts(stack));

/** The gas that counts is `leastGas` of the factory, in libs/policy. */
it.each([
  [
    'Safe 1.4.1',
    255_000n,
    cheapestSafe('0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67', '0x41675c099f32341bf84bfc5382af534df5c7461a'),
  ],
  [
    'Safe 1.5.0',
    255_000n,
    cheapestSafe('0x14f2982d601c9458f93bd70b218933a6f8165e7b', '0xff51a5898e281db6dfc7855790607438df2ca44b'),
  ],
  ["MetaMask's DeleGator", 151_000n, cheapestDeleGator()],
])(
  'the deployment of the cheapest %s takes at least the %s gas that count for it',
  async (_account, least, deployment) => {
    expect(await gasOf(deployment)).toBeGreaterThanOrEqual(least);
  },
);
