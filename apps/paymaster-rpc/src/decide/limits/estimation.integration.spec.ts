import { decodePaymasterAndData, STUB_SIGNATURE } from '@paymaster/chain';
import { FakeRpcError, FakeRpcServer } from '@paymaster/chain/testing';
import { CANONICAL_ACCOUNT_FACTORIES, connectDevChain, DEV_KEYS, paymasterAbi } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, DEFAULT_PAYMASTER_SETTINGS, type ContractError, type Hex } from '@paymaster/domain';
import { randomAddress, until } from '@paymaster/domain/testing';
import { encodeFunctionData, parseAbi } from 'viem';
import { startGatewayWorld, type GatewayWorld } from '../../testing/gateway-world';
import {
  call,
  executeCall,
  post,
  sponsoredMode,
  wireOperationV06,
  wireOperationV07,
  type RpcAnswer,
} from '../../testing/rpc-call';

const ESTIMATE = { callGasLimit: '0x186a0', verificationGasLimit: '0x186a0', preVerificationGas: '0xc350' };
const LIMITS = { callGasLimit: undefined, verificationGasLimit: undefined, preVerificationGas: undefined };
const V09 = CANONICAL_ENTRY_POINTS['0.9'];
const FACTORY_ABI = parseAbi(['function createAccount(address owner, uint256 salt)']);
const ZERO_LIMITS = { callGasLimit: '0x0', verificationGasLimit: '0x0', preVerificationGas: '0x0' };

describe('limits, stubs and money', () => {
  let world: GatewayWorld;
  let bundler: FakeRpcServer;
  let callData: Hex;

  beforeAll(async () => {
    bundler = await FakeRpcServer.start();
    world = await startGatewayWorld({ bundlerUrl: bundler.url });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  });
  beforeEach(() => {
    bundler.calls.length = 0;
    bundler.mode = 'ok';
    bundler.methods['eth_estimateUserOperationGas'] = () => ESTIMATE;
  });
  afterAll(async () => {
    await world?.stop();
    await bundler?.stop();
  });

  const endpoint = (apiKey: string): string => `${world.url}/api/v2/31337/${apiKey}`;
  const sponsor = (operation: object, mode: object = {}, apiKey = world.newPaymaster().apiKey): Promise<RpcAnswer> =>
    call(endpoint(apiKey), 'pm_sponsorUserOperation', [operation, sponsoredMode(mode)]);
  const erc7677 = (
    method: string,
    operation: object,
    options: { version?: '0.6' | '0.7' | '0.8'; context?: unknown; chainId?: string; apiKey?: string } = {},
  ): Promise<RpcAnswer> => {
    const { version = '0.7', context = null, chainId = '0x7a69', apiKey = world.newPaymaster().apiKey } = options;
    return call(endpoint(apiKey), method, [operation, CANONICAL_ENTRY_POINTS[version], chainId, context]);
  };

  describe('calculateGasLimits true', () => {
    it('estimates with our stub, leaves the limits out of the question and adds margins', async () => {
      const { json } = await sponsor(wireOperationV07(callData, LIMITS), { calculateGasLimits: undefined });
      const [asked, entryPoint] = bundler.calls[0]?.params as [Record<string, Hex>, Hex];
      expect(entryPoint).toBe(CANONICAL_ENTRY_POINTS['0.7']);
      expect(asked['paymasterData']?.endsWith(STUB_SIGNATURE.slice(2))).toBe(true);
      expect(asked).not.toHaveProperty('callGasLimit');
      expect(json.result).toMatchObject({
        preVerificationGas: '50000',
        verificationGasLimit: 110_000,
        callGasLimit: 110_000,
      });
    });

    it('stands in for an absent signature with the stub of the account kind', async () => {
      const { status } = await sponsor(wireOperationV06(callData, { ...LIMITS, signature: '0x' }), {
        calculateGasLimits: true,
      });
      expect(status).toBe(200);
      expect((bundler.calls[0]?.params[0] as Record<string, string>)['signature']).toHaveLength(132);
    });

    it.each([
      ['AA31', new FakeRpcError(-32508, 'AA31 paymaster deposit too low'), 400, -32508],
      ['AA23', new FakeRpcError(-32500, 'AA23 reverted: no'), 400, -32500],
      ['a reverting call', new FakeRpcError(-32521, 'execution reverted'), 400, -32521],
    ])('passes on %s in our words', async (_title, error, status, code) => {
      bundler.methods['eth_estimateUserOperationGas'] = () => {
        throw error;
      };
      const answer = await sponsor(wireOperationV06(callData, LIMITS), { calculateGasLimits: true });
      expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
    });

    it('names a custom error of a registered contract, with its arguments', async () => {
      const tooLittle = { selector: '0x618bc7c9' as Hex, signature: 'TooLittle(uint256 available,uint256 wanted)' };
      const words = [3n, 5n].map((value) => value.toString(16).padStart(64, '0')).join('');
      bundler.methods['eth_estimateUserOperationGas'] = () => {
        throw new FakeRpcError(-32521, `execution reverted: ${tooLittle.selector}${words}`);
      };
      const asked = async (contractErrors: readonly ContractError[]) => {
        const { apiKey } = world.newPaymaster({ contractErrors });
        return (await sponsor(wireOperationV06(callData, LIMITS), { calculateGasLimits: true }, apiKey)).json.error;
      };
      const inWords = 'TooLittle(available: 3, wanted: 5)';
      expect(await asked([tooLittle])).toMatchObject({
        code: -32521,
        message: expect.stringMatching(/execution reverted: TooLittle\(available: 3, wanted: 5\)$/),
        data: {
          revertReason: inWords,
          contractError: {
            name: 'TooLittle',
            args: [
              { name: 'available', type: 'uint256', value: '3' },
              { name: 'wanted', type: 'uint256', value: '5' },
            ],
          },
        },
      });
      expect((await asked([]))?.data).not.toHaveProperty('contractError');
    });

    it('answers -32011 with Retry-After when the bundler is broken', async () => {
      bundler.mode = 'http500';
      const answer = await sponsor(wireOperationV06(callData, LIMITS), { calculateGasLimits: true });
      expect([answer.status, answer.json.error?.code, answer.headers.has('retry-after')]).toEqual([503, -32011, true]);
    });

    it('asks the wallet before the bundler, and says where it is poor and whether a deposit is on its way', async () => {
      const fundingWallet = randomAddress();
      const [contract, entryPoint] = [world.paymasters['0.6'], CANONICAL_ENTRY_POINTS['0.6']];
      const refusal = async (settings = DEFAULT_PAYMASTER_SETTINGS) => {
        const { apiKey } = world.newPaymaster({ fundingWallet, settings });
        const answer = await sponsor(wireOperationV06(callData, LIMITS), { calculateGasLimits: true }, apiKey);
        const { code, data, message } = answer.json.error!;
        const { requestId: _, ...told } = data!;
        return { code, told, isHinted: message.includes('A deposit is on its way') };
      };
      const told = { reason: 'FUNDING_WALLET_BALANCE_TOO_LOW', contract, entryPoint, isDepositOnItsWay: false };
      expect(await refusal()).toEqual({ code: -32508, told, isHinted: false });
      expect(bundler.calls).toHaveLength(0);

      // No settlement runs here that could count it.
      const chain = await connectDevChain({ rpcUrl: world.anvil.url, privateKey: DEV_KEYS.owner.privateKey });
      const data = encodeFunctionData({ abi: paymasterAbi, functionName: 'depositFor', args: [fundingWallet] });
      await chain.execute({ to: contract, data, value: 7n });
      await until(async () => (await refusal()).isHinted, 'the deposit is seen');
      expect((await refusal()).told).toEqual({ ...told, isDepositOnItsWay: true });
      const explained = await refusal({ ...DEFAULT_PAYMASTER_SETTINGS, explainToClients: true });
      expect(explained.told).toMatchObject({ availableWei: '0', depositOnItsWayWei: '7' });
    });
  });

  describe('calculateGasLimits false', () => {
    it.each(['callGasLimit', 'verificationGasLimit', 'preVerificationGas'])(
      'names %s when it is missing or zero',
      async (name) => {
        for (const value of [undefined, 0, '0x', '0x0']) {
          const { json } = await sponsor(wireOperationV06(callData, { [name]: value }));
          expect(json.error).toMatchObject({ code: -32602, data: { field: `params[0].${name}` } });
        }
      },
    );

    it('names verificationGasLimit when it leaves no room for our postOp on v0.6', async () => {
      const { json } = await sponsor(wireOperationV06(callData, { verificationGasLimit: 20_000 }));
      expect(json.error).toMatchObject({ code: -32602, data: { field: 'params[0].verificationGasLimit' } });
    });

    it.each<[string, object, string, string]>([
      [
        'alchemy_requestGasAndPaymasterAndData',
        { entryPoint: CANONICAL_ENTRY_POINTS['0.6'], overrides: { verificationGasLimit: '0x1' } },
        'userOperation',
        'params[0].overrides.verificationGasLimit',
      ],
      ['zd_sponsorUserOperation', { entryPointAddress: V09, chainId: 31337 }, 'userOp', 'params[0].userOp.factory'],
      [
        'zd_sponsorUserOperation',
        { entryPointAddress: randomAddress(), chainId: 31337 },
        'userOp',
        'params[0].entryPointAddress',
      ],
      [
        'zd_sponsorUserOperation',
        { entryPointAddress: V09, chainId: 31337, gasTokenData: { tokenAddress: randomAddress() } },
        'userOp',
        'params[0].gasTokenData.tokenAddress',
      ],
    ])('names the field of %s where the client sent it', async (method, request, member, field) => {
      // In this world every account has code, and EntryPoint v0.9 skips the factory of such an account.
      const args = [randomAddress(), 0n] as const;
      const factoryData = encodeFunctionData({ abi: FACTORY_ABI, functionName: 'createAccount', args });
      const deployment = { factory: CANONICAL_ACCOUNT_FACTORIES['0.9'], factoryData };
      const operation =
        member === 'userOp' ? wireOperationV07(callData, deployment) : wireOperationV06(callData, { initCode: '0x' });
      const params = [{ ...request, [member]: operation }];
      const { json } = await call(endpoint(world.newPaymaster().apiKey), method, params);
      expect(json.error).toMatchObject({ code: -32602, data: { field } });
      const named = /params\[0\](\.\w+)*/.exec(json.error?.message ?? '')?.[0];
      expect(named ?? field).toBe(field);
    });

    it.each([
      ['callGasLimit', 30_000_000, 'CALL_GAS_LIMIT_TOO_HIGH'],
      ['preVerificationGas', 10 ** 12, 'PRE_VERIFICATION_GAS_TOO_HIGH'],
      ['maxFeePerGas', (10n ** 20n).toString(), 'MAX_FEE_PER_GAS_TOO_HIGH'],
    ])('refuses %s of %s', async (name, value, reason) => {
      const { json } = await sponsor(wireOperationV06(callData, { [name]: value }));
      expect(json.error).toMatchObject({ code: -32501, data: { reason } });
    });

    it('names a fee of zero', async () => {
      const { json } = await sponsor(wireOperationV06(callData, { maxFeePerGas: 0, maxPriorityFeePerGas: 0 }));
      expect(json.error).toMatchObject({ code: -32602, data: { field: 'params[0].maxFeePerGas' } });
    });

    it('sponsors equal fees that clients send, unless the owner forbids them', async () => {
      const strict = world.newPaymaster({ settings: { ...DEFAULT_PAYMASTER_SETTINGS, allowEqualFees: false } });
      const ask = async (feeWei: bigint, apiKey?: string) => {
        const fees = { maxFeePerGas: feeWei.toString(), maxPriorityFeePerGas: feeWei.toString() };
        const { json } = await sponsor(wireOperationV07(callData, fees), {}, apiKey);
        return json.result ? 'granted' : json.error!.data;
      };
      const refused = { reason: 'LEGACY_FEES_REFUSED', field: 'maxPriorityFeePerGas' };
      const dear = await ask(1_000_000_000_000n);
      expect(dear).toMatchObject({ ...refused, value: '1000000000000' });
      const highestWei = BigInt((dear as { limit: string }).limit);
      expect(await ask(highestWei)).toBe('granted');
      expect(await ask(highestWei, strict.apiKey)).toMatchObject(refused);
    });

    it('shows trace, limits and values where the paymaster explains itself', async () => {
      const { apiKey } = world.newPaymaster({ settings: { ...DEFAULT_PAYMASTER_SETTINGS, explainToClients: true } });
      const { json } = await sponsor(wireOperationV06(callData, { callGasLimit: 30_000_000 }), {}, apiKey);
      expect(json.error?.data).toMatchObject({
        limit: '5000000',
        trace: expect.arrayContaining([expect.objectContaining({ outcome: 'refuse' })]),
      });
    });

    it('refuses a longer validity than the paymaster allows, naming it', async () => {
      const { json } = await sponsor(wireOperationV06(callData), { expiryDuration: 601 });
      expect(json.error).toMatchObject({ code: -32602, data: { field: 'params[1].expiryDuration' } });
    });

    it('refuses for a paymaster that has no wallet, saying so', async () => {
      const { apiKey } = world.newPaymaster({ fundingWallet: null });
      const { json } = await sponsor(wireOperationV06(callData), {}, apiKey);
      expect(json.error).toMatchObject({ code: -32508, data: { reason: 'FUNDING_WALLET_MISSING' } });
    });
  });

  describe('ERC-7677', () => {
    it.each([
      ['0.6', wireOperationV06, ['paymasterAndData']],
      [
        '0.7',
        wireOperationV07,
        ['paymaster', 'paymasterData', 'paymasterPostOpGasLimit', 'paymasterVerificationGasLimit'],
      ],
      [
        '0.8',
        wireOperationV07,
        ['paymaster', 'paymasterData', 'paymasterPostOpGasLimit', 'paymasterVerificationGasLimit'],
      ],
    ] as const)(
      'answers v%s with the standard keys, the stub as long as the data and with the limits that were not set',
      async (version, build, keys) => {
        const stub = await erc7677('pm_getPaymasterStubData', build(callData, ZERO_LIMITS), { version });
        const data = await erc7677('pm_getPaymasterData', build(callData), { version });
        expect(Object.keys(stub.json.result ?? {}).sort()).toEqual([...keys, ...Object.keys(ZERO_LIMITS)].sort());
        expect(Object.keys(data.json.result ?? {}).sort()).toEqual([...keys]);
        const bytes = ({ json }: RpcAnswer): Buffer =>
          Buffer.from(
            ((json.result?.['paymasterAndData'] ?? json.result?.['paymasterData']) as string).slice(2),
            'hex',
          );
        const zeros = (buffer: Buffer): number => buffer.filter((byte) => byte === 0).length;
        expect(bytes(stub)).toHaveLength(bytes(data).length);
        expect(zeros(bytes(stub))).toBeLessThanOrEqual(zeros(bytes(data)));
        expect(bytes(stub).equals(bytes(data))).toBe(false);
      },
    );

    it.each([[undefined], ['0x0']])('needs no fees for the stub (%s)', async (fee) => {
      const operation = wireOperationV07(callData, { ...ZERO_LIMITS, maxFeePerGas: fee, maxPriorityFeePerGas: fee });
      const { json } = await erc7677('pm_getPaymasterStubData', operation);
      expect(json.result).toHaveProperty('paymasterData');
    });

    const stubOf = async (changes: object) => {
      const { json } = await erc7677('pm_getPaymasterStubData', wireOperationV07(callData, changes));
      const { callGasLimit, verificationGasLimit, preVerificationGas, paymasterData } = json.result ?? {};
      expect(paymasterData).toBeDefined();
      return { callGasLimit, verificationGasLimit, preVerificationGas };
    };

    it('answers the limits of the stub that the client has not set, and no others', async () => {
      const margins = { callGasLimit: '0x1adb0', verificationGasLimit: '0x1adb0', preVerificationGas: '0xc350' };
      expect(await stubOf({ ...ZERO_LIMITS, maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' })).toEqual(margins);
      expect(await stubOf({ ...ZERO_LIMITS, callGasLimit: 77_777 })).toEqual({ ...margins, callGasLimit: undefined });
      bundler.calls.length = 0;
      expect(Object.values(await stubOf({}))).toEqual([undefined, undefined, undefined]);
      expect(bundler.calls).toHaveLength(0);
    });

    it.each([
      [
        'fails',
        () =>
          void (bundler.methods['eth_estimateUserOperationGas'] = () => {
            throw new FakeRpcError(-32521, 'reverted');
          }),
      ],
      ['gets no answer', () => void (bundler.mode = 'http500')],
      ['gets no answer in time', () => void (bundler.mode = 'hang')],
    ])('answers the stub without limits within two seconds when the estimate %s', async (_title, spoil) => {
      spoil();
      const startedMs = performance.now();
      expect(Object.values(await stubOf(ZERO_LIMITS))).toEqual([undefined, undefined, undefined]);
      expect(performance.now() - startedMs).toBeLessThan(2_000);
    });

    it('answers the stub without limits when the account has no signature, and nobody says what its stub is', async () => {
      expect(Object.values(await stubOf({ ...ZERO_LIMITS, signature: '0x' }))).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    });

    it('refuses in the stub what the policy refuses, with HTTP 200', async () => {
      const refused = wireOperationV07(executeCall({ to: randomAddress(), data: '0x12345678' }));
      const { status, json } = await erc7677('pm_getPaymasterStubData', refused);
      expect(status).toBe(200);
      expect(json.error).toMatchObject({ code: -32501, data: { reason: 'CONTRACT_NOT_REGISTERED' } });
      expect(json.error?.message).toContain('Smart contract data not found');
    });

    it('returns all limits, final, when they are asked for and missing', async () => {
      const { json } = await erc7677('pm_getPaymasterData', wireOperationV06(callData, ZERO_LIMITS), {
        version: '0.6',
        context: { calculateGasLimits: true },
      });
      expect(json.result).toMatchObject({
        callGasLimit: '0x1adb0',
        verificationGasLimit: '0x186a0',
        preVerificationGas: '0xc350',
      });
      decodePaymasterAndData('0.6', json.result?.['paymasterAndData'] as Hex);
    });

    it('names both chains when the request is for another one', async () => {
      const { json } = await erc7677('pm_getPaymasterData', wireOperationV07(callData), { chainId: '0x1' });
      expect(json.error).toMatchObject({ code: -32602, data: { field: 'params[2]', reason: 'CHAIN_MISMATCH' } });
      expect(json.error?.message).toMatch(/chain 1,.*chain 31337/);
    });

    it('names an EntryPoint that is not served', async () => {
      const params = [wireOperationV07(callData), randomAddress(), '0x7a69', null];
      const { json } = await call(endpoint(world.newPaymaster().apiKey), 'pm_getPaymasterData', params);
      expect(json.error).toMatchObject({ code: -32602, data: { field: 'params[1]' } });
    });
  });

  describe('a paymaster that lost half of its wallet', () => {
    const lostWei = 10n ** 18n;
    /** A new paymaster: its entry for the responder, and its API key. */
    const atItsHalf = async () => {
      const account = { contract: world.paymasters['0.7'], wallet: randomAddress() };
      await world.ledger.setWallet({ ...account, spendableWei: lostWei + 2n });
      const { apiKey, snapshot } = world.newPaymaster({ fundingWallet: account.wallet });
      const { paymasterId } = snapshot;
      await world.ledger.rows(
        `WITH brake AS (
           INSERT INTO ledger.brakes (wallet_id, paymaster_id) SELECT id, $1 FROM ledger.wallets WHERE wallet = $2
           RETURNING wallet_id, paymaster_id)
         INSERT INTO ledger.losses SELECT wallet_id, paymaster_id, extract(epoch FROM now())::bigint / 60, $3 FROM brake`,
        [paymasterId, account.wallet, lostWei.toString()],
      );
      const stops = () =>
        world.ledger.rows(`SELECT FROM ledger.outbox WHERE kind = 'walletBraked' AND paymaster_id = $1`, [paymasterId]);
      return { apiKey, stops };
    };

    it('is stopped, and its owner informed, by the first request that needs an estimate', async () => {
      const { apiKey, stops } = await atItsHalf();
      const { json } = await sponsor(wireOperationV07(callData, LIMITS), { calculateGasLimits: true }, apiKey);
      expect(json.error?.data['reason']).toBe('SPENDING_BRAKE');
      expect(await stops()).toHaveLength(1);
    });

    it('is stopped, and its owner informed, by the first request for a stub and then the data', async () => {
      const { apiKey, stops } = await atItsHalf();
      const stub = await erc7677('pm_getPaymasterStubData', wireOperationV07(callData), { apiKey });
      expect(stub.json.error).toBeUndefined();
      const data = await erc7677('pm_getPaymasterData', wireOperationV07(callData), { apiKey });
      expect(data.json.error?.data['reason']).toBe('SPENDING_BRAKE');
      expect(await stops()).toHaveLength(1);
    });
  });

  it('answers a sponsored operation of v0.8 when its EntryPoint is named in between', async () => {
    const params = [wireOperationV07(callData), CANONICAL_ENTRY_POINTS['0.8'], sponsoredMode()];
    const { json } = await call(endpoint(world.newPaymaster().apiKey), 'pm_sponsorUserOperation', params);
    expect(json.result).toMatchObject({ paymaster: world.paymasters['0.8'] });
  });

  it('lets a key that asks too often wait', async () => {
    const limited = await startGatewayWorld({ env: { RATE_LIMIT_PER_KEY_PER_SECOND: '1' } });
    try {
      const url = `${limited.url}/api/v2/31337/${limited.newPaymaster().apiKey}`;
      // A full bucket, which takes 20 s to fill again.
      const all = JSON.stringify(Array(20).fill({ jsonrpc: '2.0', id: 1, method: 'pm_chainId' }));
      expect((await post(url, all)).status).toBe(200);
      const waiting = await post(url, all);
      expect(waiting.status).toBe(429);
      const errors = waiting.json as unknown as readonly RpcAnswer['json'][];
      expect(errors.map(({ error }) => error?.code)).toEqual(Array(20).fill(-32005));
      expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    } finally {
      await limited.stop();
    }
  });
});
