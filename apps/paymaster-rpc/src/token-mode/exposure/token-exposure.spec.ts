import { DependencyUnavailableError } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { DEFAULT_EXPOSURE_BOUNDS, TokenExposure, type ExposureHold } from './token-exposure';

const NOW = 1_800_000_000;
const [fundingWallet, entryPoint, sender, token] = Array.from({ length: 4 }, randomAddress) as [
  ExposureHold['sender'],
  ExposureHold['sender'],
  ExposureHold['sender'],
  ExposureHold['sender'],
];
const hold = (changes: Partial<ExposureHold> = {}): ExposureHold => ({
  ...{ fundingWallet, entryPoint, sender, token },
  nonce: 1n,
  prechargeWei: 10n,
  validUntilSeconds: NOW + 300,
  capWei: 100n,
  senderCapWei: 60n,
  ...changes,
});
const unpaid = (changes: Partial<ExposureHold> = {}, tokenTaken = false) => ({ ...hold(changes), tokenTaken });
const refusal = (reason: string) => expect.objectContaining({ reason });
const CAP_REACHED = refusal('TOKEN_EXPOSURE_CAP_REACHED');
const BLOCKED = refusal('SENDER_BLOCKED_IN_TOKEN_MODE');

describe('TokenExposure', () => {
  let exposure: TokenExposure;
  const stranger = (): Partial<ExposureHold> => ({ sender: randomAddress() });
  const live = (): bigint => exposure.of({ fundingWallet, token }).liveWei;

  beforeEach(() => (exposure = new TokenExposure()));

  describe('reserve', () => {
    it("adds up different operations to the token's cap, to the wei", () => {
      for (let i = 0; i < 9; i++) exposure.reserve(hold(stranger()));
      expect(() => exposure.reserve(hold({ ...stranger(), prechargeWei: 11n }))).toThrow(CAP_REACHED);
      exposure.reserve(hold(stranger()));
      expect(exposure.of({ fundingWallet, token })).toEqual({ liveWei: 100n, dueWei: 0n, holds: 10 });
    });

    it('adds up the operations of a sender over all tokens', () => {
      for (let nonce = 1n; nonce <= 6n; nonce++) exposure.reserve(hold({ nonce, token: randomAddress() }));
      expect(() => exposure.reserve(hold({ nonce: 7n, token: randomAddress() }))).toThrow(CAP_REACHED);
      expect(() => exposure.reserve(hold(stranger()))).not.toThrow();
    });

    it('holds the maximum of a nonce asked again, never the sum', () => {
      for (const prechargeWei of [10n, 60n, 20n]) exposure.reserve(hold({ prechargeWei }));
      expect(live()).toBe(60n);
      expect(() => exposure.reserve(hold({ prechargeWei: 61n }))).toThrow(CAP_REACHED);
      expect(exposure.liveOperations).toBe(1);
    });

    it('holds a nonce asked for in two tokens against both, and once against its sender', () => {
      const other = randomAddress();
      exposure.reserve(hold({ prechargeWei: 50n }));
      exposure.reserve(hold({ prechargeWei: 60n, token: other }));
      expect(live()).toBe(50n);
      expect(exposure.of({ fundingWallet, token: other }).liveWei).toBe(60n);
      expect(() => exposure.reserve(hold({ nonce: 2n, prechargeWei: 1n }))).toThrow(CAP_REACHED);
    });

    it('keeps wallets apart: nobody uses up the cap of another', () => {
      exposure.reserve(hold({ prechargeWei: 60n }));
      expect(() => exposure.reserve(hold({ prechargeWei: 60n, fundingWallet: randomAddress() }))).not.toThrow();
      expect(live()).toBe(60n);
    });

    it('changes nothing when it refuses', () => {
      exposure.reserve(hold({ prechargeWei: 60n }));
      expect(() => exposure.reserve(hold({ nonce: 2n, prechargeWei: 1n }))).toThrow(CAP_REACHED);
      expect(exposure.of({ fundingWallet, token })).toEqual({ liveWei: 60n, dueWei: 0n, holds: 1 });
    });

    it('is asked without a hold by assertRoom', () => {
      exposure.assertRoom(hold());
      expect(live()).toBe(0n);
      expect(() => exposure.assertRoom(hold({ prechargeWei: 61n }))).toThrow(CAP_REACHED);
    });
  });

  describe('bounds on what is remembered, whatever it is worth', () => {
    const dust = { prechargeWei: 0n };

    it('refuse only the sender that has 32 nonces live', () => {
      for (let nonce = 0n; nonce < 32n; nonce++) exposure.reserve(hold({ ...dust, nonce }));
      expect(() => exposure.reserve(hold({ ...dust, nonce: 32n }))).toThrow(CAP_REACHED);
      expect(() => exposure.reserve(hold({ ...dust, nonce: 31n }))).not.toThrow();
      expect(() => exposure.reserve(hold({ ...dust, ...stranger() }))).not.toThrow();
    });

    it('refuse only the token that has too many, and only the operation in too many tokens', () => {
      exposure = new TokenExposure({ maxHoldsPerToken: 2, maxTokensPerOperation: 2 });
      exposure.reserve(hold({ ...dust, ...stranger() }));
      exposure.reserve(hold(dust));
      expect(() => exposure.reserve(hold({ ...dust, ...stranger() }))).toThrow(CAP_REACHED);
      exposure.reserve(hold({ ...dust, token: randomAddress() }));
      expect(() => exposure.reserve(hold({ ...dust, token: randomAddress() }))).toThrow(CAP_REACHED);
      expect(() => exposure.reserve(hold({ ...dust, ...stranger(), token: randomAddress() }))).not.toThrow();
    });

    it('refuse only the wallet that has too many, in whatever tokens, until something ends', () => {
      exposure = new TokenExposure({ maxOperationsPerWallet: 2 });
      exposure.reserve(hold({ ...dust, token: randomAddress() }));
      exposure.reserve(hold({ ...dust, ...stranger(), token: randomAddress() }));
      const next = hold({ ...dust, ...stranger(), token: randomAddress() });
      expect(() => exposure.reserve(next)).toThrow(CAP_REACHED);
      expect(() => exposure.reserve(hold({ ...dust, token: randomAddress() }))).not.toThrow();
      expect(() => exposure.reserve({ ...next, fundingWallet: randomAddress() })).not.toThrow();
      exposure.paid(hold());
      expect(() => exposure.reserve(next)).not.toThrow();
    });

    it('stop everything new when the process can remember no more, until something ends', () => {
      exposure = new TokenExposure({ maxOperations: 1 });
      exposure.reserve(hold());
      expect(() => exposure.reserve(hold(stranger()))).toThrow(DependencyUnavailableError);
      exposure.paid(hold());
      expect(() => exposure.reserve(hold(stranger()))).not.toThrow();
    });

    it('never forget a due, and stop new tokens when there are too many with dues', () => {
      exposure = new TokenExposure({ maxTokens: 1 });
      exposure.reserve(hold());
      exposure.due(unpaid());
      expect(() => exposure.reserve(hold({ token: randomAddress() }))).toThrow(DependencyUnavailableError);
      expect(() => exposure.reserve(hold({ nonce: 2n }))).not.toThrow();
    });

    it('forget the sender longest not heard of, while its token goes on counting', () => {
      exposure = new TokenExposure({ maxSenders: 1 });
      exposure.reserve(hold());
      exposure.due(unpaid({}, true));
      const next = stranger();
      exposure.reserve(hold(next));
      exposure.due(unpaid(next, true));
      expect(() => exposure.reserve(hold())).not.toThrow();
      expect(exposure.of({ fundingWallet, token }).dueWei).toBe(20n);
    });

    it('leave room for nine other wallets, and in each for another token', () => {
      const { maxHoldsPerToken, maxOperationsPerWallet, maxOperations } = DEFAULT_EXPOSURE_BOUNDS;
      expect(maxOperationsPerWallet * 10).toBeLessThanOrEqual(maxOperations);
      expect(maxHoldsPerToken * 2).toBeLessThanOrEqual(maxOperationsPerWallet);
    });
  });

  describe('paid', () => {
    it('gives the room back, in every token the nonce was signed for', () => {
      const other = randomAddress();
      exposure.reserve(hold({ prechargeWei: 60n }));
      exposure.reserve(hold({ token: other }));
      exposure.paid(hold());
      expect([live(), exposure.of({ fundingWallet, token: other }).holds, exposure.liveOperations]).toEqual([0n, 0, 0]);
      expect(() => exposure.reserve(hold({ nonce: 2n, prechargeWei: 60n }))).not.toThrow();
    });

    it('changes nothing for an operation that nothing is held for', () => {
      exposure.reserve(hold());
      exposure.paid(hold({ nonce: 2n }));
      expect(live()).toBe(10n);
    });
  });

  describe('due', () => {
    it('counts for good, for the token and the sender', () => {
      exposure.reserve(hold({ prechargeWei: 50n }));
      expect(exposure.due(unpaid())).toEqual({ dueWei: 50n });
      exposure.expire(NOW + 1_000_000);
      expect(exposure.of({ fundingWallet, token })).toEqual({ liveWei: 0n, dueWei: 50n, holds: 0 });
      expect(() => exposure.reserve(hold({ nonce: 2n, prechargeWei: 11n }))).toThrow(CAP_REACHED);
      expect(() => exposure.reserve(hold({ ...stranger(), prechargeWei: 51n }))).toThrow(CAP_REACHED);
    });

    it('lets a sender go on whose calls had reverted, as far as its cap', () => {
      exposure.reserve(hold({ prechargeWei: 50n }));
      exposure.due(unpaid());
      expect(() => exposure.reserve(hold({ nonce: 2n }))).not.toThrow();
    });

    it('blocks a sender that took the token, with this wallet', () => {
      exposure.reserve(hold());
      exposure.due(unpaid({}, true));
      expect(() => exposure.reserve(hold({ nonce: 2n, prechargeWei: 1n }))).toThrow(BLOCKED);
      expect(() => exposure.reserve(hold({ nonce: 2n, fundingWallet: randomAddress() }))).not.toThrow();
      expect(() => exposure.reserve(hold(stranger()))).not.toThrow();
    });

    it('stays blocked when a later operation is due for an honest reason', () => {
      exposure.reserve(hold({ nonce: 1n }));
      exposure.reserve(hold({ nonce: 2n }));
      exposure.due(unpaid({ nonce: 1n }, true));
      exposure.due(unpaid({ nonce: 2n }, false));
      expect(() => exposure.reserve(hold({ nonce: 3n }))).toThrow(BLOCKED);
    });

    it('counts once, however often it is seen', () => {
      exposure.reserve(hold());
      exposure.due(unpaid());
      expect(exposure.due(unpaid())).toBeUndefined();
      expect(exposure.of({ fundingWallet, token }).dueWei).toBe(10n);
    });

    it('counts every token signed for the nonce where the chain does not say which', () => {
      const other = randomAddress();
      exposure.reserve(hold({ prechargeWei: 20n }));
      exposure.reserve(hold({ prechargeWei: 30n, token: other }));
      expect(exposure.due({ ...unpaid({}, true), token: undefined })).toEqual({ dueWei: 30n });
      expect(exposure.of({ fundingWallet, token }).dueWei).toBe(20n);
      expect(exposure.of({ fundingWallet, token: other }).dueWei).toBe(30n);
    });

    it('counts the token that was not paid, not the others signed for the nonce', () => {
      const other = randomAddress();
      exposure.reserve(hold({ prechargeWei: 20n }));
      exposure.reserve(hold({ prechargeWei: 30n, token: other }));
      expect(exposure.due(unpaid())).toEqual({ dueWei: 20n });
      expect(exposure.of({ fundingWallet, token: other })).toEqual({ liveWei: 0n, dueWei: 0n, holds: 0 });
    });
  });

  describe('expire', () => {
    it('gives the room back when the chain was read past the end, with a grace', () => {
      exposure.reserve(hold());
      exposure.expire(NOW + 330);
      expect(live()).toBe(10n);
      exposure.expire(NOW + 331);
      expect(live()).toBe(0n);
    });

    it('keeps the later end of a nonce asked again', () => {
      exposure.reserve(hold({ validUntilSeconds: NOW + 600 }));
      exposure.reserve(hold({ validUntilSeconds: NOW + 300 }));
      exposure.expire(NOW + 630);
      expect(live()).toBe(10n);
    });
  });
});
