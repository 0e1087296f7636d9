import type { EntryPointVersion, Hex } from '@paymaster/domain';
import { readStack } from '@paymaster/devnet';
import { execute } from './support/call-data';
import { publicClient } from './support/chain';
import { INCREMENT } from './support/demo-contract';
import { eventually, PATIENCE_MS } from './support/eventually';
import { expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { resultOf, type RpcAnswer, type SponsoredResult } from './support/json-rpc';
import { depositFor, isSigner } from './support/paymaster-contract';
import { prechargeWei } from './support/precharge';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { askSponsor, AS_SENT, LIMITS, SPONSORED, withSponsorship } from './support/sponsor';
import { parseSponsorData, recoverSponsorSigner } from './support/sponsor-digest';
import type { WireOperation } from './support/wire-operation';

const stack = readStack();
const chain = publicClient(stack);
const VERSIONS: EntryPointVersion[] = ['0.6', '0.7', '0.8', '0.9'];
/** How far the time that the gateway knows may be from the chain's, on a machine that stands still now and then. */
const HEAD_LAG_SECONDS = 20;
const increment = execute({ to: stack.demoContract.address, data: INCREMENT });

let paymaster: FreshPaymaster;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
});

async function draft(version: EntryPointVersion): Promise<WireOperation> {
  return draftOperation(stack, await newSimpleAccount(stack, version), { callData: increment });
}

interface Asked {
  readonly version: EntryPointVersion;
  readonly operation: WireOperation;
  readonly mode?: unknown;
  readonly url?: string;
}

const ask = ({ version, operation, mode = AS_SENT, url = paymaster.url }: Asked): Promise<RpcAnswer> =>
  askSponsor({ url, operation, mode, entryPoint: stack.entryPoints[version] });

const sponsor = async (asked: Asked) => resultOf<SponsoredResult>(await ask(asked));

describe.each(VERSIONS)('what is signed on v%s', (version) => {
  const signerOf = (operation: WireOperation, paymasterAndData: Hex) =>
    recoverSponsorSigner({ stack, version, operation, paymasterAndData });

  it('is exactly the operation that was sent, when calculateGasLimits is false', async () => {
    const operation = { ...(await draft(version)), ...LIMITS };
    const result = await sponsor({ version, operation });
    const signer = await signerOf(operation, result.paymasterAndData);
    expect(await isSigner(stack, version, signer)).toBe(true);
    expect(result).toMatchObject({
      callGasLimit: Number(LIMITS.callGasLimit),
      verificationGasLimit: Number(LIMITS.verificationGasLimit),
      preVerificationGas: String(Number(LIMITS.preVerificationGas)),
    });
  });

  it('is the operation that was sent with the limits of the answer, when they are calculated', async () => {
    const operation = await draft(version);
    const result = await sponsor({ version, operation, mode: SPONSORED });
    const signer = await signerOf(withSponsorship(operation, result), result.paymasterAndData);
    expect(await isSigner(stack, version, signer)).toBe(true);
  });

  it.each([
    'nonce',
    'callData',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'callGasLimit',
    'verificationGasLimit',
    'preVerificationGas',
  ] as const)('covers %s: another value has no signature', async (field) => {
    const operation = { ...(await draft(version)), ...LIMITS };
    const { paymasterAndData } = await sponsor({ version, operation });
    const changed = {
      ...operation,
      [field]: `${operation[field].slice(0, -1)}${operation[field].endsWith('1') ? '2' : '1'}`,
    };
    expect(await isSigner(stack, version, await signerOf(changed, paymasterAndData))).toBe(false);
  });

  it('names our paymaster, the sponsorship mode and the funding wallet of the key', async () => {
    const operation = { ...(await draft(version)), ...LIMITS };
    const data = parseSponsorData(version, (await sponsor({ version, operation })).paymasterAndData);
    expect(data).toMatchObject({
      mode: 1,
      paymaster: stack.paymasters[version].toLowerCase(),
      fundingWallet: paymaster.fundingWallet.address.toLowerCase(),
    });
    expect(data.feeMarkup).toBeGreaterThanOrEqual(1_000_000);
  });
});

describe('how long a signature lives', () => {
  /** Seconds from the moment of signing, which is a minute after `validAfter`, to `validUntil`. */
  async function lifetime(expiryDuration?: number, url = paymaster.url): Promise<number> {
    const operation = { ...(await draft('0.7')), ...LIMITS };
    const mode = expiryDuration === undefined ? AS_SENT : { ...AS_SENT, expiryDuration };
    const before = Number((await chain.getBlock()).timestamp);
    const { paymasterAndData } = await sponsor({ version: '0.7', operation, mode, url });
    const { validUntil, validAfter } = parseSponsorData('0.7', paymasterAndData);
    const after = Number((await chain.getBlock()).timestamp);
    const signedAt = validAfter + 60;
    // The gateway reads the head once a second, and may look at the pending block.
    expect(signedAt).toBeGreaterThanOrEqual(before - HEAD_LAG_SECONDS);
    expect(signedAt).toBeLessThanOrEqual(after + HEAD_LAG_SECONDS);
    return validUntil - signedAt;
  }

  it.each([
    [undefined, 300],
    [0, 300],
    [120, 120],
    [450, 450],
    [600, 600],
  ])('expiryDuration %p gives %i s', async (asked, seconds) => {
    expect(await lifetime(asked)).toBe(seconds);
  });

  it.each([1, 119, 601, 86_401, -300])('expiryDuration %i is refused', async (expiryDuration) => {
    const operation = { ...(await draft('0.7')), ...LIMITS };
    const answer = await ask({ version: '0.7', operation, mode: { ...AS_SENT, expiryDuration } });
    expectRpcError(answer, { code: -32602, message: /expiryDuration/ });
  });

  it('the owner can allow longer ones', async () => {
    const own = await freshPaymaster(stack, { settings: { maxExpirySeconds: 1_200 } });
    expect(await lifetime(1_200, own.url)).toBe(1_200);
  });

  it('the owner can say how long they live where the client asks for no time', async () => {
    const own = await freshPaymaster(stack, { settings: { defaultExpirySeconds: 450 } });
    expect(await lifetime(undefined, own.url)).toBe(450);
  });
});

describe('the funding wallet', () => {
  /** Strangers and the brake may take a part of so small a wallet: without them only the wallet's own bound is left. */
  const settings = { servers: ['127.0.0.1'], spendingBrake: false };

  it('missing: -32508, until it is bound', async () => {
    const { url } = await freshPaymaster(stack, { funded: false });
    const operation = { ...(await draft('0.6')), ...LIMITS };
    expectRpcError(await ask({ version: '0.6', operation, url }), { code: -32508 });
  });

  it.each(VERSIONS)('has a deposit for each EntryPoint: one elsewhere does not pay on v%s', async (version) => {
    const elsewhere = VERSIONS.filter((other) => other !== version);
    const depositsWei = Object.fromEntries(elsewhere.map((other) => [other, 10n ** 19n]));
    const { url } = await freshPaymaster(stack, { depositsWei });
    const operation = { ...(await draft(version)), ...LIMITS };
    expectRpcError(await ask({ version, operation, url }), { code: -32508 });
  });

  it.each(VERSIONS)(
    'with the deposit of one operation on v%s: signs one, and no second one beside it',
    async (version) => {
      const [first, second] = [
        { ...(await draft(version)), ...LIMITS },
        { ...(await draft(version)), ...LIMITS },
      ];
      const { paymasterAndData } = await sponsor({ version, operation: first });
      const precharge = prechargeWei({ version, operation: first, paymasterAndData });

      const own = await freshPaymaster(stack, { settings, depositsWei: { [version]: (precharge * 3n) / 2n } });
      await sponsor({ version, operation: first, url: own.url });
      expectRpcError(await ask({ version, operation: second, url: own.url }), { code: -32508 });
      // Asked again, the same operation holds the greater of its signatures, not their sum.
      await sponsor({ version, operation: first, url: own.url });
      await sponsor({ version, operation: first, url: own.url });

      const { fundingWallet } = own;
      await depositFor(stack, {
        version,
        from: fundingWallet,
        fundingWallet: fundingWallet.address,
        amountWei: precharge,
      });
      await eventually(PATIENCE_MS, () => sponsor({ version, operation: second, url: own.url }));
    },
  );

  it('with one wei less than the precharge: -32508', async () => {
    const operation = { ...(await draft('0.7')), ...LIMITS };
    const { paymasterAndData } = await sponsor({ version: '0.7', operation });
    const precharge = prechargeWei({ version: '0.7', operation, paymasterAndData });
    const short = await freshPaymaster(stack, { settings, depositsWei: { '0.7': precharge - 1n } });
    expectRpcError(await ask({ version: '0.7', operation, url: short.url }), { code: -32508 });
    const enough = await freshPaymaster(stack, { settings, depositsWei: { '0.7': precharge } });
    await sponsor({ version: '0.7', operation, url: enough.url });
  });

  it('of two paymasters is one deposit: what one has signed the other cannot', async () => {
    const [first, second] = [
      { ...(await draft('0.7')), ...LIMITS },
      { ...(await draft('0.7')), ...LIMITS },
    ];
    const { paymasterAndData } = await sponsor({ version: '0.7', operation: first });
    const precharge = prechargeWei({ version: '0.7', operation: first, paymasterAndData });
    const one = await freshPaymaster(stack, { settings, depositsWei: { '0.7': precharge } });
    const two = await freshPaymaster(stack, { settings, fundingWallet: one.fundingWallet, depositsWei: {} });
    await sponsor({ version: '0.7', operation: first, url: one.url });
    expectRpcError(await ask({ version: '0.7', operation: second, url: two.url }), { code: -32508 });
  });
});
