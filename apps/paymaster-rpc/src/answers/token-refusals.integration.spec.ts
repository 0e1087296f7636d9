import { decodePaymasterAndData, type TokenFields } from '@paymaster/chain';
import { demoPriceFeedAbi, demoPriceFeedBytecode, demoTokenAbi } from '@paymaster/contract-abis';
import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_PAYMASTER_SETTINGS,
  NATIVE_PSEUDO_ADDRESS,
  toPriceReference,
  type Address,
  type EntryPointVersion,
  type Hex,
  type PaymasterSettings,
  type PolicySnapshot,
  type UserOperation,
} from '@paymaster/domain';
import { randomAddress, randomHex, tokenListingBuilder } from '@paymaster/domain/testing';
import { PriceServer } from '@paymaster/pricing/testing';
import type { Abi } from 'viem';
import { call, type RpcAnswer } from '../testing/rpc-call';
import { startRpcProxy } from '../testing/rpc-proxy';
import { biconomyCall, erc20Mode, paidOperation, quotesOf, toWire } from '../testing/token-call';
import { startTokenWorld, type ListedToken, type TokenWorld } from '../testing/token-world';
import { handleOps } from '../../proofs/attacks/testing/bundle';
import { testContracts } from '../testing/compile-contracts';
import { draftOperation } from '../../proofs/attacks/testing/draft-operation';
import type { ContractCall } from '../testing/token-chain';

const ENOUGH = 10n ** 30n;
const settings = (changes: Partial<PaymasterSettings>): Partial<PolicySnapshot> => ({
  settings: { ...DEFAULT_PAYMASTER_SETTINGS, ...changes },
});
const reasonOf = ({ status, json }: RpcAnswer) => [status, json.error?.code, json.error?.data['reason']];
const fieldsOf = ({ json, text }: RpcAnswer, version: EntryPointVersion = '0.7'): TokenFields => {
  if (!json.result) throw new Error(text);
  return decodePaymasterAndData(version, json.result['paymasterAndData'] as Hex).sponsorFields as TokenFields;
};

/** One account of a world and what it may ask. */
class Payer {
  constructor(
    private readonly world: TokenWorld,
    readonly sender: Address,
    readonly token: ListedToken,
    private readonly url: string,
    readonly version: EntryPointVersion = '0.7',
  ) {}

  static async of(
    world: TokenWorld,
    options: { baseUnits?: bigint; paymaster?: Partial<PolicySnapshot>; version?: EntryPointVersion } = {},
  ): Promise<Payer> {
    const { baseUnits = ENOUGH, paymaster = {}, version } = options;
    const token = world.tokens.DAIx;
    const sender = await world.newHolder({ token, baseUnits });
    const url = `${world.url}/api/v2/31337/${world.newPaymaster(paymaster).apiKey}`;
    return new Payer(world, sender, token, url, version);
  }

  approve(amount: bigint): ContractCall {
    return this.onToken('approve', [this.world.paymasters[this.version], amount]);
  }

  transfer(to: Address, amount: bigint): ContractCall {
    return this.onToken('transfer', [to, amount]);
  }

  onToken(name: string, args: readonly unknown[]): ContractCall {
    return { to: this.token.address, abi: demoTokenAbi as Abi, name, args };
  }

  draft(calls: readonly ContractCall[], nonceKey = 0n): Promise<UserOperation> {
    return draftOperation(this.world.chain, { version: this.version, sender: this.sender, calls, nonceKey });
  }

  pay(
    operation: UserOperation,
    tokenInfo: object = { feeTokenAddress: this.token.address },
    mode = {},
  ): Promise<RpcAnswer> {
    return biconomyCall('pm_sponsorUserOperation', { url: this.url, operation, mode: erc20Mode(tokenInfo, mode) });
  }

  quote(operation: UserOperation, mode = {}): Promise<RpcAnswer> {
    const tokenInfo = { preferredToken: this.token.address };
    return biconomyCall('pm_getFeeQuoteOrData', { url: this.url, operation, mode: erc20Mode(tokenInfo, mode) });
  }

  standard(method: string, operation: UserOperation, context: object): Promise<RpcAnswer> {
    return call(this.url, method, [toWire(operation), CANONICAL_ENTRY_POINTS[this.version], '0x7a69', context]);
  }
}

describe('the final call in token mode refuses', () => {
  let world: TokenWorld;

  beforeAll(async () => {
    world = await startTokenWorld({ pricing: { maxJumpPercent: '90' } });
  });
  afterAll(() => world?.stop());

  describe('a fee token', () => {
    it.each([NATIVE_PSEUDO_ADDRESS, randomAddress()])('%s that is not supported, naming it', async (token) => {
      const payer = await Payer.of(world);
      const answer = await payer.pay(await payer.draft([]), { feeTokenAddress: token });
      expect(reasonOf(answer)).toEqual([400, -32602, 'TOKEN_NOT_SUPPORTED']);
      expect(answer.json.error?.message).toBe(`Token ${token} is not supported.`);
      expect(answer.json.error?.data).toMatchObject({ field: 'params[2].tokenInfo.feeTokenAddress' });
      const standard = await payer.standard('pm_getPaymasterData', await payer.draft([]), { token });
      expect(standard.json.error?.data).toMatchObject({ reason: 'TOKEN_NOT_SUPPORTED', field: 'params[3].token' });
    });

    it.each<[string, (token: Address) => object]>([
      ['preferredToken', (token) => ({ preferredToken: token, tokenList: [randomAddress()] })],
      ['tokenList', (token) => ({ tokenList: [null, token, token] })],
    ])('that is named by %s, saying so', async (field, tokenInfoOf) => {
      const payer = await Payer.of(world);
      const { json } = await payer.pay(await payer.draft([]), tokenInfoOf(randomAddress()));
      expect(json.error).toMatchObject({
        data: { reason: 'TOKEN_NOT_SUPPORTED', field: `params[2].tokenInfo.${field}` },
      });
    });

    it.each<[string, object]>([
      ['none', {}],
      ['several', { tokenList: [randomAddress(), randomAddress()] }],
    ])('%s of which is named, saying where', async (_title, tokenInfo) => {
      const payer = await Payer.of(world);
      const { json } = await payer.pay(await payer.draft([]), tokenInfo);
      expect(json.error).toMatchObject({ code: -32602, data: { field: 'params[2].tokenInfo.feeTokenAddress' } });
    });

    it.each<[string, (token: Address) => object]>([
      ['as the preferred one', (token) => ({ preferredToken: token, tokenList: [randomAddress()] })],
      ['as a list of one', (token) => ({ tokenList: [token] })],
      ['before all others', (token) => ({ feeTokenAddress: token, preferredToken: randomAddress() })],
    ])('only when it is not named %s', async (_title, tokenInfo) => {
      const payer = await Payer.of(world);
      const operation = await payer.draft([payer.approve(ENOUGH)]);
      expect((await payer.pay(operation, tokenInfo(payer.token.address))).status).toBe(200);
    });

    it('that has no price now', async () => {
      const payer = await Payer.of(world);
      await world.setPrice('DAIx', '0.9994', 100_000);
      const answer = await payer.pay(await payer.draft([payer.approve(ENOUGH)]));
      await world.setPrice('DAIx', '0.9994');
      expect(reasonOf(answer)).toEqual([503, -32011, 'PRICE_UNAVAILABLE']);
    });

    it('that cannot have a price as one that is not supported: asking again would not help', async () => {
      const address = await world.chain.newToken(18);
      const decimals = 37;
      const feed = await world.chain.deploy({ abi: demoPriceFeedAbi as Abi, bytecode: demoPriceFeedBytecode }, [
        decimals,
        'a feed that is none',
        1n,
      ]);
      const price = toPriceReference({ feed: { address: feed, heartbeatSeconds: 3_600 } });
      const listing = tokenListingBuilder().with('address', address).with('decimals', 18).with('price', price).build();
      const payer = await Payer.of(world, { paymaster: { tokens: [listing] } });
      const operation = await payer.draft([]);
      await payer.quote(operation);
      await world.prices.refresh();
      const answer = await payer.pay(operation, { feeTokenAddress: address });
      expect(reasonOf(answer)).toEqual([400, -32602, 'TOKEN_NOT_SUPPORTED']);
      expect(answer.json.error?.message).toContain('WRONG_DECIMALS');
      for (const method of ['pm_getPaymasterStubData', 'pm_getPaymasterData']) {
        const standard = await payer.standard(method, operation, { token: address });
        expect(reasonOf(standard)).toEqual([200, -32602, 'TOKEN_NOT_SUPPORTED']);
        expect(standard.json.error?.data['field']).toBe('params[3].token');
      }
    });
  });

  it.each<[string, Partial<PaymasterSettings>]>([
    ['off', { tokenMode: 'off' }],
    ['without a way of charging', { tokenChargingWays: [] }],
  ])('everything where token mode is %s, stub and data of ERC-7677 too', async (_title, changes) => {
    const payer = await Payer.of(world, { paymaster: settings(changes) });
    const operation = await payer.draft([payer.approve(ENOUGH)]);
    expect(reasonOf(await payer.pay(operation))).toEqual([400, -32602, 'TOKEN_MODE_NOT_ENABLED']);
    for (const method of ['pm_getPaymasterStubData', 'pm_getPaymasterData']) {
      const answer = await payer.standard(method, operation, { token: payer.token.address });
      expect(reasonOf(answer)).toEqual([200, -32602, 'TOKEN_MODE_NOT_ENABLED']);
    }
  });

  describe('an account', () => {
    it('without tokens, in the words that SDKs know', async () => {
      const payer = await Payer.of(world, { baseUnits: 0n });
      const answer = await payer.pay(await payer.draft([payer.approve(ENOUGH)]));
      expect(reasonOf(answer)).toEqual([400, -32501, 'TOKEN_BALANCE_TOO_LOW']);
      expect(answer.json.error?.message).toContain('account does not have enough token balance');
    });

    it('that sends its tokens away in the same operation', async () => {
      const payer = await Payer.of(world);
      const operation = await payer.draft([payer.approve(ENOUGH), payer.transfer(randomAddress(), ENOUGH)]);
      expect(reasonOf(await payer.pay(operation))).toEqual([400, -32501, 'TOKEN_BALANCE_TOO_LOW']);
    });

    it.each<[string, readonly bigint[]]>([
      ['approves nothing', []],
      ['approves too little', [1n]],
      ['takes the approval back', [ENOUGH, 0n]],
    ])('that %s, saying what to approve to whom', async (_title, approvals) => {
      const payer = await Payer.of(world);
      const answer = await payer.pay(await payer.draft(approvals.map((amount) => payer.approve(amount))));
      expect(reasonOf(answer)).toEqual([400, -32501, 'TOKEN_ALLOWANCE_TOO_LOW']);
      expect(answer.json.error?.message).toMatch(
        new RegExp(`approve\\(${world.paymasters['0.7']}, \\d+\\) on DAIx ${payer.token.address}`),
      );
    });

    it('without any approval at its stub already, and one with some not yet', async () => {
      const payer = await Payer.of(world);
      const stub = async (approvals: readonly bigint[]) =>
        payer.standard('pm_getPaymasterStubData', await payer.draft(approvals.map((amount) => payer.approve(amount))), {
          token: payer.token.address,
        });
      for (const approvals of [[], [0n]]) {
        const answer = await stub(approvals);
        expect(reasonOf(answer)).toEqual([200, -32501, 'TOKEN_ALLOWANCE_TOO_LOW']);
        expect(answer.json.error?.message).toContain(`approve(${world.paymasters['0.7']}, the most`);
      }
      expect((await stub([1n])).json.error).toBeUndefined();
    });

    it('whose calls revert', async () => {
      const payer = await Payer.of(world);
      const operation = await payer.draft([payer.approve(ENOUGH), payer.transfer(randomAddress(), 2n * ENOUGH)]);
      expect(reasonOf(await payer.pay(operation))).toEqual([400, -32521, 'EXECUTION_SIMULATION_FAILED']);
    });

    it('that has no code and is not deployed', async () => {
      const payer = await Payer.of(world);
      const nobody = { ...(await payer.draft([payer.approve(ENOUGH)])), sender: randomAddress() };
      expect(reasonOf(await payer.pay(nobody))).toEqual([400, -32500, 'VALIDATION_SIMULATION_FAILED']);
    });
  });

  describe('a permit', () => {
    const permit = { value: ENOUGH.toString(), deadline: '99999999999', signature: `${randomHex(64)}1b` };

    it('that the token does not accept', async () => {
      const payer = await Payer.of(world);
      const answer = await payer.pay(await payer.draft([]), { feeTokenAddress: world.tokens.DAIx.address, permit });
      expect(reasonOf(answer)).toEqual([400, -32501, 'TOKEN_ALLOWANCE_TOO_LOW']);
    });

    it('when the owner’s settings exclude permits', async () => {
      const payer = await Payer.of(world, {
        paymaster: settings({ tokenChargingWays: ['allowance', 'batchApproval'] }),
      });
      const tokenInfo = { feeTokenAddress: payer.token.address, permit };
      expect(reasonOf(await payer.pay(await payer.draft([]), tokenInfo))).toEqual([
        400,
        -32501,
        'TOKEN_WAY_NOT_AVAILABLE',
      ]);
    });

    it('that is missing when only permits are accepted', async () => {
      const payer = await Payer.of(world, { paymaster: settings({ tokenChargingWays: ['permit'] }) });
      expect(reasonOf(await payer.pay(await payer.draft([])))).toEqual([400, -32501, 'TOKEN_WAY_NOT_AVAILABLE']);
    });
  });

  it('an approval in the batch where the paymaster has no contract and no policy, until its owner turns it on', async () => {
    const blank = await Payer.of(world, { paymaster: { contracts: [] } });
    const answer = await blank.pay(await blank.draft([blank.approve(ENOUGH)]));
    expect(reasonOf(answer)).toEqual([400, -32501, 'TOKEN_ALLOWANCE_TOO_LOW']);
    expect(answer.json.error?.message).toContain('its owner has not set allowBatchApprovalWithoutRules');
    const on = settings({ allowBatchApprovalWithoutRules: true });
    const turnedOn = await Payer.of(world, { paymaster: { ...on, contracts: [] } });
    expect(fieldsOf(await turnedOn.pay(await turnedOn.draft([turnedOn.approve(ENOUGH)]))).way).toBe('batchApproval');
  });

  it('an approval in the batch when only an earlier allowance is accepted', async () => {
    const payer = await Payer.of(world, { paymaster: settings({ tokenChargingWays: ['allowance'] }) });
    const operation = await payer.draft([payer.approve(ENOUGH)]);
    const answer = await payer.pay(operation);
    expect(reasonOf(answer)).toEqual([400, -32501, 'TOKEN_ALLOWANCE_TOO_LOW']);
    expect(answer.json.error?.message).toContain('in an operation of its own first');
    await world.chain.asAccount(payer.sender, payer.approve(ENOUGH));
    expect(fieldsOf(await payer.pay(operation)).way).toBe('allowance');
  });

  describe('a token that misbehaves', () => {
    const QUIRKS = { Lies: 4, BurnsEverything: 12, Expensive: 13, FeeOnTransfer: 14, Paused: 19, BalanceReverts: 20 };
    it.each(Object.entries(QUIRKS))('as %s', async (_name, quirk) => {
      const { abi } = testContracts().WeirdToken;
      const address = await world.chain.newToken(18);
      const listing = tokenListingBuilder().with('address', address).with('decimals', 18).build();
      const payer = await Payer.of(world, { paymaster: { tokens: [listing] } });
      const onWeird = (name: string, args: readonly unknown[]): ContractCall => ({ to: address, abi, name, args });
      await world.chain.call(onWeird('mint', [payer.sender, ENOUGH]));
      const operation = await payer.draft([onWeird('approve', [world.paymasters['0.7'], ENOUGH])]);
      await payer.quote(operation);
      await world.prices.refresh();
      expect((await payer.pay(operation, { feeTokenAddress: address })).status).toBe(200);

      await world.chain.call(onWeird('setQuirk', [quirk]));
      const answer = await payer.pay(operation, { feeTokenAddress: address });
      const reasons = ['TOKEN_PAYMENT_FAILS', 'TOKEN_BALANCE_TOO_LOW'];
      expect([answer.status, answer.json.error?.code]).toEqual([400, -32501]);
      expect(reasons).toContain(answer.json.error?.data['reason']);
    });
  });

  describe('gas limits that are sent', () => {
    it.each(['callGasLimit', 'verificationGasLimit', 'preVerificationGas'])('without %s, naming it', async (name) => {
      const payer = await Payer.of(world);
      const operation = { ...(await payer.draft([payer.approve(ENOUGH)])), [name]: 0n };
      const { json } = await payer.pay(operation);
      expect(json.error).toMatchObject({ code: -32602, data: { field: `params[0].${name}` } });
    });

    it('that leave no room for the postOp on v0.6, naming verificationGasLimit', async () => {
      const payer = await Payer.of(world, { version: '0.6' });
      const operation = { ...(await payer.draft([payer.approve(ENOUGH)])), verificationGasLimit: 60_000n };
      const { json } = await payer.pay(operation);
      expect(json.error).toMatchObject({ code: -32602, data: { field: 'params[0].verificationGasLimit' } });
    });

    it('that are absurd', async () => {
      const payer = await Payer.of(world);
      const operation = { ...(await payer.draft([payer.approve(ENOUGH)])), callGasLimit: 30_000_000n };
      expect(reasonOf(await payer.pay(operation))).toEqual([400, -32501, 'CALL_GAS_LIMIT_TOO_HIGH']);
    });
  });

  it('an operation for which the funding wallet has too little ether', async () => {
    const payer = await Payer.of(world, { paymaster: { fundingWallet: randomAddress() } });
    const answer = await payer.pay(await payer.draft([payer.approve(ENOUGH)]));
    expect(reasonOf(answer)).toEqual([400, -32508, 'FUNDING_WALLET_BALANCE_TOO_LOW']);
  });

  describe('calls that are not whitelisted, where the owner wants that,', () => {
    const increment = (): ContractCall => ({
      ...{ to: world.demo.address, name: 'increment' },
      abi: [{ type: 'function', name: 'increment', inputs: [], outputs: [], stateMutability: 'nonpayable' }],
    });
    const whitelisted = async (changes: Partial<PaymasterSettings> = {}) =>
      Payer.of(world, { paymaster: settings({ tokenMode: 'whitelistedCalls', ...changes }) });

    it('and takes those that are, with the approval of the paymaster in front', async () => {
      const payer = await whitelisted();
      const operation = await payer.draft([payer.approve(ENOUGH), increment()]);
      expect((await payer.pay(operation)).status).toBe(200);
    });

    it('with a transfer among them', async () => {
      const payer = await whitelisted();
      const operation = await payer.draft([payer.approve(ENOUGH), payer.transfer(randomAddress(), 1n)]);
      expect(reasonOf(await payer.pay(operation))).toEqual([400, -32501, 'CONTRACT_NOT_REGISTERED']);
    });

    it('and answers 0x where refusals mean that the user pays; not for tokens that are missing', async () => {
      const payer = await whitelisted({ onRefusal: 'userPays' });
      const refused = await payer.draft([payer.approve(ENOUGH), payer.transfer(randomAddress(), 1n)]);
      const { json } = await payer.pay(refused);
      expect(json.result).toMatchObject({
        MODE: 'ERC20',
        mode: 'ERC20',
        paymasterAndData: '0x',
        callGasLimit: 400_000,
      });
      const unpaid = await payer.draft([increment()]);
      expect(reasonOf(await payer.pay(unpaid))).toEqual([400, -32501, 'TOKEN_ALLOWANCE_TOO_LOW']);
    });
  });

  describe('after a quote', () => {
    it('when it has expired, until there is another one; clients of ERC-7677 do not quote', async () => {
      const payer = await Payer.of(world);
      const operation = await payer.draft([payer.approve(ENOUGH)]);
      await payer.quote(operation, { expiryDuration: 120 });
      expect((await payer.pay(operation)).status).toBe(200);
      await world.passSeconds(130);
      expect(reasonOf(await payer.pay(operation))).toEqual([400, -32501, 'QUOTE_EXPIRED']);
      const standard = await payer.standard('pm_getPaymasterData', operation, { token: payer.token.address });
      expect(standard.json.result).toBeDefined();
      await payer.quote(operation);
      expect((await payer.pay(operation)).status).toBe(200);
    });

    it('when the operation outgrew it', async () => {
      const payer = await Payer.of(world);
      const operation = await payer.draft([payer.approve(ENOUGH)]);
      await payer.quote(operation);
      const answer = await payer.pay({ ...operation, callGasLimit: 2_000_000n });
      expect(reasonOf(answer)).toEqual([400, -32501, 'QUOTE_CEILING_EXCEEDED']);
    });

    it('for the policy’s reason, if both the policy and the quote refuse', async () => {
      const payer = await Payer.of(world);
      const operation = await payer.draft([payer.approve(ENOUGH)]);
      await payer.quote(operation);
      const answer = await payer.pay({ ...operation, callGasLimit: 10n ** 9n });
      expect(reasonOf(answer)).toEqual([400, -32501, 'CALL_GAS_LIMIT_TOO_HIGH']);
    });

    it('but keeps its rate when the price passes its ceiling meanwhile', async () => {
      const payer = await Payer.of(world);
      const operation = await payer.draft([payer.approve(ENOUGH)]);
      const quote = await payer.quote(operation);
      const quoted = BigInt(/"exchangeRate":(\d+)/.exec(quote.text)?.[1] ?? '0');
      await world.setPrice('ETH', '6000');
      const fields = fieldsOf(await payer.pay(operation));
      await world.setPrice('ETH', '3187.42');
      expect(fields.exchangeRate).toBe(quoted);
      expect(quotesOf(quote)).toHaveLength(1);
    });

    it('but follows the price where there is none', async () => {
      const payer = await Payer.of(world);
      await world.setPrice('ETH', '3300');
      const fields = fieldsOf(await payer.pay(await payer.draft([payer.approve(ENOUGH)])));
      await world.setPrice('ETH', '3187.42');
      expect(fields.exchangeRate).toBe(ceilRate('3300'));
    });
  });

  it('a better rate than a signature of the same operation still carries; another nonce has the new one', async () => {
    const payer = await Payer.of(world);
    await world.setPrice('ETH', '3300');
    const operation = await payer.draft([payer.approve(ENOUGH)]);
    const first = fieldsOf(await payer.pay(operation));
    await world.setPrice('ETH', '3187.42');
    const again = fieldsOf(await payer.pay(operation));
    const requoted = await payer.quote(operation);
    const other = fieldsOf(await payer.pay(await payer.draft([payer.approve(ENOUGH)], 1n)));
    expect(first.exchangeRate).toBe(ceilRate('3300'));
    expect(again.exchangeRate).toBe(first.exchangeRate);
    expect(requoted.text).toContain(`"exchangeRate":${first.exchangeRate},`);
    expect(other.exchangeRate).toBe(ceilRate('3187.42'));
  });

  /** DAIx at 0.9994 dollars, 18 decimals. */
  const ceilRate = (ethUsd: string): bigint => {
    const scaled = BigInt(Math.round(Number(ethUsd) * 100)) * 10n ** 18n * 100n;
    return (scaled + 9_993n) / 9_994n;
  };
});

describe('exposure of approvals in the batch', () => {
  let world: TokenWorld;

  beforeAll(async () => {
    // One operation of these suites can cost about 0.003 ether.
    world = await startTokenWorld({
      bounds: { tokenExposureCapWei: '12000000000000000' },
    });
  });
  afterAll(() => world?.stop());

  it('is capped per token over all senders, and an allowance is not', async () => {
    const answers: RpcAnswer[] = [];
    for (let sender = 0; sender < 6; sender++) {
      const payer = await Payer.of(world);
      answers.push(await payer.pay(await payer.draft([payer.approve(ENOUGH)])));
    }
    expect(answers.map(({ status }) => status)).toContain(400);
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused.map(({ json }) => json.error?.data['reason'])).toEqual(
      refused.map(() => 'TOKEN_EXPOSURE_CAP_REACHED'),
    );
    const payer = await Payer.of(world);
    const operation = await payer.draft([payer.approve(ENOUGH)]);
    expect(reasonOf(await payer.pay(operation))).toEqual([400, -32501, 'TOKEN_EXPOSURE_CAP_REACHED']);
    await world.chain.asAccount(payer.sender, payer.approve(ENOUGH));
    expect(fieldsOf(await payer.pay(operation)).way).toBe('allowance');
  });
});

describe('a token that only the price API prices', () => {
  it('is not supported where the API answers and does not know its id, and has no price while the API is down', async () => {
    const api = await PriceServer.start({ prices: { known: '1' } });
    const world = await startTokenWorld({ env: { PRICE_API_URL: api.url } });
    try {
      const of = async (apiId: string) => {
        const listing = tokenListingBuilder()
          .with('address', await world.chain.newToken(18))
          .with('decimals', 18);
        const tokens = [listing.with('price', toPriceReference({ apiId })).build()];
        const payer = await Payer.of(world, { paymaster: { tokens } });
        const operation = await payer.draft([]);
        return async () => {
          await payer.quote(operation);
          await world.prices.refresh();
          return reasonOf(await payer.pay(operation, { feeTokenAddress: tokens[0]!.address }));
        };
      };
      expect(await (await of('unknown'))()).toEqual([400, -32602, 'TOKEN_NOT_SUPPORTED']);
      const known = await of('known');
      expect(await known()).toEqual([400, -32501, 'TOKEN_BALANCE_TOO_LOW']);
      api.state.mode = 'http500';
      expect(await (await of('another'))()).toEqual([503, -32011, 'PRICE_UNAVAILABLE']);
    } finally {
      await world.stop();
      await api.stop();
    }
  });
});

describe('nodes that take no state overrides', () => {
  it('leave the allowance as the only way, and say so', async () => {
    const world = await startTokenWorld({
      chainChanges: async ({ anvil, onStop }) => {
        const proxy = await startRpcProxy(anvil.url, ({ method, params }) =>
          method === 'eth_call' && params.length > 2 ? { code: -32602, message: 'too many arguments' } : undefined,
        );
        onStop(() => proxy.stop());
        return { rpcUrls: [proxy.url] };
      },
    });
    try {
      const payer = await Payer.of(world);
      const operation = await payer.draft([payer.approve(ENOUGH)]);
      const answer = await payer.pay(operation);
      expect(reasonOf(answer)).toEqual([400, -32501, 'TOKEN_WAY_NOT_AVAILABLE']);
      expect(answer.json.error?.message).toContain(`approve ${world.paymasters['0.7']} beforehand`);
      await world.chain.asAccount(payer.sender, payer.approve(ENOUGH));
      const paid = await payer.pay(operation);
      expect(fieldsOf(paid).way).toBe('allowance');
      const [landed] = await handleOps(world.chain, [paidOperation(operation, paid)]);
      expect(landed).toMatchObject({ success: true, paid: { charged: expect.any(BigInt) } });
    } finally {
      await world.stop();
    }
  });
});
