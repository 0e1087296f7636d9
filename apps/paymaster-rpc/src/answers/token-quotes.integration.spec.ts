import { decodePaymasterAndData, tokenGasTerms } from '@paymaster/chain';
import { FakeRpcServer } from '@paymaster/chain/testing';
import {
  CANONICAL_ENTRY_POINTS,
  CHARGING_WAYS,
  DEFAULT_PAYMASTER_SETTINGS,
  ENTRY_POINT_VERSIONS,
  NATIVE_PSEUDO_ADDRESS,
  prechargeWei,
  tokenChargeBaseUnits,
  toPriceReference,
  ZERO_ADDRESS,
  type Address,
  type ChargingWay,
  type EntryPointVersion,
  type Hex,
  type PaymasterSettings,
} from '@paymaster/domain';
import { randomAddress, tokenListingBuilder, until } from '@paymaster/domain/testing';
import { APPROVE_HEADROOM } from '@paymaster/gas';
import { call, executeCall, wireOperationV06, wireOperationV07, type RpcAnswer } from '../testing/rpc-call';
import { approvalOf, erc20Mode, quotesOf, type WireQuote } from '../testing/token-call';
import { startTokenWorld, type TokenWorld } from '../testing/token-world';

const LIMITS = { callGasLimit: 100_000n, verificationGasLimit: 150_000n, preVerificationGas: 50_000n };
const MAX_FEE = 2_000_000_000n;
const ESTIMATE = { callGasLimit: '0x186a0', verificationGasLimit: '0x249f0', preVerificationGas: '0xc350' };
const NO_LIMITS = { callGasLimit: undefined, verificationGasLimit: undefined, preVerificationGas: undefined };
const wireLimits = () => Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, limit.toString()]));
const mixedCase = (address: string): string => `0x${address.slice(2).toUpperCase()}`;

describe('quotes in tokens', () => {
  let world: TokenWorld;
  let bundler: FakeRpcServer;
  let callData: Hex;

  beforeAll(async () => {
    bundler = await FakeRpcServer.start();
    world = await startTokenWorld({ bundlerUrl: bundler.url });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  });
  beforeEach(() => {
    bundler.calls.length = 0;
    bundler.methods['eth_estimateUserOperationGas'] = () => ESTIMATE;
  });
  afterAll(async () => {
    await world?.stop();
    await bundler?.stop();
  });

  const settings = (changes: Partial<PaymasterSettings>) => ({
    settings: { ...DEFAULT_PAYMASTER_SETTINGS, ...changes },
  });
  interface Asking {
    readonly mode?: object;
    readonly apiKey?: string;
    readonly version?: EntryPointVersion;
    readonly operation?: object;
  }
  const ask = (
    tokenInfo: object,
    { mode = {}, apiKey, version = '0.6', operation = {} }: Asking = {},
  ): Promise<RpcAnswer> => {
    const build = version === '0.6' ? wireOperationV06 : wireOperationV07;
    const url = `${world.url}/api/v2/31337/${apiKey ?? world.newPaymaster().apiKey}`;
    const params = [build(callData, operation), CANONICAL_ENTRY_POINTS[version], erc20Mode(tokenInfo, mode)];
    return call(url, 'pm_getFeeQuoteOrData', params);
  };
  const symbols = async (tokenInfo: object): Promise<string[]> =>
    quotesOf(await ask(tokenInfo)).map(({ symbol }) => symbol);
  const reasonOf = ({ status, json }: RpcAnswer) => [status, json.error?.code, json.error?.data['reason']];

  describe('which tokens', () => {
    it('are all tokens of the list when the request names none', async () => {
      for (const tokenInfo of [{}, { tokenList: [] }, { tokenList: null, preferredToken: null }]) {
        expect((await symbols(tokenInfo)).sort()).toEqual(['BTCx', 'DAIx', 'USDx']);
      }
    });

    it('begin with the preferred token, then follow the request, each token once in any case', async () => {
      const { USDx, BTCx, DAIx } = world.tokens;
      const tokenList = [USDx.address, mixedCase(DAIx.address), mixedCase(USDx.address), null, DAIx.address];
      expect(await symbols({ preferredToken: mixedCase(BTCx.address), tokenList })).toEqual(['BTCx', 'USDx', 'DAIx']);
      expect(await symbols({ preferredToken: BTCx.address })).toEqual(['BTCx']);
      expect(await symbols({ feeTokenAddress: DAIx.address })).toEqual(['DAIx']);
    });

    it('are named in lower case when they are not supported, and the others are quoted', async () => {
      const unknown = randomAddress();
      const tokenList = [mixedCase(unknown), NATIVE_PSEUDO_ADDRESS, ZERO_ADDRESS, world.tokens.USDx.address, unknown];
      const answer = await ask({ preferredToken: world.tokens.DAIx.address, tokenList });
      expect(quotesOf(answer).map(({ symbol }) => symbol)).toEqual(['DAIx', 'USDx']);
      expect(answer.json.result?.['unsupportedTokens']).toEqual([unknown, NATIVE_PSEUDO_ADDRESS, ZERO_ADDRESS]);
    });

    it('may all be unsupported: no quote, no error, and the bundler is not asked', async () => {
      const unknown = randomAddress();
      const answer = await ask({ tokenList: [unknown] }, { mode: { calculateGasLimits: true } });
      expect(answer.status).toBe(200);
      expect(answer.json.result).toEqual({
        MODE: 'ERC20',
        mode: 'ERC20',
        paymasterAddress: world.paymasters['0.6'],
        feeQuotes: [],
        unsupportedTokens: [unknown],
      });
      expect(bundler.calls).toHaveLength(0);
    });

    it("are the paymaster's own too, which override the chain's", async () => {
      const own = tokenListingBuilder().with('address', world.tokens.USDx.address).with('symbol', 'OWN').build();
      const more = tokenListingBuilder().with('symbol', 'MORE').build();
      const { apiKey } = world.newPaymaster({ tokens: [own, more] });
      await ask({}, { apiKey });
      await world.prices.refresh();
      const quotes = quotesOf(await ask({}, { apiKey }));
      expect(quotes.map(({ symbol }) => symbol).sort()).toEqual(['BTCx', 'DAIx', 'MORE', 'OWN']);
    });
  });

  describe('a quote', () => {
    it('has exactly the documented fields', async () => {
      const { address } = world.tokens.USDx;
      const answer = await ask({ preferredToken: address, tokenList: [] });
      expect(answer.json.result).toEqual({
        MODE: 'ERC20',
        mode: 'ERC20',
        paymasterAddress: world.paymasters['0.6'],
        feeQuotes: [
          {
            symbol: 'USDx',
            decimal: 6,
            tokenAddress: address,
            maxGasFee: expect.any(Number),
            maxGasFeeUSD: expect.any(Number),
            exchangeRate: expect.any(Number),
            premiumPercentage: '10',
            validUntil: expect.any(Number),
            logoUrl: 'https://tokens.example/usdx.svg',
          },
        ],
        unsupportedTokens: [],
      });
    });

    it('writes an exchange rate of 24 digits with all of them', async () => {
      const cheap = tokenListingBuilder()
        .with('decimals', 18)
        .with('price', toPriceReference({ fixedUsd: '0.01' }))
        .build();
      const { apiKey } = world.newPaymaster({ tokens: [cheap] });
      await ask({}, { apiKey });
      await world.prices.refresh();
      const answer = await ask({ preferredToken: cheap.address }, { apiKey });
      expect(answer.text).toContain('"exchangeRate":318742000000000000000000,');
    });

    const decimalsOf = { USDx: 6, BTCx: 8, DAIx: 18 } as const;
    it.each(
      ENTRY_POINT_VERSIONS.flatMap((version) =>
        (['USDx', 'BTCx', 'DAIx'] as const).map((symbol) => [version, symbol] as const),
      ),
    )('covers, on v%s in %s, whatever way is charged later, and an approve in front', async (version, symbol) => {
      const token = world.tokens[symbol];
      const answer = await ask({ preferredToken: token.address }, { version });
      const [quote] = quotesOf(answer) as [WireQuote];
      const exchangeRate = BigInt(/"exchangeRate":(\d+)/.exec(answer.text)?.[1] ?? '0');
      expect(Number(exchangeRate)).toBe(quote.exchangeRate);
      const premiumMillionths = 1_000_000n + BigInt(Number(token.premiumPercentage) * 10_000);
      const charges = CHARGING_WAYS.map((way) =>
        tokenChargeBaseUnits({ costWei: leastCostWei(version, way), exchangeRate, premiumMillionths }),
      );
      const dearest = charges.reduce((a, b) => (a > b ? a : b));
      expect(approvalOf(quote)).toBeGreaterThanOrEqual(dearest);
      // The rest is rounding, and the gas of the longer data.
      expect(Number(approvalOf(quote)) / Number(dearest)).toBeLessThan(1.06);
      expect(quote.decimal).toBe(decimalsOf[symbol]);
    });

    it('leaves out the head-room if batchApproval is not available', async () => {
      const { apiKey } = world.newPaymaster(settings({ tokenChargingWays: ['allowance', 'permit'] }));
      const token = { preferredToken: world.tokens.DAIx.address };
      const [with_, without] = [quotesOf(await ask(token)), quotesOf(await ask(token, { apiKey }))];
      expect(approvalOf(without[0] as WireQuote)).toBeLessThan(approvalOf(with_[0] as WireQuote));
    });

    it.each([
      [undefined, 300],
      [0, 300],
      [120, 120],
      [600, 600],
      [6_000, 600],
    ])('holds, when %s seconds are asked for, for %d', async (expiryDuration, seconds) => {
      const before = world.head.nowSeconds();
      const [quote] = quotesOf(await ask({ preferredToken: world.tokens.USDx.address }, { mode: { expiryDuration } }));
      expect(quote?.validUntil).toBeGreaterThanOrEqual(before + seconds);
      expect(quote?.validUntil).toBeLessThanOrEqual(world.head.nowSeconds() + seconds);
    });

    it("holds no longer than the paymaster's own maximum", async () => {
      const { apiKey } = world.newPaymaster(settings({ maxExpirySeconds: 200 }));
      const mode = { expiryDuration: 6_000 };
      const [quote] = quotesOf(await ask({ preferredToken: world.tokens.USDx.address }, { apiKey, mode }));
      expect(quote?.validUntil).toBeLessThanOrEqual(world.head.nowSeconds() + 200);
    });

    it('names a validity that is too short', async () => {
      const { json } = await ask({}, { mode: { expiryDuration: 119 } });
      expect(json.error).toMatchObject({ code: -32602, data: { field: 'params[2].expiryDuration' } });
    });
  });

  describe('gas', () => {
    it('is estimated once for all tokens, with the sponsorship stub', async () => {
      const answer = await ask({}, { mode: { calculateGasLimits: true }, operation: NO_LIMITS });
      expect(quotesOf(answer)).toHaveLength(3);
      expect(bundler.calls.map(({ method }) => method)).toEqual(['eth_estimateUserOperationGas']);
      const [asked] = bundler.calls[0]?.params as [Record<string, Hex>];
      expect(decodePaymasterAndData('0.6', asked['paymasterAndData'] as Hex).sponsorFields).not.toHaveProperty('way');
    });

    it('is estimated again when the sent limits are dummies, which are ignored', async () => {
      const dummies = { callGasLimit: '800000', verificationGasLimit: '1000000', preVerificationGas: '9999999' };
      const mode = { calculateGasLimits: true };
      const token = { preferredToken: world.tokens.DAIx.address };
      const [honest] = quotesOf(await ask(token, { mode, operation: NO_LIMITS }));
      const [dummy] = quotesOf(await ask(token, { mode, operation: dummies }));
      expect(dummy?.maxGasFee).toBe(honest?.maxGasFee);
    });

    it('is not estimated when the sent limits are to be used', async () => {
      await ask({});
      expect(bundler.calls).toHaveLength(0);
    });

    it.each(['callGasLimit', 'verificationGasLimit', 'preVerificationGas'])(
      'names %s when it is missing then',
      async (name) => {
        const { json } = await ask({}, { operation: { [name]: undefined } });
        expect(json.error).toMatchObject({ code: -32602, data: { field: `params[0].${name}` } });
      },
    );

    it('is the sent gas for a request in the form of the interface document: no signature, no account info', async () => {
      const { apiKey } = world.newPaymaster();
      const mode = { mode: 'ERC20', tokenInfo: { preferredToken: world.tokens.USDx.address } };
      const operation = wireOperationV06(callData, { ...wireLimits(), signature: '0x' });
      const answer = await call(`${world.url}/api/v2/31337/${apiKey}`, 'pm_getFeeQuoteOrData', [operation, mode]);
      expect(quotesOf(answer)).toHaveLength(1);
      expect(bundler.calls).toHaveLength(0);
    });

    it('must leave room for our postOp on v0.6, in the quote already', async () => {
      const operation = { ...wireLimits(), verificationGasLimit: '60000' };
      const answer = await ask({}, { operation });
      expect(reasonOf(answer)).toEqual([400, -32602, 'INVALID_PARAMS']);
      expect(answer.json.error?.data['field']).toBe('params[0].verificationGasLimit');
    });

    it('stops only the quote of a token that takes too much gas', async () => {
      const hungry = tokenListingBuilder().with('symbol', 'HUNGRY').with('transferGas', 500_000).build();
      const { apiKey } = world.newPaymaster({
        tokens: [hungry],
        ...settings({ maxOperationCostWei: 4n * 10n ** 15n }),
      });
      await ask({}, { apiKey });
      await world.prices.refresh();
      const answer = await ask({}, { apiKey });
      expect(
        quotesOf(answer)
          .map(({ symbol }) => symbol)
          .sort(),
      ).toEqual(['BTCx', 'DAIx', 'USDx']);
      expect(answer.json.result?.['unavailableTokens']).toEqual([
        { tokenAddress: hungry.address, reason: 'OPERATION_COST_CAP_EXCEEDED' },
      ]);
    });

    it('is bounded as in sponsorship', async () => {
      const { json } = await ask({}, { operation: { callGasLimit: 30_000_000 } });
      expect(json.error).toMatchObject({ code: -32501, data: { reason: 'CALL_GAS_LIMIT_TOO_HIGH' } });
    });
  });

  describe('refusals', () => {
    it.each<[string, Partial<PaymasterSettings>]>([
      ['the owner switched token mode off', { tokenMode: 'off' }],
      ['the owner allows no way of charging', { tokenChargingWays: [] }],
    ])('say that token mode is not enabled when %s', async (_title, changes) => {
      const { apiKey } = world.newPaymaster(settings(changes));
      expect(reasonOf(await ask({}, { apiKey }))).toEqual([400, -32602, 'TOKEN_MODE_NOT_ENABLED']);
    });

    it('name a funding wallet that is missing, or too poor for the ether that the EntryPoint takes', async () => {
      const missing = world.newPaymaster({ fundingWallet: null });
      expect(reasonOf(await ask({}, missing))).toEqual([400, -32508, 'FUNDING_WALLET_MISSING']);
      const poor = world.newPaymaster({ fundingWallet: randomAddress() });
      expect(reasonOf(await ask({}, poor))).toEqual([400, -32508, 'FUNDING_WALLET_BALANCE_TOO_LOW']);
    });

    it("apply the paymaster's whitelist only if its settings say so", async () => {
      const whitelisted = world.newPaymaster(settings({ tokenMode: 'whitelistedCalls' }));
      expect(quotesOf(await ask({}, whitelisted))).toHaveLength(3);
      const none = world.newPaymaster({ ...settings({ tokenMode: 'whitelistedCalls' }), contracts: [] });
      expect(reasonOf(await ask({}, none))).toEqual([400, -32501, 'NO_POLICIES_SET']);
      const any = world.newPaymaster({ contracts: [] });
      expect(quotesOf(await ask({}, any))).toHaveLength(3);
    });

    it('stay errors where refusals mean that the user pays: a quote is no sponsorship', async () => {
      const lax = settings({ tokenMode: 'whitelistedCalls', onRefusal: 'userPays' });
      const { apiKey } = world.newPaymaster({ ...lax, contracts: [] });
      expect(reasonOf(await ask({}, { apiKey }))).toEqual([400, -32501, 'NO_POLICIES_SET']);
    });
  });

  describe('prices that are down', () => {
    const health = async () =>
      (await (await fetch(`${world.url}/health`)).json()) as { checks: Record<string, object> };
    afterEach(() => world.setPrice('USDx', '1.0002'));

    it('stop the quotes of that token alone, and say why', async () => {
      await world.setPrice('USDx', '1.0002', 100_000);
      const answer = await ask({});
      expect(
        quotesOf(answer)
          .map(({ symbol }) => symbol)
          .sort(),
      ).toEqual(['BTCx', 'DAIx']);
      expect(answer.json.result?.['unavailableTokens']).toEqual([
        { tokenAddress: world.tokens.USDx.address, reason: 'STALE' },
      ]);
      expect(answer.json.result?.['unsupportedTokens']).toEqual([]);
      expect((await health()).checks['prices']).toMatchObject({
        status: 'degraded',
        detail: expect.stringContaining('USDx'),
      });
      await until(async () => (await fetch(`${world.url}/health/ready`)).status === 200, 'it is ready');
    });

    it('are an outage when no requested token has a price', async () => {
      await world.setPrice('USDx', '1.0002', 100_000);
      const answer = await ask({ preferredToken: world.tokens.USDx.address });
      expect(reasonOf(answer)).toEqual([503, -32011, 'PRICE_UNAVAILABLE']);
      expect(answer.headers.has('retry-after')).toBe(true);
      expect(answer.json.error?.data).toMatchObject({ cause: 'STALE', token: world.tokens.USDx.address });
    });
  });

  it('lists the tokens for clients that ask for them, and none where token mode is off', async () => {
    const list = async (apiKey: string, params: readonly Address[] = []) => {
      const { json } = await call(`${world.url}/api/v2/31337/${apiKey}`, 'pm_supportedERC20Tokens', params);
      return json.result as unknown as { tokens: object[]; paymasterMetadata: object };
    };
    const { apiKey } = world.newPaymaster();
    const { tokens, paymasterMetadata } = await list(apiKey, [CANONICAL_ENTRY_POINTS['0.7']]);
    expect(tokens).toHaveLength(3);
    expect(tokens).toContainEqual({
      ...{ name: 'USDx', symbol: 'USDx', decimals: 6, address: world.tokens.USDx.address },
      exchangeRate: expect.stringMatching(/^0x[0-9a-f]+$/),
    });
    expect(paymasterMetadata).toMatchObject({
      address: world.paymasters['0.7'],
      dummyPaymasterAndData: expect.any(Object),
    });
    const off = world.newPaymaster(settings({ tokenMode: 'off' }));
    expect((await list(off.apiKey)).tokens).toEqual([]);
  });

  /** The least that an operation with the sent limits costs in one way, with the `approve` in front. */
  function leastCostWei(version: EntryPointVersion, way: ChargingWay): bigint {
    const terms = tokenGasTerms({ version, way, transferGas: 65_000 });
    const verificationGas = LIMITS.verificationGasLimit + terms.addedVerificationGas;
    const least = terms.minVerificationGas ?? 0n;
    const limits = {
      ...terms,
      callGasLimit: LIMITS.callGasLimit + APPROVE_HEADROOM.callGas,
      verificationGasLimit: verificationGas > least ? verificationGas : least,
      preVerificationGas: LIMITS.preVerificationGas + APPROVE_HEADROOM.preVerificationGas,
    };
    return prechargeWei({
      ...{ version, limits, maxFeePerGas: MAX_FEE, feeMarkupMillionths: 1_000_000n },
      unaccountedGas: terms.unaccountedGas,
    });
  }
});
