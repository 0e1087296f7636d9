import { FEED_HEARTBEAT_SECONDS } from '@paymaster/devnet';
import { normalizeAddress, toPriceReference, type Address, type UserOperation } from '@paymaster/domain';
import { ETH_USD_5_MINUTE_CLOSES, PriceServer } from '@paymaster/pricing/testing';
import { parseUnits } from 'viem';
import { refusalOf, worthOf, type AttackTarget, type GrantedOperation } from './testing/attack-target';
import { startAttackWorld, type AttackWorld } from './testing/attack-world';

/** The hour in which ether rose by 7 % in a quarter of an hour. */
const VIOLENT_HOUR = ETH_USD_5_MINUTE_CLOSES.slice(94, 106);
const HONEST = '3187.42';
const API_ID = 'honest-dollar';

let api: PriceServer;
let world: AttackWorld;
let target: AttackTarget;
let sender: Address;

beforeAll(async () => {
  api = await PriceServer.start({ prices: { [API_ID]: '1' } });
  world = await startAttackWorld({ env: { PRICE_API_URL: api.url } });
});
afterAll(async () => {
  await world?.stop();
  await api?.stop();
});

/** Sets the price of ether several times, until the gateway accepts the jump. */
async function settle(usd: string): Promise<void> {
  for (let reading = 0; reading < 3; reading++) await world.setPrice('ETH', usd);
}

async function newAccount(): Promise<Address> {
  const account = await target.newSender();
  await world.chain.asAccount(account, target.approvePaymaster());
  return account;
}

beforeEach(async () => {
  target = await world.newTarget('0.7');
  sender = await newAccount();
});

describe('a sender that asks again and again while the price moves', () => {
  const askAlong = async (closes: readonly string[]): Promise<GrantedOperation[]> => {
    const operation = await target.draft(sender, []);
    const signed: GrantedOperation[] = [];
    for (const close of closes) {
      await world.setPrice('ETH', close);
      signed.push(await target.sign(operation));
    }
    return signed;
  };
  const cheapest = (signed: readonly GrantedOperation[]): GrantedOperation =>
    signed.reduce((best, one) => (one.fields.exchangeRate < best.fields.exchangeRate ? one : best));

  it.each([
    ['rises', VIOLENT_HOUR],
    ['falls', [...VIOLENT_HOUR].reverse()],
  ])('gets no rate below a rate that it already has when ether %s', async (_title, closes) => {
    await settle(closes[0] ?? HONEST);
    const signed = await askAlong(closes);
    const rates = signed.map(({ fields }) => fields.exchangeRate);
    expect(rates).toHaveLength(closes.length);
    rates.forEach((rate, index) => expect(rate).toBeGreaterThanOrEqual(rates[index - 1] ?? 0n));
  });

  it('pays what the ether is worth when it lands the cheapest at the dearest moment', async () => {
    await settle(VIOLENT_HOUR[0] ?? HONEST);
    // Within the longest validity there are three closes; these are the two steepest steps of the hour.
    const signed = await askAlong(VIOLENT_HOUR.slice(2, 5));
    const best = cheapest(signed);
    const outcome = await target.during(() => target.land([best]));
    const dearest = parseUnits(VIOLENT_HOUR[4] ?? HONEST, 18);
    expect(outcome.tokensReceived).toBeGreaterThanOrEqual(worthOf(outcome.walletSpentWei, best.fields));
    expect(outcome.tokensReceived).toBeGreaterThanOrEqual((outcome.walletSpentWei * dearest) / 10n ** 18n);
  });

  it('gets the current price for another nonce', async () => {
    await settle('4700');
    await target.sign(await target.draft(sender, []));
    await world.setPrice('ETH', '4650');
    const other = await target.sign(await target.draft(sender, [], 7n));
    expect(other.fields.exchangeRate).toBe(parseUnits('4650', 18));
  });
});

describe('a sender that hoards quotes', () => {
  let operation: UserOperation;
  beforeEach(async () => {
    await settle('4200');
    operation = await target.draft(sender, []);
  });

  it('keeps what the newest quote promised when ether rose, not what an older one did', async () => {
    await target.quote(operation);
    await world.setPrice('ETH', '4600');
    await target.quote(operation);
    // Above what the quote has in reserve for an approval in front.
    for (const usd of ['5500', '6500']) await world.setPrice('ETH', usd);
    const { fields } = await target.sign(operation);
    expect(fields.exchangeRate).toBe(parseUnits('4600', 18));
  });

  it('cannot use a quote of one nonce for another', async () => {
    await target.quote(operation);
    await world.setPrice('ETH', '4400');
    const { fields } = await target.sign(await target.draft(sender, [], 7n));
    expect(fields.exchangeRate).toBe(parseUnits('4400', 18));
  });

  it('cannot have more gas at the quoted ceiling', async () => {
    await target.quote(operation);
    await world.setPrice('ETH', '4400');
    const dearer = { ...operation, callGasLimit: operation.callGasLimit * 2n };
    expect((await refusalOf(target.sign(dearer))).reason).toBe('QUOTE_CEILING_EXCEEDED');
  });
});

describe('feeds that are stale or lie', () => {
  beforeEach(() => settle(HONEST));
  afterAll(() => settle(HONEST));

  it.each<[string, string, () => Promise<void>]>([
    ['is stale', 'STALE', () => world.setPrice('ETH', HONEST, 2 * FEED_HEARTBEAT_SECONDS)],
    ['says zero', 'NOT_POSITIVE', () => world.setPrice('ETH', '0')],
    ['says less than zero', 'NOT_POSITIVE', () => world.setPrice('ETH', '-3187.42')],
    ['says a tenth', 'JUMPED', () => world.setPrice('ETH', '318.742')],
    ['says ten times as much', 'JUMPED', () => world.setPrice('ETH', '31874.2')],
  ])('sign nothing and quote nothing while the feed of ether %s', async (_title, fault, lie) => {
    const operation = await target.draft(sender, []);
    await lie();
    expect(await refusalOf(target.sign(operation))).toMatchObject({ reason: 'PRICE_UNAVAILABLE', fault });
    expect(await refusalOf(target.quote(operation))).toMatchObject({ reason: 'PRICE_UNAVAILABLE', fault });
    await settle(HONEST);
    await expect(target.sign(operation)).resolves.toMatchObject({ fields: { exchangeRate: parseUnits(HONEST, 18) } });
  });

  it('stop signing only in a token whose feed and other source are 3 % apart', async () => {
    const feed = { address: normalizeAddress(world.feeds['USDx'] ?? ''), heartbeatSeconds: FEED_HEARTBEAT_SECONDS };
    const disputed = await world.newTarget('0.7', { price: toPriceReference({ feed, apiId: API_ID }) });
    const holder = await disputed.newSender();
    await world.chain.asAccount(holder, disputed.approvePaymaster());
    const operation = await disputed.draft(holder, []);
    await world.setPrice('USDx', '1.00');
    await expect(disputed.sign(operation)).resolves.toBeDefined();
    await world.setPrice('USDx', '1.031');
    expect(await refusalOf(disputed.sign(operation))).toMatchObject({
      reason: 'PRICE_UNAVAILABLE',
      fault: 'SOURCES_DISAGREE',
    });
    await expect(target.sign(await target.draft(sender, []))).resolves.toBeDefined();
  });
});

// This test is the last, because it moves the chain's clock forward.
it('refuses an expired quote, and a signature that was kept too long does not land', async () => {
  await settle(HONEST);
  const [quoted, kept] = [await target.draft(sender, []), await target.draft(await newAccount(), [])];
  await target.quote(quoted);
  const signed = await target.sign(kept);
  await world.passSeconds(301);
  expect((await refusalOf(target.sign(quoted))).reason).toBe('QUOTE_EXPIRED');
  const outcome = await target.during(() => expect(target.land([signed])).rejects.toThrow());
  expect(outcome).toEqual({ etherSpentWei: 0n, walletSpentWei: 0n, tokensReceived: 0n });
});
