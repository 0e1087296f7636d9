import { maxUint256, numberToHex, parseEther, parseGwei } from 'viem';
import { readStack, startStrictGateway, USUAL_BASE_FEE_WEI, type Application } from '@paymaster/devnet';
import { isWebhookSignature } from '@paymaster/webhooks';
import { answers, WebhookReceiver, type ReceivedRequest } from '@paymaster/webhooks/testing';
import { untilBooked } from './support/booked';
import { execute, executeBatch } from './support/call-data';
import { publicClient, richWallet, setBaseFee, transact } from './support/chain';
import { dashboardOk } from './support/dashboard-client';
import { add, INCREMENT } from './support/demo-contract';
import { eventually, OBEYED_MS, PATIENCE_MS } from './support/eventually';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { askFromAnotherAddress } from './support/from-another-address';
import { bundleForOneself } from './support/handle-ops';
import { call, type RpcAnswer, type SponsoredResult } from './support/json-rpc';
import { depositOf } from './support/paymaster-contract';
import { outcomeOf } from './support/policies';
import { draftOperation, newSimpleAccount, type SimpleAccount } from './support/simple-account';
import { AS_SENT, askSponsor, LIMITS, withSponsorship } from './support/sponsor';
import { signOperation, type WireOperation } from './support/wire-operation';

const stack = readStack();
const chain = publicClient(stack);
const version = '0.7';
const demo = stack.demoContract.address;
const DEPOSIT_WEI = parseEther('1');
/** An operation is dear; a block's tips are what they are at the usual base fee. */
const BASE_FEE_WEI = parseGwei('200');
/** A gateway reads the tips of so many blocks. */
const WINDOW_BLOCKS = 20;
/** So many of them at the usual base fee, half full, outweigh what the gateway remembers of dearer hours. */
const ENOUGH_BLOCKS = 10;
/** Far more than the calls use; a refusal says what is signed. */
const GREEDY = {
  callGasLimit: numberToHex(1_000_000),
  preVerificationGas: numberToHex(1_000_000),
  verificationGasLimit: numberToHex(150_000),
};
/** More than half of the wallet in one operation. */
const BURNING = { callGasLimit: numberToHex(1_400_000), verificationGasLimit: numberToHex(1_500_000) };
const BRAKED = 'SPENDING_BRAKE';
const STOPPED = /until its owner releases/;
/** Who asks at once; each has a client address of two, and a gateway of two. */
const ACCOUNTS = 4;
/** Place of one who asks from another address. */
const ANOTHER_CLIENT = 2;
/** Of the owner: what strangers can take is bounded before the brake, and what his servers ask is not counted. */
const SERVERS = ['127.0.0.1', '127.0.0.2'];
const MOST_ROUNDS = 60;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Of pino. */
const WARN = 40;
const LINE = /"msg":"the spending brake stopped a paymaster/;

interface Insisted {
  /** As it was asked for last. */
  readonly operation: WireOperation;
  readonly answer: RpcAnswer;
}

/** What the attacker got, or why not. */
type Taken = { readonly signed: WireOperation } | { readonly refusal: string; readonly message: string };

interface Attacker {
  readonly account: SimpleAccount;
  nonce: bigint;
}

/** Written by each of the gateways. */
const logs: string[][] = [[], []];
let gateways: readonly Application[];
let receiver: WebhookReceiver;
let attacked: FreshPaymaster;
let bystander: FreshPaymaster;

beforeAll(async () => {
  [gateways, receiver, attacked, bystander] = await Promise.all([
    Promise.all(logs.map((lines) => startStrictGateway(stack, (line) => lines.push(line)))),
    WebhookReceiver.start(),
    freshPaymaster(stack, { settings: { servers: SERVERS }, depositsWei: { [version]: DEPOSIT_WEI } }),
    freshPaymaster(stack, { settings: null }),
  ]);
  receiver.behaviour = answers(200, {});
  await setBaseFee(stack, BASE_FEE_WEI);
});

afterAll(async () => {
  await setBaseFee(stack, USUAL_BASE_FEE_WEI);
  await eventually(PATIENCE_MS, expectUsualTips);
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await receiver.stop();
});

/** A gateway that the next file starts has to allow the tips that wallets offer. */
async function expectUsualTips(): Promise<void> {
  const history = await chain.getFeeHistory({ blockCount: WINDOW_BLOCKS, rewardPercentiles: [] });
  const isUsual = (used: number, index: number) =>
    used > 0.4 && (history.baseFeePerGas[index] ?? 0n) < 2n * USUAL_BASE_FEE_WEI;
  expect(history.gasUsedRatio.filter(isUsual).length).toBeGreaterThanOrEqual(ENOUGH_BLOCKS);
}

const baseFee = async () => (await chain.getBlock()).baseFeePerGas ?? 0n;
const through = (place: number, { apiKey }: FreshPaymaster): string =>
  `${gateways[place % gateways.length]?.url}/api/v2/${stack.chainId}/${apiKey}`;

/** Asks with what each refusal says would be allowed, until it is signed or refused for another reason. */
async function insist(place: number, paymaster: FreshPaymaster, first: WireOperation): Promise<Insisted> {
  let operation = first;
  const send = place < ANOTHER_CLIENT ? call : askFromAnotherAddress;
  for (;;) {
    const answer = await send({
      ...{ url: through(place, paymaster), method: 'pm_sponsorUserOperation', params: [operation, AS_SENT] },
    });
    const { field = '', limit } = (answer.body.error?.data ?? {}) as { field?: string; limit?: string };
    const name = field.replace('params[0].', '');
    if (limit === undefined || !(name in operation)) return { operation, answer };
    operation = { ...operation, [name]: numberToHex(BigInt(limit)) };
  }
}

async function deployed(): Promise<SimpleAccount> {
  const account = await newSimpleAccount(stack, version);
  await transact(stack, { from: await richWallet(stack), to: account.factory, data: account.factoryData });
  return account;
}

/** An account that nobody has seen, with the fees that wallets offer. */
async function honest(): Promise<WireOperation> {
  const account = await newSimpleAccount(stack, version);
  const drafted = await draftOperation(stack, account, { callData: execute({ to: demo, data: INCREMENT }) });
  const baseFeeWei = await baseFee();
  const fees = { maxFeePerGas: numberToHex(2n * baseFeeWei), maxPriorityFeePerGas: numberToHex(parseGwei('1')) };
  return { ...drafted, ...LIMITS, ...fees };
}

const askHonestly = async (place: number, paymaster: FreshPaymaster): Promise<string> =>
  outcomeOf((await insist(place, paymaster, await honest())).answer);

async function untilFeesAreKnown(): Promise<void> {
  for (const place of gateways.keys()) {
    await eventually(PATIENCE_MS, async () => expect(await askHonestly(place, bystander)).toBe('granted'));
  }
}

/** Asks for calls that use gas and then fail, at the dearest that is signed. */
async function take(place: number, { account, nonce }: Attacker, fields: Partial<WireOperation> = {}): Promise<Taken> {
  const calls = [1n, 2n, 3n, maxUint256].map((amount) => ({ to: demo, data: add(amount) }));
  const callData = executeBatch(version, calls);
  const drafted = await draftOperation(stack, account, { callData, nonce, deployed: true });
  // Little more than what the next block takes, so that much of what is held is lost.
  const maxFeePerGas = numberToHex(((await baseFee()) * 51n) / 50n);
  const greedy = { ...drafted, ...GREEDY, maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas, ...fields };
  const { operation, answer } = await insist(place, attacked, greedy);
  const { result, error } = answer.body;
  if (!result) return { refusal: outcomeOf(answer), message: `${error?.message}` };
  const context = { stack, version, owner: account.owner } as const;
  return { signed: await signOperation(withSponsorship(operation, result as SponsoredResult), context) };
}

/** As far as the test looks. */
interface Funding {
  readonly accounts: readonly { readonly entryPointVersion: string; readonly stoppedAt: string | null }[];
}

interface Delivery {
  readonly type: string;
  readonly status: string;
  readonly eventId: string;
}

describe('a wallet of 1 ETH, against an attacker who has taken over a server of its owner', () => {
  let webhook: { readonly webhookId: string; readonly secrets: readonly string[] };

  const lostWei = async () => DEPOSIT_WEI - (await depositOf(stack, version, attacked.fundingWallet.address));
  const accounts = async () => {
    const { apiKey } = attacked;
    return (await dashboardOk<Funding>(stack, { method: 'GET', path: '/funding-wallet', apiKey })).accounts;
  };

  // One story in order: each part starts where the one before it ended.
  it('loses at most half of it, while others are served', async () => {
    const { apiKey } = attacked;
    const body = { webhookUrl: receiver.url, requestType: 'POST', events: ['walletBraked'] };
    webhook = await dashboardOk(stack, { method: 'POST', path: '/webhook', apiKey, body });
    await untilFeesAreKnown();
    const from = await richWallet(stack);
    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, deployed));
    const attackers = accounts.map((account): Attacker => ({ account, nonce: 0n }));

    // All at once first.
    const [first] = attackers as [Attacker];
    expect(await take(0, first, BURNING)).toMatchObject({ refusal: BRAKED });

    const refusals = new Set<string>();
    let isStopped = false;
    for (let round = 0; round < MOST_ROUNDS && !isStopped; round++) {
      const taken = await Promise.all(attackers.map((attacker, place) => take(place, attacker)));
      const others = await Promise.all([0, 1].map((place) => askHonestly(place, bystander)));
      expect(others).toEqual(['granted', 'granted']);
      const nonce = await chain.getTransactionCount({ address: from.address });
      const signed = taken.flatMap((each) => ('signed' in each ? each.signed : []));
      await Promise.all(
        signed.map((operation, index) => bundleForOneself(stack, { version, operation, from, nonce: nonce + index })),
      );
      for (const [place, each] of taken.entries()) {
        if ('signed' in each) attackers[place]!.nonce += 1n;
        else refusals.add(each.refusal);
      }
      isStopped = taken.some((each) => 'refusal' in each && STOPPED.test(each.message));
      await untilBooked(stack);
    }
    expect(isStopped).toBe(true);
    expect([...refusals]).toEqual([BRAKED]);
    const wei = await lostWei();
    expect(wei).toBeGreaterThan(DEPOSIT_WEI / 4n);
    expect(wei).toBeLessThanOrEqual(DEPOSIT_WEI / 2n);
  });

  it('has stopped, at every gateway and for everybody who asks', async () => {
    for (const place of [...gateways.keys(), ANOTHER_CLIENT]) {
      expect(await askHonestly(place, attacked)).toBe(BRAKED);
    }
    expect(outcomeOf(await askSponsor({ url: attacked.url, operation: await honest() }))).toBe(BRAKED);
  });

  it('tells the owner: by a signed webhook, in the API, and in a line of the log', async () => {
    await eventually(PATIENCE_MS, () => Promise.resolve(expect(receiver.requests).toHaveLength(1)));
    const [{ headers, body }] = receiver.requests as [ReceivedRequest];
    const message = { id: `${headers['webhook-id']}`, timestampSeconds: Number(headers['webhook-timestamp']), body };
    expect(isWebhookSignature(`${headers['webhook-signature']}`, message, webhook.secrets)).toBe(true);
    const { type, data } = JSON.parse(body) as { type: string; data: Record<string, string> };
    const contract = stack.paymasters[version].toLowerCase();
    const fundingWallet = attacked.fundingWallet.address.toLowerCase();
    expect({ type, data }).toMatchObject({
      type: 'wallet.braked',
      data: { paymasterId: expect.stringMatching(UUID), chainId: stack.chainId, contract, fundingWallet },
    });
    // Some of what was signed before landed after it.
    expect(BigInt(`${data['lostWei']}`)).toBeLessThanOrEqual(await lostWei());
    expect(4n * BigInt(`${data['lostWei']}`)).toBeGreaterThanOrEqual(DEPOSIT_WEI);
    expect(BigInt(`${data['lostWei']}`) + BigInt(`${data['leftWei']}`)).toBe(DEPOSIT_WEI);

    const { apiKey } = attacked;
    const path = `/webhook/deliveries?webhookId=${webhook.webhookId}`;
    const deliveries = await dashboardOk<Delivery[]>(stack, { method: 'GET', path, apiKey });
    expect(deliveries).toMatchObject([{ eventId: headers['webhook-id'], type, status: 'delivered' }]);
    for (const { entryPointVersion, stoppedAt } of await accounts()) {
      expect([entryPointVersion, stoppedAt !== null]).toEqual([entryPointVersion, entryPointVersion === version]);
    }

    const { paymasterId, lostWei: toldWei } = data;
    const told = logs.flat().filter((line) => LINE.test(line));
    expect(told.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: WARN, chainId: stack.chainId, contract, wallet: fundingWallet, paymasterId, lostWei: toldWei },
    ]);
  });

  it('is signed for again, at every gateway, once the owner releases it', async () => {
    const { apiKey } = attacked;
    await setBaseFee(stack, USUAL_BASE_FEE_WEI);
    await untilFeesAreKnown();
    expect(await askHonestly(0, attacked)).toBe(BRAKED);
    await dashboardOk(stack, { method: 'POST', path: '/paymaster-settings/release-brake', apiKey, body: {} });
    for (const place of gateways.keys()) {
      await eventually(OBEYED_MS, async () => expect(await askHonestly(place, attacked)).toBe('granted'));
    }
    for (const { stoppedAt } of await accounts()) expect(stoppedAt).toBeNull();
    expect(receiver.requests).toHaveLength(1);
  });
});
