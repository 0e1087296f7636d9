/** An anvil of its own with one EntryPoint version, a funded and staked paymaster, and accounts that sign nothing. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  concat,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  http,
  keccak256,
  pad,
  parseAbi,
  parseEther,
  toHex,
  TransactionReceiptNotFoundError,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { requireFoundryTool } from '../scripts/foundry.mjs';
import { batchWithApproval, signPermit, tokenAbi, tokenFields, tokenGas, WAYS } from './token-terms.mjs';

const contractsRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const resolvePackageFile = createRequire(import.meta.url).resolve;

export const VERSIONS = ['v06', 'v07', 'v08', 'v09'];
export const STUB_SIGNATURE = `0x${'ab'.repeat(32)}7a${'aa'.repeat(31)}1c`;

const paymasterAbi = parseAbi([
  'function depositFor(address fundingWallet) payable',
  'function addStake(uint32 unstakeDelaySeconds) payable',
  'function balanceOf(address fundingWallet) view returns (uint256)',
  'event UserOperationPrecharged(bytes32 indexed userOpHash, address indexed fundingWallet, uint256 prechargeWei)',
  'event UserOperationSponsored(bytes32 indexed userOpHash, address indexed fundingWallet, uint256 chargedWei, uint256 feeWei)',
  'event UserOperationPaidInToken(bytes32 indexed userOpHash, address indexed token, address indexed sender, address feeReceiver, uint256 charged, uint256 refunded)',
]);
const entryPointAbi = parseAbi([
  'function getNonce(address sender, uint192 key) view returns (uint256)',
  'function depositTo(address account) payable',
  'function getDepositInfo(address account) view returns (uint256 deposit, bool staked, uint112 stake, uint32 unstakeDelaySec, uint48 withdrawTime)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);
const accountAbi = parseAbi([
  'function execute(address target, uint256 value, bytes data)',
  'function write(uint256 value)',
]);
const handleOpsAbi = {
  v06: parseAbi([
    'struct UserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }',
    'function handleOps(UserOperation[] ops, address beneficiary)',
    'function getDigest(UserOperation op) view returns (bytes32)',
  ]),
  packed: parseAbi([
    'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
    'function handleOps(PackedUserOperation[] ops, address beneficiary)',
    'function getDigest(PackedUserOperation op) view returns (bytes32)',
  ]),
};

export { entryPointAbi, handleOpsAbi, paymasterAbi };

/** The same in every run: zero bytes in an address or a signature are cheaper, and would move the measures. */
const keyOf = (name) => privateKeyToAccount(keccak256(toHex(name)));

const noReceipt = (error) => {
  if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
};

/** Bytecode that forge made. */
export const forgeArtifact = (source, name) =>
  JSON.parse(readFileSync(join(contractsRoot, 'out-forge', `${source}.sol`, `${name}.json`), 'utf8')).bytecode.object;

/** It takes half a second; the rest is for a busy machine. */
const READY_WITHIN_MS = 90_000;

/** Where anvil listens: it takes a free port itself, so that nobody else can be faster. Reads on, or it would stand still. */
const listeningAt = (anvil) =>
  new Promise((done, failed) => {
    const late = setTimeout(() => failed(new Error('anvil does not listen')), READY_WITHIN_MS).unref();
    let said = '';
    anvil.stdout.on('data', (text) => {
      if (said === undefined) return;
      said += text;
      const [, address] = /Listening on (\S+)\n/.exec(said) ?? [];
      if (!address) return;
      said = undefined;
      clearTimeout(late);
      done(`http://${address}`);
    });
    anvil.once('error', failed).once('exit', () => failed(new Error('anvil ended before it listened')));
  });

export async function startChain(version) {
  const anvil = spawn(requireFoundryTool('anvil'), ['--port', '0', '--steps-tracing', '--timestamp', '1800000000'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((done) => anvil.once('exit', done));
  const stop = () => {
    anvil.kill();
    return ended;
  };
  try {
    return { ...(await deployWorld(version, await listeningAt(anvil))), stop };
  } catch (error) {
    // A chain left behind would keep the test run from ending.
    await stop();
    throw error;
  }
}

async function deployWorld(version, url) {
  const transport = http(url, { timeout: 120_000 });
  const client = createPublicClient({ chain: foundry, transport });

  const owner = keyOf('owner');
  const signer = keyOf('signer');
  const fundingWallet = keyOf('funding wallet').address;
  const anvil = createTestClient({ chain: foundry, transport, mode: 'anvil' });
  await anvil.setBlockTimestampInterval({ interval: 1 });
  await anvil.setBalance({ address: owner.address, value: parseEther('10000') });
  const wallet = createWalletClient({ account: owner, chain: foundry, transport });

  const mined = async (hash) => {
    // viem asks again at the next block only, and anvil counts a block before it has the block's receipts.
    let receipt;
    while (!(receipt = await client.getTransactionReceipt({ hash }).catch(noReceipt))) await sleep(5);
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} failed`);
    return receipt;
  };
  const deploy = async (data) =>
    (await mined(await wallet.sendTransaction({ data, gas: 20_000_000n }))).contractAddress;

  const entryPointArtifact = resolvePackageFile(`@account-abstraction/contracts-${version}/artifacts/EntryPoint.json`);
  const entryPoint = await deploy(JSON.parse(readFileSync(entryPointArtifact, 'utf8')).bytecode);
  const name = `HybridPaymaster${version.toUpperCase()}`;
  const paymaster = await deploy(
    concat([
      forgeArtifact(name, name),
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'address' }, { type: 'address[]' }, { type: 'uint256' }],
        [entryPoint, owner.address, [signer.address], 3600n],
      ),
    ]),
  );
  const accounts = [];
  const accountOwner = keyOf('account owner');
  for (let i = 0; i < 5; i++) {
    const constructor = encodeAbiParameters([{ type: 'address' }], [accountOwner.address]);
    accounts.push(await deploy(concat([forgeArtifact('TokenAccount', 'TokenAccount'), constructor])));
  }

  const call = (functionName, args, value) =>
    wallet.writeContract({ address: paymaster, abi: paymasterAbi, functionName, args, value }).then(mined);
  const tokenName = 'Test';
  const feeReceiver = keyOf('fee receiver').address;
  const token = await deploy(
    concat([
      forgeArtifact('DemoPermitToken', 'DemoPermitToken'),
      encodeAbiParameters([{ type: 'string' }, { type: 'string' }, { type: 'uint8' }], [tokenName, 'TST', 18]),
    ]),
  );
  for (const account of accounts) {
    const args = [account, parseEther('1000000')];
    await wallet.writeContract({ address: token, abi: tokenAbi, functionName: 'mint', args }).then(mined);
  }
  await call('addStake', [86_400], parseEther('1'));
  await call('depositFor', [fundingWallet], parseEther('100'));

  const gas = JSON.parse(readFileSync(join(contractsRoot, 'gas-constants.json'), 'utf8'))[version];
  const abi = version === 'v06' ? handleOpsAbi.v06 : handleOpsAbi.packed;
  const bytes = (value, size) => pad(toHex(value), { size });

  /** Anyone may use a test account. */
  const approveFrom = (account, spender = paymaster) => {
    const approve = encodeFunctionData({
      abi: tokenAbi,
      functionName: 'approve',
      args: [spender, parseEther('1000000')],
    });
    const args = [token, 0n, approve];
    return wallet.writeContract({ address: account, abi: accountAbi, functionName: 'execute', args }).then(mined);
  };

  /** Token mode's own fields, with what the way needs beforehand. */
  async function tokenTerms(sender, way) {
    if (way === WAYS.allowance) await approveFrom(sender);
    const spender = paymaster;
    const permit =
      way === WAYS.permit ? await signPermit({ client, accountOwner, token, tokenName, sender, spender }) : undefined;
    return tokenFields({ way, token, feeReceiver, permit });
  }

  /**
   * @param signature The paymaster's; its signer signs when there is none.
   * @param way Token mode's, see WAYS; sponsorship when there is none.
   * @param feeMarkup What the wallet pays per million of cost.
   */
  async function operation(sender, { signature, way, feeMarkup = 1_050_000n } = {}) {
    const terms = way ? await tokenTerms(sender, way) : '0x';
    const paymasterGas = way ? tokenGas(gas, way) : gas;
    const block = await client.getBlock();
    const nonce = await client.readContract({
      address: entryPoint,
      abi: entryPointAbi,
      functionName: 'getNonce',
      args: [sender, 0n],
    });
    const limits = { callGasLimit: way ? 120_000n : 60_000n, verificationGasLimit: 120_000n };
    // v0.6 has one limit for the account's validation, the paymaster's and `postOp`.
    if (way && version === 'v06') limits.verificationGasLimit += BigInt(paymasterGas.paymasterVerificationGasLimit);
    // Another price each time: a payment equal to the one before would put slots back, which gives refunds.
    const fees = { maxFeePerGas: 20_000_000_000n + nonce, maxPriorityFeePerGas: 1_000_000_000n + nonce };
    const prefix =
      version === 'v06'
        ? paymaster
        : concat([
            paymaster,
            bytes(BigInt(paymasterGas.paymasterVerificationGasLimit), 16),
            bytes(BigInt(paymasterGas.paymasterPostOpGasLimit), 16),
          ]);
    const fields = concat([
      way ? '0x02' : '0x01',
      bytes(block.timestamp + 3600n, 6),
      bytes(block.timestamp - 10n, 6),
      fundingWallet,
      bytes(feeMarkup, 4),
      bytes(BigInt(paymasterGas.unaccountedGas), 4),
      terms,
    ]);
    const write = encodeFunctionData({ abi: accountAbi, functionName: 'write', args: [1n + nonce] });
    const common = {
      sender,
      nonce,
      initCode: '0x',
      callData:
        way === WAYS.batchApproval ? batchWithApproval({ token, spender: paymaster, sender, call: write }) : write,
      preVerificationGas: 50_000n,
      signature: '0x',
    };
    const withData = (pmSignature) => ({
      ...common,
      ...(version === 'v06'
        ? { ...limits, ...fees }
        : {
            accountGasLimits: concat([bytes(limits.verificationGasLimit, 16), bytes(limits.callGasLimit, 16)]),
            gasFees: concat([bytes(fees.maxPriorityFeePerGas, 16), bytes(fees.maxFeePerGas, 16)]),
          }),
      paymasterAndData: concat([prefix, fields, pmSignature]),
    });
    if (signature) return withData(signature);
    const digest = await client.readContract({
      address: paymaster,
      abi,
      functionName: 'getDigest',
      args: [withData(STUB_SIGNATURE)],
    });
    return withData(await signer.sign({ hash: digest }));
  }

  /** Not through viem: the trace of five operations is larger than it takes. */
  async function traced(method, params) {
    const options = { enableMemory: false, disableStorage: true };
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [...params, options] }),
    });
    const { result, error } = await response.json();
    if (error) throw new Error(error.message);
    return result;
  }

  const bundleCall = (ops) => encodeFunctionData({ abi, functionName: 'handleOps', args: [ops, owner.address] });

  return {
    client,
    entryPoint,
    paymaster,
    fundingWallet,
    token,
    feeReceiver,
    accounts,
    operation,
    owner,
    signer,
    deploy,
    approveFrom,
    /** Puts ether into the EntryPoint in the name of an account or of another paymaster. */
    depositTo: (account) =>
      wallet
        .writeContract({
          ...{ address: entryPoint, abi: entryPointAbi, functionName: 'depositTo' },
          ...{ args: [account], value: parseEther('100') },
        })
        .then(mined),
    trace: (ops) => {
      const call = { from: owner.address, to: entryPoint, data: bundleCall(ops), gas: toHex(20_000_000) };
      return traced('debug_traceCall', [call, 'latest']);
    },
    traceTransaction: (hash) => traced('debug_traceTransaction', [hash]),
    send: async (ops) =>
      mined(await wallet.sendTransaction({ to: entryPoint, data: bundleCall(ops), gas: 10_000_000n })),
  };
}
