// What an account does in the matrix of clients: what an app of its owner would have it do, by the name of the operation.
import { concat, encodeFunctionData, numberToHex, parseAbi, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const ABI = parseAbi([
  'function increment()',
  'function mint(address holder)',
  'function transfer(address to, uint256 amount)',
]);

/** On nearly every chain: makes a contract of the code that is behind a salt. */
const CREATE2_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
/** Length of the code that is deployed. */
const CODE_BYTES = 1_200;
/** PUSH2 length, DUP1, PUSH1 where it is, PUSH0, CODECOPY, PUSH0, RETURN. */
const creationOf = (code) => concat(['0x61', numberToHex(code.length, { size: 2 }), '0x80600a5f395ff3', toHex(code)]);

/** As tutorials write them, and apps that were made from tutorials. */
export const LIMITS_BY_HAND = {
  callGasLimit: 100_000n,
  verificationGasLimit: 200_000n,
  preVerificationGas: 60_000n,
};

/** Of each operation the calls, the coin that the account is given for them, and the limits that the app sets. */
export const OPERATIONS = {
  first: (world) => ({ calls: [increment(world)] }),
  second: (world) => ({ calls: [increment(world)] }),
  third: (world) => ({ calls: [increment(world)] }),
  two: (world) => ({ calls: times(2, () => increment(world)) }),
  five: (world) => ({ calls: times(5, () => increment(world)) }),
  thirty: (world) => ({ calls: times(30, () => increment(world)) }),
  mint: (world, sender) => ({ calls: [mint(world, sender)] }),
  newMint: (world, sender) => ({ calls: [mint(world, sender)] }),
  receivers: (world) => ({ calls: times(10, () => transfer(world)) }),
  newReceivers: (world) => ({ calls: times(10, () => transfer(world)) }),
  coin: () => ({ calls: [{ to: newAddress(), value: 1_000n, data: '0x' }], coin: 1_000n }),
  deployment: () => ({ calls: [deployment()] }),
  limits: (world) => ({ calls: [increment(world)], limits: LIMITS_BY_HAND }),
};

const increment = ({ stack }) => call(stack.demoContract.address, 'increment');
const mint = ({ nft }, holder) => call(nft, 'mint', [holder]);
const transfer = ({ token }) => call(token.address, 'transfer', [newAddress(), 1n]);

function deployment() {
  // No byte of it is zero: the dearest data.
  const code = crypto.getRandomValues(new Uint8Array(CODE_BYTES)).map((byte) => (byte % 200) + 1);
  return { to: CREATE2_DEPLOYER, value: 0n, data: concat([generatePrivateKey(), creationOf(code)]) };
}

const call = (to, functionName, args = []) => ({
  ...{ to, value: 0n },
  data: encodeFunctionData({ abi: ABI, functionName, args }),
});
const times = (count, make) => Array.from({ length: count }, make);
const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;
