import { getBytes, hexlify, toQuantity } from 'ethers';
import { drafted, execute, newAccount } from './accounts.mjs';
import { RpcFailure } from './clients.mjs';
import { startFork } from './fork.mjs';
import { entryPointAbi, handleOpsData, revertReason, userOpHashData } from './entry-points.mjs';
import { NotTried, shown } from './outcome.mjs';

export const STUB = 'pm_getPaymasterStubData';
export const DATA = 'pm_getPaymasterData';

const BUNDLER = '0x00000000000000000000000000000000000000ee';
const LANDING_MS = 120_000;
const NO_LIMITS = { callGasLimit: '0x0', verificationGasLimit: '0x0', preVerificationGas: '0x0' };
/** For a SimpleAccount that is set up, where no bundler estimates; a quarter where it is there. */
const OWN_VERIFICATION_GAS = 400_000n;
/** Of a transaction and an operation, as bundlers count them. */
const FIXED_GAS = 21_000n + 18_300n;

/** What all checks share: the service, the chain, and operations that should be sponsored. */
export class Session {
  #remembered = new Map();
  #forks = [];

  /** @param {object} settings as `readOptions` makes them */
  constructor({ paymaster, node, bundler, chainId, entryPoints, factories, call, unlisted, ...others }) {
    Object.assign(this, { paymaster, node, bundler, chainId, entryPoints, factories, call, unlisted, ...others });
  }

  /** What must never be printed. */
  get secrets() {
    return [this.paymaster, this.node, this.bundler, this.limited?.paymaster].flatMap(
      (client) => client?.secrets ?? [],
    );
  }

  get chainHex() {
    return toQuantity(this.chainId);
  }

  /** What is made once, and asked for by several checks. A failure is remembered too. */
  once(name, make) {
    if (!this.#remembered.has(name)) this.#remembered.set(name, make());
    return this.#remembered.get(name);
  }

  newAccount(version) {
    return newAccount(this.node, this.factories[version]);
  }

  /** Parameters of both ERC-7677 methods. */
  params(
    version,
    operation,
    { entryPoint = this.entryPoints[version], chain = this.chainHex, context = this.context } = {},
  ) {
    return [operation, entryPoint, chain, context];
  }

  ask(method, version, operation, { paymaster = this.paymaster, ...others } = {}) {
    return paymaster.call(method, this.params(version, operation, others));
  }

  /** An account's call data for one call. */
  wrapped(_version, call) {
    return execute(call);
  }

  async fees() {
    const suggested = await this.bundler?.call('pimlico_getUserOperationGasPrice').catch(() => undefined);
    if (suggested?.standard) {
      const { maxFeePerGas, maxPriorityFeePerGas } = suggested.standard;
      return { maxFeePerGas, maxPriorityFeePerGas };
    }
    const { baseFeePerGas = '0x0' } = await this.node.call('eth_getBlockByNumber', ['latest', false]);
    const tip = BigInt(await this.node.call('eth_maxPriorityFeePerGas').catch(() => '0x59682f00'));
    return { maxFeePerGas: toQuantity(2n * BigInt(baseFeePerGas) + tip), maxPriorityFeePerGas: toQuantity(tip) };
  }

  /** What a wallet sends in its first call: no limits yet, and fees of the moment. */
  async stubRequest(version, { account, calls = execute(this.call), ...changes } = {}) {
    const sender = account ?? (await this.newAccount(version));
    const operation = { ...drafted(version, sender, calls), ...NO_LIMITS, ...(await this.fees()), ...changes };
    return { account: sender, operation };
  }

  /** The same with the limits that an honest client of such an operation has by then. */
  async dataRequest(version, changes) {
    const [{ account, operation }, { limits, stub }] = [
      await this.stubRequest(version, changes),
      await this.estimate(version),
    ];
    const given = Object.fromEntries(Object.keys(limits).map((name) => [name, changes?.[name] ?? limits[name]]));
    return { account, operation: { ...operation, ...paymasterFields(stub), ...given, ...overriding(changes) } };
  }

  /** Stub and gas limits of the good operation of this version, made once. */
  estimate(version) {
    return this.once(`estimate ${version}`, async () => {
      const { account, operation } = await this.stubRequest(version);
      const answer = await this.ask(STUB, version, operation);
      if (answer.kind !== 'result') {
        throw new NotTried(
          `the service sponsors no operation of this version (${shown(answer)}): give a call that it sponsors with --to and --data`,
        );
      }
      const stub = answer.result;
      const limits = await this.#limits(version, { ...operation, ...paymasterFields(stub) });
      return { account, operation, stub, answer, limits };
    });
  }

  /** Gas limits of an honest client for another operation than the good one. */
  async limitsOf(version, changes) {
    const { stub } = await this.estimate(version);
    const { operation } = await this.stubRequest(version, changes);
    return this.#limits(version, { ...operation, ...paymasterFields(stub) });
  }

  /** An operation that the service has signed for, complete, with its account's signature; made once. */
  good(version) {
    return this.once(`good ${version}`, async () => {
      const { account, operation } = await this.dataRequest(version);
      const answer = await this.ask(DATA, version, operation);
      if (answer.kind !== 'result') {
        throw new NotTried(
          `the service signs no operation of this version (${shown(answer)}): give a call that it sponsors with --to and --data`,
        );
      }
      return { account, answer, asked: operation, operation: withData(operation, answer.result) };
    });
  }

  /** A request for signed data with these changes, and the answer. */
  async attack(version, changes, others) {
    await this.good(version);
    const { account, operation } = await this.dataRequest(version, changes);
    return { account, operation, answer: await this.ask(DATA, version, operation, others) };
  }

  /** The operation with the signature of its account, for the chain behind `node`. */
  async signed(version, account, operation, node = this.node) {
    const call = { to: this.entryPoints[version], data: userOpHashData(version, operation) };
    const hash = await node.call('eth_call', [call, 'latest']);
    const isPlain = version === '0.6' || version === '0.7';
    const signature = isPlain
      ? await account.owner.signMessage(getBytes(hash))
      : account.owner.signingKey.sign(hash).serialized;
    return { ...operation, signature };
  }

  /** Why the EntryPoint refuses a bundle of this operation alone; undefined when it does not. */
  async refusalOnChain(version, operation, node = this.node) {
    const call = { from: BUNDLER, to: this.entryPoints[version], data: handleOpsData(version, operation) };
    try {
      await node.call('eth_call', [call, 'latest']);
      return undefined;
    } catch (error) {
      if (error instanceof RpcFailure) return error.data ? revertReason(version, error.data) : error.message;
      throw error;
    }
  }

  /** A signed operation is tried on chain. */
  async tried(version, account, operation, node) {
    return this.refusalOnChain(version, await this.signed(version, account, operation, node), node);
  }

  /** A copy of the chain, of this or another chain id. @throws {NotTried} */
  fork(chainId = this.chainId) {
    return this.once(`fork ${chainId}`, async () => {
      const fork = await startFork({ rpc: this.rpcUrl, chainId });
      this.#forks.push(fork);
      return fork.node;
    });
  }

  /** Works on a copy of the chain that is put back afterwards. */
  async onFork(work) {
    const node = await this.fork();
    const snapshot = await node.call('evm_snapshot');
    try {
      return await work(node);
    } finally {
      await node.call('evm_revert', [snapshot]);
    }
  }

  /** Lands an operation by the bundler, else by the key: what the EntryPoint's event says. */
  async land(version, operation) {
    const receipt = this.bundler
      ? await this.#landByBundler(version, operation)
      : await this.#landByKey(version, operation);
    const abi = entryPointAbi(version);
    const events = receipt.logs.map((log) => abi.parseLog(log)).filter((event) => event?.name === 'UserOperationEvent');
    const event = events.find(({ args }) => args.sender.toLowerCase() === operation.sender.toLowerCase());
    if (!event) throw new Error('the transaction has no UserOperationEvent of the sender');
    return { success: event.args.success, paymaster: event.args.paymaster };
  }

  async end() {
    await Promise.all(this.#forks.map(({ stop }) => stop()));
  }

  async #landByBundler(version, operation) {
    const hash = await this.bundler.call('eth_sendUserOperation', [operation, this.entryPoints[version]]);
    const found = await until(() => this.bundler.call('eth_getUserOperationReceipt', [hash]));
    return found.receipt;
  }

  async #landByKey(version, operation) {
    const { landWith, node, chainId } = this;
    const [nonce, { maxFeePerGas, maxPriorityFeePerGas }] = await Promise.all([
      node.call('eth_getTransactionCount', [landWith.address, 'pending']),
      this.fees(),
    ]);
    const to = this.entryPoints[version];
    const data = handleOpsData(version, operation, landWith.address);
    const gasLimit = await node.call('eth_estimateGas', [{ from: landWith.address, to, data }]);
    const fees = { maxFeePerGas, maxPriorityFeePerGas, gasLimit };
    const raw = await landWith.signTransaction({ type: 2, chainId, nonce: Number(nonce), to, data, ...fees });
    const hash = await node.call('eth_sendRawTransaction', [raw]);
    return until(() => node.call('eth_getTransactionReceipt', [hash]));
  }

  async #limits(version, operation) {
    if (this.bundler) {
      const params = [operation, this.entryPoints[version]];
      const estimate = await this.bundler.call('eth_estimateUserOperationGas', params).catch((error) => {
        throw new NotTried(`the bundler does not estimate the good operation (${error.message})`);
      });
      const names = Object.keys(NO_LIMITS);
      return Object.fromEntries(names.map((name) => [name, toQuantity(BigInt(estimate[name]))]));
    }
    // What the account does it does in the name of its own contract; where there is none yet, the call alone is tried.
    const isDeployed = (await this.node.call('eth_getCode', [operation.sender, 'latest'])) !== '0x';
    const call = isDeployed
      ? { from: this.entryPoints[version], to: operation.sender, data: operation.callData }
      : { from: operation.sender, ...this.call };
    const callGas = BigInt(await this.node.call('eth_estimateGas', [call]).catch(() => '0x186a0'));
    const bytes = getBytes(handleOpsData(version, operation));
    const carried = bytes.reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 0n);
    return {
      callGasLimit: toQuantity(callGas + 15_000n),
      verificationGasLimit: toQuantity(isDeployed ? OWN_VERIFICATION_GAS / 4n : OWN_VERIFICATION_GAS),
      preVerificationGas: toQuantity(FIXED_GAS + carried),
    };
  }
}

const PAYMASTER_FIELDS = [
  'paymasterAndData',
  'paymaster',
  'paymasterData',
  'paymasterSignature',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
];

/** Of an answer, what goes into the operation for the paymaster. */
export function paymasterFields(result) {
  return Object.fromEntries(
    PAYMASTER_FIELDS.filter((name) => result[name] !== undefined).map((name) => [name, result[name]]),
  );
}

/** The operation with the answer in it, as clients do: limits that come with it win. */
export function withData(operation, result) {
  const limits = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'].filter(
    (name) => result[name] !== undefined,
  );
  const own = Object.fromEntries(limits.map((name) => [name, toQuantity(BigInt(result[name]))]));
  return { ...operation, ...paymasterFields(result), ...own };
}

/** The bytes with one bit of the byte at this place changed. */
export function flipped(hex, place) {
  const bytes = getBytes(hex);
  bytes[place] ^= 1;
  return hexlify(bytes);
}

/** Of what a request is made with, the members of the operation. */
function overriding(changes = {}) {
  return Object.fromEntries(Object.entries(changes).filter(([name]) => name !== 'account' && name !== 'calls'));
}

/** What `look` finds at last. @throws {Error} where an operation lands too late */
export async function until(look) {
  for (const deadline = Date.now() + LANDING_MS; Date.now() < deadline;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`the operation was not on chain after ${LANDING_MS / 1_000} s`);
}
