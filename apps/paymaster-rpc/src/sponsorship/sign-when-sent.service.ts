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
import { assertKeyCalls } from '../callers/key-grants';
import { ExplainOperation } from './explain-operation.service';
import { pickLimits } from './gas-limits';
import { JudgeOperation, type Judged, type SponsorRequest } from './judge-operation.service';
import { Refusals, type Attempt } from './refusals.service';
import type { SponsorData } from './sponsor-data';
import { stubUntil } from './sponsor-terms';
import { SponsorUserOperation, type Sponsorship } from './sponsor-user-operation.service';

/** Promises that a process remembers, and how long: the longest validity that is asked for; milliseconds. */
const REMEMBERED = { max: 20_000, ttl: 3_600_000 };

/** What a client named when it asked for the data, and what the operation does not say. */
type Promised = Pick<SponsorRequest, 'account' | 'webhookData' | 'policyIds'> & { readonly judged: Judged };

/**
 * Sponsorships of EntryPoint v0.9 that are signed when the operation is sent (`signWhenSent`). `userOpHash` leaves the
 * paymaster's signature out, so the account can sign before it exists. Nobody can land the operation before it comes
 * here, and nothing is held for it.
 */
@Injectable()
export class SignWhenSent {
  private readonly promised = new LRUCache<string, Promised>(REMEMBERED);

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
    const attempt: Attempt = { ...request, mode: 'sponsored' };
    return this.refusals.watch(attempt, async () => {
      const judgement = await this.judgeOperation.judge(request, attempt);
      await this.explainOperation.assertRoom(request, judgement);
      const { operation, terms, validity, eip7702Delegate: delegate } = judgement;
      const data = stubUntil(terms, validity);
      const { caller, account, webhookData, policyIds } = request;
      const { chainId } = caller.chain.config;
      const { entryPoint } = terms;
      const hash = userOpHash({ operation, paymaster: sentPaymaster(data) }, { entryPoint, chainId, delegate });
      this.promised.set(keyOf(caller, hash), { account, webhookData, policyIds, judged: judgement });
      return { ...data, limits: pickLimits(operation) };
    });
  }

  /** Whether the operation was sent with a placeholder of {@link promise}. */
  isPromised({ caller, data }: { caller: Caller; data: DecodedPaymasterAndData }): boolean {
    return caller.paymaster.snapshot.settings.signWhenSent && data.signature === STUB_SIGNATURE;
  }

  /**
   * Signs an operation that was sent with a placeholder. Limits and fees are judged by the prices of the request for the
   * data, where this process has answered it; else by the prices of now.
   *
   * @param assertValid whether the operation is valid with both signatures; nothing is held for one that is not
   * @throws {SponsorshipRefusedError} PAYMASTER_DATA_OUTDATED when other data would be signed now
   * @throws what {@link SponsorUserOperation.sponsor} throws
   */
  async sign(
    caller: Caller,
    { complete, data, hash }: { complete: CompleteOperation; data: DecodedPaymasterAndData; hash: Hex },
    assertValid: (signed: CompleteOperation) => Promise<void>,
  ): Promise<CompleteOperation> {
    const { key } = caller.paymaster.snapshot;
    if (key !== null) assertKeyCalls(key, 'pm_getPaymasterData');
    const { operation } = complete;
    const { validUntilSeconds, validAfterSeconds } = data.sponsorFields;
    const promised = { validUntilSeconds, validAfterSeconds };
    const known = this.promised.get(keyOf(caller, hash));
    const request: SponsorRequest = {
      ...{ caller, operation, account: undefined, calculateGasLimits: false },
      ...known,
      expiry: { seconds: undefined, field: 'params[0].paymasterData', promised },
    };
    const signedBy = (signature: SponsorData): CompleteOperation => {
      const paymaster = sentPaymaster(signature);
      if (!isSame(paymaster, complete.paymaster)) throw outdated();
      return { operation, paymaster };
    };
    return signedBy(
      await this.sponsorUserOperation.sponsorSent(request, (signature) => assertValid(signedBy(signature))),
    );
  }
}

/** Whether sponsorships of EntryPoint v0.9 wait for their sending: a key without the bundlers sends nothing here. */
export function signsWhenSent({ settings, key }: Pick<PolicySnapshot, 'settings' | 'key'>): boolean {
  return settings.signWhenSent && key?.bundler !== 'off';
}

/** Another version of the policy judges anew. */
const keyOf = ({ chain, paymaster }: Caller, hash: Hex): string =>
  `${chain.config.chainId}:${paymaster.snapshot.paymasterId}:${paymaster.snapshot.version}:${hash}`;

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
