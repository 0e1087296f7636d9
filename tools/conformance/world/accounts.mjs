import { concat, Interface, Wallet } from 'ethers';
import { abiCoder } from './entry-points.mjs';

/** What accounts of EntryPoint v0.8 delegate to by EIP-7702, at the same address on every chain. */
export const SIMPLE_7702_ACCOUNT = '0xe6cae83bde06e4c305530e199d7217f42808555b';

const FACTORY = new Interface([
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
]);
const ACCOUNT = new Interface([
  'function execute(address to, uint256 value, bytes data)',
  'function executeBatch(address[] to, bytes[] data)',
  'function executeBatch(address[] to, uint256[] values, bytes[] data)',
  'function executeBatch((address to, uint256 value, bytes data)[] calls)',
]);

/** What wallets put in the place of a signature that is not there yet. */
const STUB_SIGNATURE =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c';

/** A SimpleAccount that nobody has seen: a new owner, nothing deployed, no coin. */
export async function newAccount(node, factory) {
  const owner = Wallet.createRandom();
  const args = [owner.address, 0n];
  const answer = await node.call('eth_call', [
    { to: factory, data: FACTORY.encodeFunctionData('getAddress', args) },
    'latest',
  ]);
  const [address] = abiCoder.decode(['address'], answer);
  return { owner, address, factory, factoryData: FACTORY.encodeFunctionData('createAccount', args) };
}

/** The account's call data for one call. */
export const execute = ({ to, data, value = 0n }) => ACCOUNT.encodeFunctionData('execute', [to, value, data]);

/** The same for several, as the SimpleAccount of this EntryPoint has it. */
export function executeBatch(version, calls) {
  const [to, values, data] = ['to', 'value', 'data'].map((name) => calls.map((call) => call[name] ?? 0n));
  if (version === '0.6') return ACCOUNT.encodeFunctionData('executeBatch(address[],bytes[])', [to, data]);
  if (version === '0.7') {
    return ACCOUNT.encodeFunctionData('executeBatch(address[],uint256[],bytes[])', [to, values, data]);
  }
  return ACCOUNT.encodeFunctionData('executeBatch((address,uint256,bytes)[])', [
    calls.map(({ to: target, value = 0n, data: bytes }) => [target, value, bytes]),
  ]);
}

/** The members of an operation that sets this account up with its first call. */
export function setUp(version, { factory, factoryData }) {
  return version === '0.6' ? { initCode: concat([factory, factoryData]) } : { factory, factoryData };
}

/** An operation without gas limits and fees; without a factory where the account has none. */
export function drafted(version, account, callData) {
  const deploys = account.factory ? setUp(version, account) : version === '0.6' ? { initCode: '0x' } : {};
  return { sender: account.address, nonce: '0x0', ...deploys, callData, signature: STUB_SIGNATURE };
}
