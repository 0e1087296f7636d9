import { setTimeout as sleep } from 'node:timers/promises';
import { FakeRpcServer } from '@paymaster/chain/testing';
import { keepBaseFee, rpc } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_PAYMASTER_SETTINGS,
  type Hex,
  type KeyBundlerUse,
  type PaymasterSettings,
} from '@paymaster/domain';
import { keyGrantBuilder, until } from '@paymaster/domain/testing';
import { getUserOperationHash } from 'viem/account-abstraction';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, post, sponsoredMode, wireOperationV07, type RpcAnswer } from '../testing/rpc-call';

const V09 = CANONICAL_ENTRY_POINTS['0.9'];
const CHAIN = '0x7a69';
const LIMITS = { callGasLimit: '0x186a0', verificationGasLimit: '0x186a0', preVerificationGas: '0xc350' };
/** An account that answers every call with zero, which an EntryPoint reads as "valid". */
const YES_MAN = '0x60206000f3';
/** An account that answers every call with 1, which an EntryPoint reads as "the signature is wrong". */
const NO_MAN = '0x600160005260206000f3';
/** An account that says yes if the first half of the placeholder is anywhere in its call data, and else no. */
const TAKES_THE_PLACEHOLDER = `0x60005b80361115603757${'80357f'}${'ab'.repeat(32)}14604257600101600256${'5b600160005260206000f3'}5b60206000f3`;
/** An account that reverts with its whole call data. */
const TELLTALE = '0x366000600037366000fd';
/** So many milliseconds for twenty requests are no more than a key may send in a second. */
const TWENTY_IN_MS = 110;
type Fields = Record<string, Hex>;

describe('a sponsorship of EntryPoint v0.9 that is signed when it is sent', () => {
  let world: GatewayWorld;
  let bundler: FakeRpcServer;
  let callData: Hex;

  beforeAll(async () => {
    bundler = await FakeRpcServer.start();
    const bundlers = [{ name: 'first', url: bundler.url, kind: 'alto' }];
    world = await startGatewayWorld({
      prepareChain: async () => ({ bundlers, bundlerUrl: undefined, gasEstimates: 'own' }),
    });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  });
  beforeEach(() => {
    bundler.calls.length = 0;
    bundler.methods['eth_sendUserOperation'] = ([operation]) => hashOf(operation as Fields);
    bundler.methods['eth_getUserOperationReceipt'] = () => null;
  });
  afterAll(async () => {
    await world?.stop();
    await bundler?.stop();
  });

  const owned = (settings: Partial<PaymasterSettings> = {}) =>
    world.newPaymaster({ settings: { ...DEFAULT_PAYMASTER_SETTINGS, signWhenSent: true, ...settings } });
  const urlOf = ({ apiKey }: { apiKey: string }): string => `${world.url}/api/v1/31337/${apiKey}`;
  const operation = (changes: object = {}) =>
    wireOperationV07(callData, { ...LIMITS, nonce: '0x0', signature: '0x12', ...changes });
  /** An operation of an account with this code. */
  async function operationOfCode(code: string, nonce: string): Promise<object> {
    const sent = operation({ nonce });
    await rpc(world.anvil.url, 'anvil_setCode', [sent['sender'], code]);
    return sent;
  }
  const dataOf = (url: string, asked: object = operation(), context: object = {}): Promise<RpcAnswer> =>
    call(url, 'pm_getPaymasterData', [asked, V09, CHAIN, context]);
  const promised = async (url: string, code = YES_MAN, nonce = '0x0'): Promise<Fields> => {
    const asked = await operationOfCode(code, nonce);
    const { json } = await dataOf(url, asked);
    return { ...(asked as Fields), ...(json.result as Fields) };
  };
  const send = (url: string, asked: object): Promise<RpcAnswer> => call(url, 'eth_sendUserOperation', [asked, V09]);
  /** What is held for the paymaster's operations, in all; wei. */
  const heldWei = async ({ snapshot }: { snapshot: { paymasterId: string } }): Promise<bigint> => {
    const [row] = await world.ledger.rows<{ sum: string }>(
      'SELECT coalesce(sum(hold_wei), 0)::text AS sum FROM ledger.reservations WHERE paymaster_id = $1',
      [snapshot.paymasterId],
    );
    return BigInt(row!.sum);
  };
  const sentOperation = (): Fields =>
    bundler.calls.find(({ method }) => method === 'eth_sendUserOperation')!.params[0] as Fields;

  it('holds nothing for a thousand networks that send nothing, and is signed for the one that sends', async () => {
    const paymaster = owned({ servers: ['127.0.0.1'] });
    const url = urlOf(paymaster);
    const asked = await promised(url);
    expect(asked['paymasterSignature']).toMatch(/^0x(?:ab){32}/);
    // The test is a server of the owner's, which names its users: to the bounds each is a network of its own.
    const body = (network: number) =>
      JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterData' },
        params: [operation({ nonce: `0x${(network + 1).toString(16)}` }), V09, CHAIN, {}],
      });
    const answers = [];
    for (let network = 0; network < 1_000; network += 20) {
      const asking = Array.from({ length: 20 }, (_, at) =>
        post(url, body(network + at), {
          'x-client-address': `10.${Math.floor((network + at) / 250)}.${(network + at) % 250}.1`,
        }),
      );
      answers.push(...(await Promise.all(asking)));
      await sleep(TWENTY_IN_MS);
    }
    expect(answers.filter(({ json }) => json.result === undefined)).toEqual([]);
    expect(await heldWei(paymaster)).toBe(0n);

    const { json } = await send(url, asked);
    const wire = sentOperation();
    expect(json.result).toBe(hashOf(wire));
    // The account has signed this hash before the paymaster's signature existed.
    expect(json.result).toBe(hashOf(asked));
    expect({ ...wire, paymasterSignature: asked['paymasterSignature'] }).toMatchObject({
      paymaster: world.paymasters['0.9'],
      paymasterData: asked['paymasterData'],
      paymasterSignature: asked['paymasterSignature'],
    });
    expect(wire['paymasterSignature']).not.toBe(asked['paymasterSignature']);
    expect(await heldWei(paymaster)).toBeGreaterThan(0n);
  });

  it('is sent once, however often its client sends it', async () => {
    const paymaster = owned();
    const url = urlOf(paymaster);
    const asked = await promised(url);
    const answers = [await send(url, asked), await send(url, asked), await send(url, asked)];
    const hashes = new Set(answers.map(({ json }) => json.result));
    expect([...hashes]).toEqual([hashOf(asked)]);
    expect(bundler.callsOf('eth_sendUserOperation')).toBe(1);
  });

  it('is refused when other data would be signed by then, or when its limits are not those that were asked for', async () => {
    const paymaster = owned();
    const url = urlOf(paymaster);
    const asked = await promised(url);
    const outdated = { ...asked, paymasterData: `0x0100006fffffff${asked['paymasterData']!.slice(16)}` };
    for (const changed of [outdated, { ...asked, paymasterPostOpGasLimit: '0xffffff' }]) {
      const { json } = await send(url, changed);
      expect(json.error).toMatchObject({ code: -32_501, data: { reason: 'PAYMASTER_DATA_OUTDATED' } });
    }
    const dear = await send(url, { ...asked, maxFeePerGas: '0xffffffffffff', maxPriorityFeePerGas: '0xffffffffffff' });
    expect(dear.json.error).toMatchObject({ code: -32_501 });
    expect(bundler.callsOf('eth_sendUserOperation')).toBe(0);
    expect(await heldWei(paymaster)).toBe(0n);
  });

  it('is judged by the prices of the request for its data', async () => {
    const paymaster = owned();
    const url = urlOf(paymaster);
    const asked = await promised(url);
    const reasonOf = async () => (await dataOf(url)).json.error?.data?.['reason'];
    expect(await reasonOf()).toBeUndefined();
    const setBaseFee = async (baseFeeWei: bigint) => {
      await keepBaseFee(world.anvil.url, baseFeeWei);
      await rpc(world.anvil.url, 'anvil_mine', ['0x1']);
    };
    const { baseFeePerGas } = await rpc<{ baseFeePerGas: string }>(world.anvil.url, 'eth_getBlockByNumber', [
      'latest',
      false,
    ]);
    await setBaseFee(10n ** 10n);
    await until(async () => (await reasonOf()) !== undefined, 'the fees are too low by now');
    expect((await send(url, asked)).json.result).toBe(hashOf(asked));
    await setBaseFee(BigInt(baseFeePerGas));
    await until(async () => (await reasonOf()) === undefined, 'the fees are in order again');
  });

  it.each([
    ['an account that tells all that it is called with', TELLTALE, '0x0', 'AA23'],
    ['an account that says no to its signature', NO_MAN, '0x0', 'AA24'],
    ['one with a nonce that is not its next', NO_MAN, '0x3', 'AA24'],
    ['no account', '0x', '0x0', 'AA20'],
  ])('signs and holds nothing for %s', async (_what, code, nonce, aaCode) => {
    const paymaster = owned();
    const url = urlOf(paymaster);
    const asked = await promised(url, code, nonce);
    const { json } = await send(url, asked);
    expect(json.error).toMatchObject({ data: { reason: 'BUNDLER_REFUSED', aaCode } });
    expect(await heldWei(paymaster)).toBe(0n);
  });

  it('signs nothing for an account that an operation before it has yet to create', async () => {
    const paymaster = owned();
    const url = urlOf(paymaster);
    const { json } = await send(url, await promised(url, '0x', '0x3'));
    expect(json.error).toMatchObject({ code: -32_011, data: { dependency: 'chain' } });
    expect(await heldWei(paymaster)).toBe(0n);
  });

  it('is not sent to a bundler when its account takes the placeholder and no other signature', async () => {
    const paymaster = owned();
    const url = urlOf(paymaster);
    const { json } = await send(url, await promised(url, TAKES_THE_PLACEHOLDER));
    expect(json.error).toMatchObject({ data: { reason: 'BUNDLER_REFUSED', aaCode: 'AA24' } });
    // The account has seen the signature, so what it may cost is held.
    expect(await heldWei(paymaster)).toBeGreaterThan(0n);
    expect(bundler.callsOf('eth_sendUserOperation')).toBe(0);
  });

  it('is sent before the operation with the nonce before it has landed', async () => {
    const url = urlOf(owned());
    const asked = await promised(url, YES_MAN, '0x3');
    expect((await send(url, asked)).json.result).toBe(hashOf(asked));
  });

  it('has the same answer from another gateway, whatever the policy says by then', async () => {
    const paymaster = owned();
    const asked = await promised(urlOf(paymaster));
    expect((await send(urlOf(paymaster), asked)).json.result).toBe(hashOf(asked));
    const { paymasterId, version } = paymaster.snapshot;
    world.responder.set(paymaster.apiKey, { ...paymaster.snapshot, version: version + 1, contracts: [] });
    void world.responder.broadcast({ paymasterId, version: version + 1 });
    const elsewhere = `${await world.another()}/api/v1/31337/${paymaster.apiKey}`;
    await until(async () => (await send(elsewhere, asked)).json.result !== undefined, 'the operation is known there');
    expect((await send(elsewhere, asked)).json.result).toBe(hashOf(asked));
    expect(bundler.callsOf('eth_sendUserOperation')).toBe(1);
  });

  it('asks the policy again', async () => {
    const paymaster = owned();
    const url = urlOf(paymaster);
    const asked = await promised(url);
    const { paymasterId, version } = paymaster.snapshot;
    world.responder.set(paymaster.apiKey, { ...paymaster.snapshot, version: version + 1, contracts: [] });
    void world.responder.broadcast({ paymasterId, version: version + 1 });
    await until(async () => (await dataOf(url)).json.error !== undefined, 'the gateway obeys the new policy');
    const { json } = await send(url, asked);
    expect(json.error).toMatchObject({ code: -32_501, data: { reason: expect.stringContaining('POLIC') } });
    expect(bundler.callsOf('eth_sendUserOperation')).toBe(0);
  });

  it('is said in a header, and is no more than a placeholder for every other bundler', async () => {
    const url = urlOf(owned());
    const body = { jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterData', params: [operation(), V09, CHAIN, {}] };
    const answer = await post(url, JSON.stringify(body));
    expect(answer.headers.get('paymaster-signs')).toBe('when-sent');
    const off = urlOf(world.newPaymaster());
    expect((await post(off, JSON.stringify(body))).headers.get('paymaster-signs')).toBeNull();
  });

  it('is signed early for earlier EntryPoints, and for clients that have the signature in the data', async () => {
    const url = urlOf(owned());
    const V07 = CANONICAL_ENTRY_POINTS['0.7'];
    const early = (await call(url, 'pm_getPaymasterData', [operation(), V07, CHAIN, {}])).json.result as Fields;
    expect(early['paymasterData']).not.toContain('abababab');
    const stub = (await call(url, 'pm_getPaymasterStubData', [operation(), V09, CHAIN, {}])).json.result as Fields;
    const inData = {
      paymaster: stub['paymaster'],
      paymasterData: `${stub['paymasterData']}${stub['paymasterSignature']!.slice(2)}`,
    };
    const { json } = await dataOf(url, operation(inData));
    expect(json.result).not.toHaveProperty('paymasterSignature');
    expect((json.result as Fields)['paymasterData']).not.toContain('abababab');
  });

  it('is sent with a key for sponsored operations, and signed early for a key that sends none', async () => {
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, signWhenSent: true };
    const keyFor = (bundler: KeyBundlerUse) =>
      urlOf(world.newPaymaster({ settings, key: { ...keyGrantBuilder().build(), bundler } }));
    const url = keyFor('sponsored');
    const asked = await promised(url);
    expect((await send(url, asked)).json.result).toBe(hashOf(asked));
    const body = { jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterData', params: [operation(), V09, CHAIN, {}] };
    const { headers, json } = await post(keyFor('off'), JSON.stringify(body));
    expect(headers.get('paymaster-signs')).toBeNull();
    expect(json.result).toMatchObject({ paymasterSignature: expect.not.stringMatching(/^0x(?:ab){32}/) });
  });

  it('is judged in every dialect alike', async () => {
    const paymaster = owned();
    const url = urlOf(paymaster);
    const mode = sponsoredMode({ calculateGasLimits: false });
    const { json } = await call(url, 'pm_sponsorUserOperation', [operation(), V09, mode]);
    expect(json.result).toMatchObject({ paymasterSignature: expect.stringMatching(/^0x(?:ab){32}/) });
    expect(await heldWei(paymaster)).toBe(0n);
  });
});

/** The hash of an operation on the wire, as viem computes it. */
function hashOf(operation: Fields): Hex {
  const numbers = Object.fromEntries(
    Object.entries(operation).map(([name, value]) => [name, /Gas|nonce/.test(name) ? BigInt(value) : value]),
  );
  return getUserOperationHash({
    ...{ chainId: 31_337, entryPointAddress: V09, entryPointVersion: '0.9' },
    userOperation: numbers as never,
  });
}
