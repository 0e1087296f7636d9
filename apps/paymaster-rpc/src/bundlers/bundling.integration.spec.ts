import { FakeRpcError, FakeRpcServer, lies } from '@paymaster/chain/testing';
import { rpc } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, type Address, type Hex, type KeyBundlerUse } from '@paymaster/domain';
import { keyGrantBuilder, randomAddress, until } from '@paymaster/domain/testing';
import { Interface, toBeHex } from 'ethers';
import { answerAsBundler, hashOf } from '../testing/answer-as-bundler';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import {
  call,
  executeCall,
  sponsoredMode,
  wireOperationV06,
  wireOperationV07,
  type RpcAnswer,
} from '../testing/rpc-call';

const V07 = CANONICAL_ENTRY_POINTS['0.7'];
const V06 = CANONICAL_ENTRY_POINTS['0.6'];
const HANDLE_OPS = new Interface([
  'function handleOps((address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData,bytes signature)[] ops,address beneficiary)',
]);
const LIMITS = { callGasLimit: '0x186a0', verificationGasLimit: '0x186a0', preVerificationGas: '0xc350' };
const HASH: Hex = `0x${'7e'.repeat(32)}`;
/** Accounts that answer every call with 1, which an EntryPoint reads as "the signature is wrong", and with 0. */
const WRONG_SIGNATURE = '0x600160005260206000f3';
const RIGHT_SIGNATURE = '0x60206000f3';
/** `handleOps` of EntryPoint v0.7. */
const HANDLE_OPS_SELECTOR = '0x765e827f';

describe("the bundler's methods", () => {
  let world: GatewayWorld;
  let first: FakeRpcServer;
  let rented: FakeRpcServer;
  let sent: Hex;
  let callData: Hex;

  beforeAll(async () => {
    [first, rented] = [await FakeRpcServer.start(), await FakeRpcServer.start()];
    const bundlers = [
      { name: 'first', url: first.url, kind: 'alto' },
      { name: 'rented', url: rented.url, kind: 'other', metered: true },
    ];
    const prepareChain = async () => ({ bundlers, bundlerUrl: undefined, gasEstimates: 'own' });
    world = await startGatewayWorld({ prepareChain });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  });
  beforeEach(() => {
    for (const fake of [first, rented]) {
      fake.calls.length = 0;
      fake.mode = 'ok';
      delete fake.methods['pimlico_getUserOperationStatus'];
      fake.methods['eth_sendUserOperation'] = ([operation]) => (sent = hashOf(operation as Record<string, Hex>));
      fake.methods['eth_getUserOperationReceipt'] = () => null;
    }
  });
  afterAll(async () => {
    await world?.stop();
    await Promise.all([first?.stop(), rented?.stop()]);
  });

  const at = (form: 'v1' | 'v2', apiKey = world.newPaymaster().apiKey): string =>
    `${world.url}/api/${form}/31337/${apiKey}`;
  const operation = (changes: object = {}) => wireOperationV07(callData, { ...LIMITS, signature: '0x12', ...changes });
  const send = (url = at('v1'), asked: object = operation(), ...more: unknown[]): Promise<RpcAnswer> =>
    call(url, 'eth_sendUserOperation', [asked, V07, ...more]);
  const paymasterFieldsOf = ({ paymasterAndData }: { paymasterAndData: Hex }) => ({
    paymaster: world.paymasters['0.7'],
    paymasterVerificationGasLimit: `0x${paymasterAndData.slice(42, 74)}`,
    paymasterPostOpGasLimit: `0x${paymasterAndData.slice(74, 106)}`,
    paymasterData: `0x${paymasterAndData.slice(106)}`,
  });
  const keyFor = (bundler: KeyBundlerUse, changes: { fundingWallet?: Address } = {}): string =>
    world.newPaymaster({ key: { ...keyGrantBuilder().build(), bundler }, ...changes }).apiKey;
  const signedBy = async (url: string, asked: object): Promise<object> => {
    const params = [asked, sponsoredMode({ calculateGasLimits: false })];
    const { result } = (await call(url, 'pm_sponsorUserOperation', params)).json;
    return { ...asked, ...paymasterFieldsOf(result as { paymasterAndData: Hex }) };
  };
  /** Lands it in a bundle of one. @returns the hash of the transaction */
  async function land(wire: Record<string, Hex>): Promise<Hex> {
    const halves = (high = '', low = '') => toBeHex((BigInt(high) << 128n) | BigInt(low), 32);
    const packed = {
      ...{ ...wire, initCode: '0x', paymasterAndData: '0x' },
      accountGasLimits: halves(wire['verificationGasLimit'], wire['callGasLimit']),
      gasFees: halves(wire['maxPriorityFeePerGas'], wire['maxFeePerGas']),
    };
    const data = HANDLE_OPS.encodeFunctionData('handleOps', [[packed], randomAddress()]);
    const [{ url }, from] = [world.anvil, randomAddress()];
    await rpc(url, 'anvil_setBalance', [from, '0xde0b6b3a7640000']);
    await rpc(url, 'anvil_impersonateAccount', [from]);
    const hash = await rpc<Hex>(url, 'eth_sendTransaction', [{ from, to: V07, data, gas: '0x1e8480' }]);
    const receipt = () => rpc<{ status: Hex } | null>(url, 'eth_getTransactionReceipt', [hash]);
    await until(async () => (await receipt())?.status === '0x1', 'the bundle has landed');
    return hash;
  }
  const sends = (fake: FakeRpcServer): number => fake.callsOf('eth_sendUserOperation');
  const codeOf = (sender: Hex, code: string) => rpc(world.anvil.url, 'anvil_setCode', [sender, code]);
  /** An operation with this gateway's signature, of an account with this code. */
  const signed = async (url: string, code: string, changes: object = {}): Promise<Record<string, Hex>> => {
    const asked = operation(changes);
    await codeOf(asked['sender'] as Hex, code);
    const mode = sponsoredMode({ calculateGasLimits: false });
    const { json } = await call(url, 'pm_sponsorUserOperation', [asked, mode]);
    return { ...asked, ...paymasterFieldsOf(json.result as { paymasterAndData: Hex }) } as Record<string, Hex>;
  };

  it('send an operation in the standard form, and answer its hash', async () => {
    const biconomys = { simulation_type: 'validation' };
    const { status, json } = await send(at('v2'), operation({ nonce: '0x0007', factory: null, foo: 1 }), biconomys);
    expect([status, json.result]).toEqual([200, sent]);
    const [wire, ...others] = first.calls[0]!.params as [Record<string, unknown>];
    expect(others).toEqual([V07]);
    expect(wire).toMatchObject({ nonce: '0x7', callGasLimit: '0x186a0' });
    for (const dropped of ['factory', 'foo', 'paymaster']) expect(wire).not.toHaveProperty(dropped);
  });

  it('tell refusals with the status that each client reads, and never with a result', async () => {
    for (const fake of [first, rented]) {
      fake.methods['eth_sendUserOperation'] = () => {
        throw new FakeRpcError(-32_500, `AA24 signature error at ${fake.url}`);
      };
    }
    for (const [form, status] of [
      ['v1', 200],
      ['v2', 400],
    ] as const) {
      const answer = await send(at(form));
      expect(answer.status).toBe(status);
      expect(answer.json.error).toMatchObject({ code: -32_500, data: { reason: 'BUNDLER_REFUSED', aaCode: 'AA24' } });
      expect(answer.json).not.toHaveProperty('result');
      expect(JSON.stringify(answer.json)).not.toContain('secret-key');
    }
  });

  it('send an operation to the next bundler while no block has it, until it lands', async () => {
    const url = at('v1');
    expect((await send(url, await signedBy(url, operation()))).json.result).toBe(sent);
    expect([sends(first), sends(rented)]).toEqual([1, 0]);
    const statusOf = async () =>
      (await call(url, 'pimlico_getUserOperationStatus', [sent])).json.result as { status: string };
    // A client that hears that its operation is lost signs another, and then does twice what it wanted once.
    first.methods['pimlico_getUserOperationStatus'] = () => ({ status: 'rejected', transactionHash: null });
    expect(await statusOf()).toMatchObject({ status: 'not_submitted' });
    await rpc(world.anvil.url, 'anvil_mine', ['0xc']);
    await until(() => sends(rented) === 1, 'sent to the next bundler');
    expect(first.callsOf('eth_sendUserOperation')).toBe(1);
    const resent = rented.calls.find(({ method }) => method === 'eth_sendUserOperation')!.params[0];
    expect(hashOf(resent as Record<string, Hex>)).toBe(sent);
    expect(await statusOf()).toMatchObject({ status: 'not_submitted' });
  });

  it('follow an operation from another gateway when the gateway that sent it ends', async () => {
    const { apiKey } = world.newPaymaster();
    const theirs = await world.another();
    const url = `${theirs}/api/v1/31337/${apiKey}`;
    const asked = operation({ nonce: '0x64' });
    const signed = (await call(url, 'pm_sponsorUserOperation', [asked, sponsoredMode({ calculateGasLimits: false })]))
      .json.result as { paymasterAndData: Hex };
    expect((await send(url, { ...asked, ...paymasterFieldsOf(signed) })).json.result).toBe(sent);
    const hash = sent;
    const told = () =>
      world.ledger.rows<{ kind: string; bundler: string }>(
        `SELECT kind, payload ->> 'bundler' AS bundler FROM ledger.outbox
          WHERE payload ->> 'userOpHash' = $1 AND kind IN ('sent', 'dropped') ORDER BY id`,
        [hash],
      );
    await until(async () => (await told()).length === 1, 'written');
    // Its bundler says that it is lost, but a gateway that runs will send it again.
    first.methods['pimlico_getUserOperationStatus'] = () => ({ status: 'rejected', transactionHash: null });
    const status = await call(at('v1', apiKey), 'pimlico_getUserOperationStatus', [hash]);
    expect(status.json.result).toMatchObject({ status: 'not_submitted' });
    await world.end(theirs);
    await rpc(world.anvil.url, 'anvil_mine', ['0xc']);
    await until(async () => (await told()).length === 2, 'sent to the next bundler');
    expect(await told()).toEqual([
      { kind: 'sent', bundler: 'first' },
      { kind: 'sent', bundler: 'rented' },
    ]);
    const resent = rented.calls
      .filter(({ method }) => method === 'eth_sendUserOperation')
      .map(({ params }) => params[0]);
    expect(resent.map((each) => hashOf(each as Record<string, Hex>))).toContain(hash);
  });

  it('tell the owner which bundler refused a signed operation of his and why, and nothing of unsigned operations', async () => {
    const url = at('v1');
    const asked = operation({ nonce: '0x65' });
    const signed = (await call(url, 'pm_sponsorUserOperation', [asked, sponsoredMode({ calculateGasLimits: false })]))
      .json.result as { paymasterAndData: Hex };
    first.methods['eth_sendUserOperation'] = () => {
      throw new FakeRpcError(-32_500, `AA24 signature error at ${first.url}`);
    };
    const complete = { ...asked, ...paymasterFieldsOf(signed) };
    await send(url, { ...complete, callGasLimit: '0x186a1' });
    for (let times = 0; times < 2; times++) await send(url, complete);
    const told = () =>
      world.ledger.rows<{ bundler: string; message: string; hash: string }>(
        `SELECT payload ->> 'bundler' AS bundler, payload ->> 'message' AS message, payload ->> 'userOpHash' AS hash
           FROM ledger.outbox WHERE kind = 'bundlerRefused'`,
      );
    await until(async () => (await told()).length > 0, 'written');
    const hash = hashOf(first.calls.at(-1)!.params[0] as Record<string, Hex>);
    expect(await told()).toEqual([{ bundler: 'first', message: 'AA24 signature error at [address]', hash }]);
  });

  it('send to a rented bundler only what this gateway has signed', async () => {
    first.mode = 'http500';
    const unsigned = await send();
    expect(unsigned.json.error).toMatchObject({ code: -32_011, data: { dependency: 'bundler' } });
    expect(sends(rented)).toBe(0);

    const url = at('v1');
    const signed = await signedBy(url, operation());
    expect((await send(url, signed)).json.result).toBe(sent);
    expect(sends(rented)).toBe(1);
    const changed = await send(url, { ...signed, callGasLimit: '0x186a1' });
    expect(changed.json.error).toMatchObject({ code: -32_011 });
    expect(sends(rented)).toBe(1);
  });

  it('are refused to a key without the bundlers, which goes on signing and suggesting fees', async () => {
    const apiKey = keyFor('off');
    const signed = await signedBy(at('v1', apiKey), operation());
    const refused: [string, unknown[]][] = [
      ['eth_sendUserOperation', [signed, V07]],
      ['eth_estimateUserOperationGas', [operation(), V07]],
      ['eth_getUserOperationByHash', [HASH]],
      ['eth_getUserOperationReceipt', [HASH]],
      ['pimlico_getUserOperationStatus', [HASH]],
      ['eth_blockNumber', []],
    ];
    for (const [form, status] of [
      ['v1', 200],
      ['v2', 400],
    ] as const) {
      const answer = await call(at(form, apiKey), 'eth_sendUserOperation', [signed, V07]);
      expect([answer.status, answer.json.error?.data['reason']]).toEqual([status, 'KEY_BUNDLER_OFF']);
    }
    for (const [method, params] of refused) {
      const { error } = (await call(at('v1', apiKey), method, params)).json;
      expect([method, error?.code, error?.data['reason']]).toEqual([method, -32_501, 'KEY_BUNDLER_OFF']);
    }
    for (const method of ['eth_chainId', 'eth_supportedEntryPoints', 'pimlico_getUserOperationGasPrice']) {
      expect((await call(at('v1', apiKey), method, [])).json.result).toBeDefined();
    }
    const asked = [...first.calls, ...rented.calls].map(({ method }) => method);
    expect(refused.filter(([method]) => asked.includes(method))).toEqual([]);
  });

  it('send, with a key for sponsored operations, only those that the wallet of its paymaster pays for', async () => {
    const url = at('v1', keyFor('sponsored'));
    const signed = await signedBy(url, operation());
    const unsigned = await send(url);
    expect(unsigned.json.error).toMatchObject({ code: -32_501, data: { reason: 'BUNDLER_FOR_SPONSORED_ONLY' } });
    expect(unsigned.json.error?.message).toContain("the key's owner can change that");
    // An operation that was signed for other limits, and an operation of a paymaster with another wallet.
    const others = keyFor('sponsored', { fundingWallet: randomAddress() });
    for (const [key, asked] of [
      [url, { ...signed, callGasLimit: '0x186a1' }],
      [at('v1', others), signed],
    ] as const) {
      expect((await send(key, asked)).json.error?.data['reason']).toBe('BUNDLER_FOR_SPONSORED_ONLY');
    }
    expect([sends(first), sends(rented)]).toEqual([0, 0]);
    expect((await send(url, signed)).json.result).toBe(sent);
    expect(sends(first) + sends(rented)).toBe(1);
    // A key that may send any operation sends another paymaster's too.
    const any = keyFor('any', { fundingWallet: randomAddress() });
    expect((await send(at('v1', any), signed)).json.result).toBe(sent);
    expect((await send(at('v1', any))).json.result).toBe(sent);
    const receipt = await call(url, 'eth_getUserOperationReceipt', [HASH]);
    expect(receipt.json).toMatchObject({ result: null });
  });

  it('let a bundler estimate for another paymaster, with fees on the address of Biconomy only', async () => {
    first.methods['eth_estimateUserOperationGas'] = () => ({ ...LIMITS, paymasterVerificationGasLimit: null });
    const paymasterAndData = `0x${'ab'.repeat(20)}`;
    const asked = { ...wireOperationV06(callData), ...LIMITS, paymasterAndData };
    const estimate = async (form: 'v1' | 'v2') =>
      (await call(at(form), 'eth_estimateUserOperationGas', [asked, V06, {}])).json.result;
    const limits = { ...LIMITS, verificationGas: LIMITS.verificationGasLimit };
    expect(await estimate('v1')).toEqual(limits);
    const { maxFeePerGas, maxPriorityFeePerGas } = asked as Record<string, unknown>;
    expect(await estimate('v2')).toEqual({ ...limits, maxFeePerGas, maxPriorityFeePerGas });
    expect(first.calls.map(({ params }) => params.length)).toEqual([2, 2]);
  });

  it('answer null for what nobody knows, and believe no receipt of another operation', async () => {
    const receipt = () => call(at('v1'), 'eth_getUserOperationReceipt', [HASH]);
    expect((await receipt()).json).toMatchObject({ result: null });
    first.methods['eth_getUserOperationReceipt'] = () => ({ userOpHash: `0x${'11'.repeat(32)}`, success: true });
    expect((await receipt()).json).toMatchObject({ result: null });
    const status = await call(at('v1'), 'pimlico_getUserOperationStatus', [HASH]);
    expect(status.json.result).toEqual({ status: 'not_found', transactionHash: null });
  });

  it('answer an operation that no bundler remembers from its transaction, and believe no other operation', async () => {
    const sender = randomAddress();
    // It answers every call with a zero word, which the EntryPoint reads as a valid signature.
    await rpc(world.anvil.url, 'anvil_setCode', [sender, '0x60206000f3']);
    // It offers nothing, so it needs no deposit.
    const free = { sender, nonce: '0x50000000000000000', maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' };
    const landed = operation({ ...free, signature: '0x' }) as Record<string, Hex>;
    const transactionHash = await land(landed);
    const hash = hashOf(landed);
    const byHash = async (form: 'v1' | 'v2', wanted = hash) =>
      (await call(at(form), 'eth_getUserOperationByHash', [wanted])).json.result;
    // A bundler that answers with another operation.
    const lie = { userOperation: { ...landed, callData: '0x' }, entryPoint: V07, transactionHash, blockHash: HASH };
    for (const fake of [first, rented]) {
      fake.methods['eth_getUserOperationByHash'] = () => ({ ...lie, blockNumber: '0x1' });
    }
    expect(await byHash('v1', HASH)).toBeNull();
    const found = await byHash('v1');
    expect(found).toMatchObject({ userOperation: landed, entryPoint: V07, transactionHash });
    const { blockHash, blockNumber } = found as Record<string, Hex>;
    const block = await rpc<{ hash: Hex }>(world.anvil.url, 'eth_getBlockByNumber', [blockNumber, false]);
    expect(block.hash).toBe(blockHash);
    expect(await byHash('v2')).toMatchObject({ ...landed, userOperation: landed, transactionHash });
    expect(world.node.calls.get('eth_getTransactionByHash')).toBe(1);
    // The bundler's own answer, in its own form, where it is true.
    const theirs = { ...lie, userOperation: { ...landed, factory: null, paymaster: null }, blockNumber: '0x7' };
    first.methods['eth_getUserOperationByHash'] = () => theirs;
    const other = operation({ ...free, nonce: '0x1' }) as Record<string, Hex>;
    Object.assign(theirs.userOperation, { nonce: '0x1', callData, signature: '0x12' });
    expect(await byHash('v1', hashOf(other))).toMatchObject({ userOperation: other, blockNumber: '0x7' });
  });

  it('take a key with a dot for the `_` that Biconomy’s SDK refuses', async () => {
    let { apiKey } = world.newPaymaster();
    while (!apiKey.slice(0, 9).includes('_')) apiKey = world.newPaymaster().apiKey;
    const alias = apiKey.slice(0, 9).replaceAll('_', '.') + apiKey.slice(9);
    expect((await send(at('v2', alias))).json.result).toBe(sent);
  });

  it('are answered at the addresses of other services, with the key in the query too', async () => {
    const { apiKey } = world.newPaymaster();
    const forms = [
      `api/v3/31337/${apiKey}`,
      `api/v3/${apiKey}/chain/31337`,
      `v2/31337/rpc?apikey=${apiKey}`,
      `?api-key=${apiKey}`,
    ];
    for (const form of forms) expect((await send(`${world.url}/${form}`)).json.result).toBe(sent);
  });

  it('take a request of Etherspot’s prime-sdk, which leaves its method out, and no other request without a method', async () => {
    const ask = async (...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 2, params });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(at('v1'), { method: 'POST', headers, body })).json() as Promise<Record<string, object>>;
    };
    // It is simulated, so it was understood.
    expect(await ask(operation(), V07, {})).toMatchObject({ error: { data: { aaCode: 'AA25' } } });
    expect(await ask(operation(), sponsoredMode({ calculateGasLimits: false }))).toMatchObject({
      error: { code: -32_600 },
    });
  });

  it.each(['debug_bundler_sendBundleNow', 'admin_peers', 'personal_sign', 'eth_sendRawTransaction', 'eth_call'])(
    'are no way to %s',
    async (method) => {
      const { json } = await call(at('v1'), method, method === 'eth_call' ? [{ to: world.demo.address }] : []);
      expect(json.error).toMatchObject({ code: -32_601 });
    },
  );

  // These tests are near the end, because their operations may be sent again while later tests run.
  describe('of an operation that this gateway has signed', () => {
    type Wire = Record<string, Hex>;
    const sendsOf = ({ calls }: FakeRpcServer, ...operations: Wire[]): number =>
      calls.filter(
        ({ method, params }) =>
          method === 'eth_sendUserOperation' &&
          operations.some(({ sender }) => sender === (params[0] as Wire)['sender']),
      ).length;
    const isTrialOf = ({ sender }: Wire, { data }: { data: Hex }): boolean =>
      data.startsWith(HANDLE_OPS_SELECTOR) && data.includes(sender!.slice(2));
    const nonceIsUsed = () => {
      throw new FakeRpcError(-32_500, 'AA25 invalid account nonce');
    };

    it('are refused before any bundler has it, where its validation fails', async () => {
      for (const [form, status] of [
        ['v1', 200],
        ['v2', 400],
      ] as const) {
        const url = at(form);
        const asked = await signed(url, WRONG_SIGNATURE, { nonce: '0x0' });
        const answer = await send(url, asked);
        expect(answer.status).toBe(status);
        expect(answer.json).not.toHaveProperty('result');
        expect(answer.json.error).toMatchObject({
          ...{ code: -32_507, data: { reason: 'BUNDLER_REFUSED', aaCode: 'AA24' } },
          message: expect.stringContaining('AA24 signature error'),
        });
        expect([sendsOf(first, asked), sendsOf(rented, asked)]).toEqual([0, 0]);
        await codeOf(asked['sender']!, RIGHT_SIGNATURE);
        expect((await send(url, asked)).json.result).toBe(hashOf(asked));
        expect(sendsOf(first, asked)).toBe(1);
      }
    });

    it('have the same answer when it is sent again, whatever its validation says by then', async () => {
      const url = at('v1');
      const asked = await signed(url, RIGHT_SIGNATURE, { nonce: '0x0' });
      expect((await send(url, asked)).json.result).toBe(hashOf(asked));
      await codeOf(asked['sender']!, WRONG_SIGNATURE);
      first.methods['eth_sendUserOperation'] = () => {
        throw new FakeRpcError(-32_602, 'Already known');
      };
      expect((await send(url, asked)).json.result).toBe(hashOf(asked));
      expect(sendsOf(first, asked)).toBe(2);
    });

    it('leave it to the bundler whether a nonce is used or waits for the one before', async () => {
      const url = at('v1');
      const asked = await signed(url, WRONG_SIGNATURE, { nonce: '0x1' });
      expect((await send(url, asked)).json.result).toBe(hashOf(asked));
      // It has landed, and another process sent it.
      const landed = await signed(url, WRONG_SIGNATURE, { nonce: '0x2' });
      first.methods['eth_sendUserOperation'] = nonceIsUsed;
      expect((await send(url, landed)).json.error).toMatchObject({ data: { aaCode: 'AA25' } });
      answerAsBundler(first);
      first.methods['eth_sendUserOperation'] = nonceIsUsed;
      expect((await send(url, landed)).json.result).toBe(hashOf(landed));
      // The first operation of an account.
      const creating = await signed(url, WRONG_SIGNATURE, { nonce: '0x3' });
      first.methods['eth_sendUserOperation'] = () => {
        throw new FakeRpcError(-32_500, 'AA10 sender already constructed');
      };
      expect((await send(url, creating)).json.result).toBe(hashOf(creating));
    });

    it('do not send it to the next bundler while its validation fails', async () => {
      const url = at('v1');
      const asked = await signed(url, RIGHT_SIGNATURE, { nonce: '0x0' });
      expect((await send(url, asked)).json.result).toBe(hashOf(asked));
      await codeOf(asked['sender']!, WRONG_SIGNATURE);
      let tried = 0;
      const counted = async ({ params, truth }: { params: readonly unknown[]; truth: () => Promise<unknown> }) => {
        const isTrial = isTrialOf(asked, params[0] as { data: Hex });
        return truth().finally(() => (tried += isTrial ? 1 : 0));
      };
      world.node.lie({ ...lies.everyAccountDeployed(), eth_call: counted });
      const nextBlocks = () => rpc(world.anvil.url, 'anvil_mine', ['0xc']);
      await nextBlocks();
      await until(() => tried === 1, 'tried again');
      await codeOf(asked['sender']!, RIGHT_SIGNATURE);
      await nextBlocks();
      await until(() => sendsOf(rented, asked) === 1, 'sent to the next bundler');
      expect(tried).toBe(2);
      world.node.lie(lies.everyAccountDeployed());
    });

    it('send it untried where the node gives no answer', async () => {
      const url = at('v1');
      const asked = await signed(url, WRONG_SIGNATURE, { nonce: '0x0' });
      world.node.lie({ ...lies.everyAccountDeployed(), ...lies.misbehaves('invalidJson', ['eth_call']) });
      expect((await send(url, asked)).json.result).toBe(hashOf(asked));
      world.node.lie(lies.everyAccountDeployed());
    });
  });

  it('let no signature wait for a bundler that hangs', async () => {
    const url = at('v1');
    const sign = () =>
      call(url, 'pm_sponsorUserOperation', [operation(), sponsoredMode({ calculateGasLimits: false })]);
    await sign();
    first.mode = 'hang';
    let answered = 0;
    const waiting = Array.from({ length: 40 }, async () => {
      const { json } = await send(url);
      answered += 1;
      return json;
    });
    expect((await sign()).json.result).toBeDefined();
    expect(answered).toBe(0);
    for (const json of await Promise.all(waiting)) expect(json.error).toBeDefined();
  });
});
