import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import type { Address, UnpaidInTokens } from '@paymaster/domain';
import { exposureClaims, exposureKeys } from '../gateway/exposure-claims';
import type { ReserveRequest } from '../gateway/ledger';
import { CHAIN_ID } from './testing/books-under-test';
import { hex } from './testing/model-chain';
import { OneWallet } from './testing/one-wallet';
import { operationOf, paymasterId, reserveRequest, SENDER, WALLET } from './testing/reserve-request';

const [TOKEN, OTHER_TOKEN] = [hex(20, 0x70), hex(20, 0x71)];
const CAPS = { tokenCapWei: 2_500n, senderCapWei: 2_000n };
const CAP_REACHED = { reason: 'TOKEN_EXPOSURE_CAP_REACHED' };
const BLOCKED = { reason: 'SENDER_BLOCKED_IN_TOKEN_MODE' };

interface Payment extends Partial<ReserveRequest> {
  readonly token?: Address;
  readonly caps?: Partial<typeof CAPS> & { readonly isDefaultCap?: boolean };
}

/** A payment of 1,000 wei that its operation may fail to make. */
function payment({ token = TOKEN, caps = {}, ...request }: Payment = {}): ReserveRequest {
  const { chainId, wallet, sender, prechargeWei } = reserveRequest(request);
  const claims = exposureClaims({ chainId, wallet, sender, prechargeWei, token, ...CAPS, ...caps });
  return reserveRequest({ mode: 'token', claims, ...request });
}

let postgres: TestDatabase;
let world: OneWallet;
beforeAll(async () => (postgres = await openDatabase()));
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await OneWallet.open(postgres.url);
  await world.depositForGood(100_000n);
});
afterEach(() => world.close());

const reserve = (request: ReserveRequest) => world.under.ledger.reserve(request);
let operations = 0;
const land = async (request: ReserveRequest, unpaid?: UnpaidInTokens): Promise<void> => {
  world.chain.mine(1);
  world.chain.land(operationOf(request, ++operations), { chargedWei: 400n, success: true, unpaid });
  await world.follow();
};
/** The balances of the wallet's budgets for the token and the sender. */
const standing = async ({ token = TOKEN, sender = SENDER } = {}) => {
  const keys = exposureKeys({ chainId: CHAIN_ID, wallet: WALLET, token, sender });
  return { token: await world.budget(keys[0]), sender: await world.budget(keys[1]) };
};
const [held, spent, nothing] = [
  { reserved: 1_000, spent: 0 },
  { reserved: 0, spent: 1_000 },
  { reserved: 0, spent: 0 },
];

describe('what a payment in tokens may leave unpaid', () => {
  it('is held until the operation that paid is final, and is free again', async () => {
    const request = payment();
    await reserve(request);
    await land(request);
    expect(await standing()).toEqual({ token: held, sender: held });
    await world.finalize();
    expect(await standing()).toEqual({ token: nothing, sender: nothing });
  });

  it('is spent for good by an operation that did not pay, whatever it cost', async () => {
    const request = payment();
    await reserve(request);
    await land(request, { isTaken: false, token: TOKEN });
    await world.finalize();
    expect(await standing()).toEqual({ token: spent, sender: spent });
    await reserve(payment({ nonce: 1n }));
    await expect(reserve(payment({ nonce: 2n }))).rejects.toMatchObject(CAP_REACHED);
  });

  it('is free again when the operation can land no more', async () => {
    await reserve(payment());
    world.chain.mine(301);
    await world.finalize();
    expect(await standing()).toEqual({ token: nothing, sender: nothing });
  });

  it('is free again when another operation used the nonce', async () => {
    const request = payment();
    await reserve(request);
    world.chain.mine(1);
    world.chain.useNonce(request);
    await world.finalize();
    expect(await standing()).toEqual({ token: nothing, sender: nothing });
  });

  it('is forgotten when its block is undone, and read again from the next block', async () => {
    const request = payment();
    await reserve(request);
    await land(request, { isTaken: true, token: TOKEN });
    await world.undo(1);
    expect(await standing()).toEqual({ token: held, sender: held });
    await reserve(payment({ nonce: 1n }));
    await land(request);
    await world.finalize();
    expect(await standing()).toEqual({ token: held, sender: held });
  });

  it('becomes unpaid in another block after it had been paid in one that was undone', async () => {
    const request = payment();
    await reserve(request);
    await land(request);
    await world.undo(1);
    await land(request, { isTaken: false, token: TOKEN });
    await world.finalize();
    expect(await standing()).toEqual({ token: spent, sender: spent });
  });

  it('is held once for a nonce, at the highest that was signed', async () => {
    await reserve(payment());
    await reserve(payment({ prechargeWei: 1_500n }));
    await reserve(payment({ prechargeWei: 700n }));
    const highest = { reserved: 1_500, spent: 0 };
    expect(await standing()).toEqual({ token: highest, sender: highest });
  });

  it('is held in each token for which a nonce was signed, and spent in the token that the chain names', async () => {
    const request = payment();
    await reserve(request);
    await reserve(payment({ token: OTHER_TOKEN }));
    expect(await standing({ token: OTHER_TOKEN })).toEqual({ token: held, sender: held });
    await land(request, { isTaken: false, token: OTHER_TOKEN });
    await world.finalize();
    expect(await standing()).toEqual({ token: nothing, sender: spent });
    expect(await standing({ token: OTHER_TOKEN })).toEqual({ token: spent, sender: spent });
  });

  it('is spent in each of these tokens if the chain names none', async () => {
    const request = payment();
    await reserve(request);
    await reserve(payment({ token: OTHER_TOKEN }));
    await land(request, { isTaken: false });
    await world.finalize();
    expect(await standing()).toEqual({ token: spent, sender: spent });
    expect(await standing({ token: OTHER_TOKEN })).toEqual({ token: spent, sender: spent });
  });

  it('counts although a sponsored signature of the same nonce covers the operation as well', async () => {
    // An earlier reservation of another paymaster with the same wallet: by its hold alone it would be chosen.
    await reserve(reserveRequest({ paymasterId: paymasterId(2) }));
    const request = payment();
    await reserve(request);
    await land(request, { isTaken: true });
    await world.finalize();
    expect(await standing()).toEqual({ token: spent, sender: spent });
    await expect(reserve(payment({ nonce: 1n }))).rejects.toMatchObject(BLOCKED);
  });
});

describe('the caps of a wallet', () => {
  it('count for the wallet, over all its paymasters', async () => {
    const [first, second, third] = [1, 2, 3].map((index) => ({
      ...{ paymasterId: paymasterId(index), nonce: BigInt(index), sender: hex(20, 0x5e00 + index) },
    }));
    await reserve(payment(first));
    await reserve(payment(second));
    await expect(reserve(payment(third))).rejects.toMatchObject(CAP_REACHED);
    await reserve(payment({ ...third, token: OTHER_TOKEN }));
  });

  it('are those of the request, even if another paymaster with a newer policy has others', async () => {
    const stingy = { tokenCapWei: 1_000n, senderCapWei: 1_000n };
    await reserve(payment({ paymasterId: paymasterId(2), policyVersion: 9, caps: stingy }));
    await reserve(payment({ nonce: 1n, policyVersion: 1 }));
    const next = { nonce: 2n, sender: hex(20, 0x5e01), prechargeWei: 400n };
    await expect(
      reserve(payment({ ...next, paymasterId: paymasterId(2), policyVersion: 9, caps: stingy })),
    ).rejects.toMatchObject(CAP_REACHED);
    await reserve(payment(next));
  });

  it('bound what a sender is known not to have paid, over all tokens, and not other senders', async () => {
    const tokens = [TOKEN, OTHER_TOKEN].map((token) => ({ token }));
    for (const [at, { token }] of tokens.entries()) {
      const request = payment({ nonce: BigInt(at), token });
      await reserve(request);
      await land(request, { isTaken: false, token });
    }
    const third = { nonce: 2n, token: hex(20, 0x72) };
    await expect(reserve(payment(third))).rejects.toMatchObject(CAP_REACHED);
    await reserve(payment({ ...third, sender: hex(20, 0x5e01) }));
    await world.undo(1);
    await reserve(payment(third));
    await world.finalize();
    await expect(reserve(payment({ ...third, nonce: 3n, prechargeWei: 1_001n }))).rejects.toMatchObject(CAP_REACHED);
  });

  it('of a sender count neither what settlement has not seen yet nor what paid and is not final', async () => {
    const caps = { tokenCapWei: 10_000n };
    const paid = payment({ caps });
    await reserve(paid);
    await land(paid);
    for (let nonce = 1n; nonce < 5n; nonce++) await reserve(payment({ nonce, caps }));
    expect((await standing()).sender).toEqual({ reserved: 5_000, spent: 0 });
    await world.finalize();
    expect((await standing()).sender).toEqual({ reserved: 4_000, spent: 0 });
  });

  it('of a token do not count what settlement has not seen, while it is late, unless the cap was set or the brake is off', async () => {
    const late = (nonce: bigint, { caps = {}, ...more }: Payment = {}) => {
      const isDefault = { ...caps, isDefaultCap: true };
      const request = payment({ nonce, prechargeWei: 2_000n, brakeReleasedAtMs: 0, caps: isDefault, ...more });
      return { ...request, headTimeSeconds: request.nowSeconds + 200 };
    };
    await reserve(payment({ prechargeWei: 2_000n }));
    const inTime = { ...late(1n), headTimeSeconds: undefined };
    await expect(reserve(inTime as ReserveRequest)).rejects.toMatchObject(CAP_REACHED);
    await expect(reserve(late(1n, { brakeReleasedAtMs: undefined }))).rejects.toMatchObject(CAP_REACHED);
    const isSet = { ...payment({ nonce: 1n, prechargeWei: 2_000n }), headTimeSeconds: late(1n).headTimeSeconds };
    await expect(reserve(isSet)).rejects.toMatchObject(CAP_REACHED);
    await reserve(late(1n));
    expect((await standing()).token).toEqual({ reserved: 4_000, spent: 0 });
    await land(payment({ prechargeWei: 2_000n }), { isTaken: false, token: TOKEN });
    await world.finalize();
    // What is known to be lost counts also then.
    await expect(reserve(late(2n))).rejects.toMatchObject(CAP_REACHED);
  });

  it('leave no rows of refused requests', async () => {
    const refused = payment({ prechargeWei: 3_000n, token: OTHER_TOKEN });
    await expect(reserve(refused)).rejects.toMatchObject(CAP_REACHED);
    expect(await standing({ token: OTHER_TOKEN })).toEqual({ token: undefined, sender: undefined });
    expect(await world.wallet()).toMatchObject({ held: 0 });
  });
});

describe('a sender that took its tokens away', () => {
  beforeEach(async () => {
    const request = payment({ prechargeWei: 1n });
    await reserve(request);
    await land(request, { isTaken: true, token: TOKEN });
  });

  it('is blocked from that block on, in every token, but may pay from allowances', async () => {
    await expect(reserve(payment({ nonce: 1n, token: OTHER_TOKEN }))).rejects.toMatchObject(BLOCKED);
    await expect(reserve(payment({ nonce: 1n, paymasterId: paymasterId(2), policyVersion: 7 }))).rejects.toMatchObject(
      BLOCKED,
    );
    await reserve(reserveRequest({ nonce: 1n, mode: 'token' }));
    await reserve(payment({ sender: hex(20, 0x5e01) }));
    await world.finalize();
    await expect(reserve(payment({ nonce: 2n }))).rejects.toMatchObject(BLOCKED);
  });

  it('is not blocked any more when that block is undone', async () => {
    await world.undo(1);
    await reserve(payment({ nonce: 1n }));
  });
});

it('neither blocks nor counts a sponsored operation whose postOp was undone', async () => {
  const request = reserveRequest();
  await reserve(request);
  await land(request, { isTaken: true });
  await world.finalize();
  await reserve(payment({ nonce: 1n }));
  expect(await standing()).toEqual({ token: held, sender: held });
});
