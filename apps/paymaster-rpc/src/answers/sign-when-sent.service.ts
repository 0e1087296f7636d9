import { Injectable } from '@nestjs/common';
import {
  STUB_SIGNATURE,
  toWirePaymasterData,
  userOpHash,
  type CompleteOperation,
  type DecodedPaymasterAndData,
  type SentPaymaster,
} from '@paymaster/chain';
import { hasPaymasterSignature, SponsorshipRefusedError, type Hex, type PolicySnapshot } from '@paymaster/domain';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../callers/caller';
import { assertKeySigns, maySend } from '../callers/key-grants';
import { ExplainOperation } from './explain-operation.service';
import { pickLimits } from '../decide/limits/gas-limits';
import { JudgeOperation, type Cost, type SponsorRequest } from '../decide/verdict/judge-operation.service';
import { Refusals } from '../decide/verdict/refusals.service';
import type { SponsorData } from '../decide/terms/sponsor-data';
import { stubUntil } from '../decide/terms/sponsor-terms';
import { SponsorUserOperation, type Sponsorship } from './sponsor-user-operation.service';

/** The promises that a process remembers: how many, of how many characters together, and for how many milliseconds. */
const REMEMBERED = { max: 20_000, maxSize: 20_000_000, ttl: 3_600_000 };

/** What a client named when it asked for the data, and what the operation does not say. */
type Promised = Pick<SponsorRequest, 'account' | 'webhookData' | 'policyIds'> & { readonly judged: Cost };

/**
 * Sponsorships of EntryPoint v0.9 that are signed when the operation is sent (`signWhenSent`). `userOpHash` leaves the
 * paymaster's signature out, so the account can sign before it exists. Nobody can land the operation before it comes
 * here, and nothing is held for it.
 */
@Injectable()
export class SignWhenSent {
  private readonly promised = new LRUCache<string, Promised>({ ...REMEMBERED, sizeCalculation: sizeOf });

  constructor(
    private readonly judgeOperation: JudgeOperation,
    private readonly explainOperation: ExplainOperation,
    private readonly sponsorUserOperation: SponsorUserOperation,
    private readonly refusals: Refusals,
  ) {}

  /** Whether the request's data get their signature when the operation is sent. */
  applies({ caller, operation, needsSignatureNow }: SponsorRequest): boolean {
    const { entryPointVersion } = operation;
    return (
      signsWhenSent(caller.paymaster.snapshot) &&
      hasPaymasterSignature(entryPointVersion) &&
      needsSignatureNow !== true &&
      caller.chain.bundlers.of(entryPointVersion).length > 0
    );
  }

  /**
   * The data that will be signed, with a placeholder for the signature. Everything is checked that is checked before a
   * signature, except that the owner's webhooks are asked when the operation is sent.
   *
   * @throws what {@link SponsorUserOperation.sponsor} throws, except for webhooks
   */
  promise(request: SponsorRequest): Promise<Sponsorship> {
    return this.refusals.watch(request, async () => {
      const judgement = await this.judgeOperation.judge(request);
      await this.explainOperation.findRoom(request, judgement);
      const { facts, limits, cost, validity } = judgement;
      const { operation, terms } = limits;
      const { eip7702Delegate: delegate } = facts.accountFacts;
      const data = stubUntil(terms, validity);
      const { caller, account, webhookData, policyIds } = request;
      const { chainId } = caller.chain.config;
      const { entryPoint } = terms;
      const hash = userOpHash({ operation, paymaster: sentPaymaster(data) }, { entryPoint, chainId, delegate });
      this.promised.set(keyOf(caller, hash), { account, webhookData, policyIds, judged: cost });
      return { ...data, limits: pickLimits(operation) };
    });
  }

  /** Whether the operation was sent with a placeholder of {@link promise}. */
  isPromised(caller: Caller, { operation, paymaster }: CompleteOperation): boolean {
    return (
      signsWhenSent(caller.paymaster.snapshot) &&
      hasPaymasterSignature(operation.entryPointVersion) &&
      paymaster?.paymasterSignature?.toLowerCase() === STUB_SIGNATURE
    );
  }

  /** Whether this process promised the operation to the caller. */
  remembers(caller: Caller, hash: Hex): boolean {
    return this.promised.has(keyOf(caller, hash));
  }

  /**
   * Signs an operation that was sent with a placeholder. Limits and fees are judged by the prices of the request for the
   * data, where this process has answered it; else by the prices of now.
   *
   * @param data of the operation's paymaster
   * @param assertValid whether all but the paymaster's signature is valid. It runs before anything is held, and before
   *   there is a signature: accounts see the paymaster's data, and could tell it.
   * @throws {SponsorshipRefusedError} PAYMASTER_DATA_OUTDATED when other data would be signed now
   * @throws what {@link SponsorUserOperation.sponsor} throws
   */
  async sign(
    caller: Caller,
    { complete, data, hash }: { complete: CompleteOperation; data: DecodedPaymasterAndData; hash: Hex },
    assertValid: () => Promise<void>,
  ): Promise<CompleteOperation> {
    const { key } = caller.paymaster.snapshot;
    if (key !== null) assertKeySigns(key);
    const { operation } = complete;
    const { validUntilSeconds, validAfterSeconds } = data.sponsorFields;
    const promised = { validUntilSeconds, validAfterSeconds };
    const known = this.promised.get(keyOf(caller, hash));
    const request: SponsorRequest = {
      ...{ mode: 'sponsored', caller, operation, account: undefined, calculateGasLimits: false },
      ...known,
      expiry: { seconds: undefined, field: 'params[0].paymasterData', promised },
    };
    const signed = await this.sponsorUserOperation.sponsor(request, async ({ limits, validity }) => {
      if (!isSame(sentPaymaster(stubUntil(limits.terms, validity)), complete.paymaster)) throw outdated();
      await assertValid();
    });
    return { operation, paymaster: sentPaymaster(signed) };
  }
}

/** Whether the paymaster signs on EntryPoint v0.9 when an operation is sent. A key that may send nothing is signed for at once. */
export function signsWhenSent({ settings, key }: Pick<PolicySnapshot, 'settings' | 'key'>): boolean {
  return settings.signWhenSent && (key === null || maySend(key));
}

/** Characters of what clients decide on. */
function sizeOf({ webhookData, policyIds, judged }: Promised): number {
  return JSON.stringify([webhookData, policyIds, judged.trace]).length;
}

/** Another version of the policy, another key and another user's session are judged anew. */
function keyOf({ chain, paymaster, session }: Caller, hash: Hex): string {
  const { paymasterId, version, key } = paymaster.snapshot;
  return [chain.config.chainId, paymasterId, version, key?.keyId, session?.user, hash].join(':');
}

function sentPaymaster({
  entryPointVersion,
  paymaster,
  paymasterGasLimits,
  paymasterData,
}: SponsorData): SentPaymaster {
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = paymasterGasLimits;
  const limits = { paymasterVerificationGasLimit, paymasterPostOpGasLimit };
  return { paymaster, ...limits, ...toWirePaymasterData(entryPointVersion, paymasterData) };
}

/** Apart from the signature. */
function isSame(signed: SentPaymaster, sent: SentPaymaster | undefined): boolean {
  return (
    signed.paymaster === sent?.paymaster &&
    signed.paymasterData === sent.paymasterData.toLowerCase() &&
    signed.paymasterVerificationGasLimit === sent.paymasterVerificationGasLimit &&
    signed.paymasterPostOpGasLimit === sent.paymasterPostOpGasLimit
  );
}

/** The refusal of data that were promised once and would be others now. */
export function outdated(): SponsorshipRefusedError {
  return new SponsorshipRefusedError(
    'PAYMASTER_DATA_OUTDATED',
    'The paymaster data of the operation are not those that would be signed now: ask for them again.',
  );
}
