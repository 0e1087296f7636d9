import { Injectable } from '@nestjs/common';
import type { Actor } from '../../platform/audit/actor';
import { DashboardError, InvalidBodyError } from '../../platform/http/dashboard-errors';
import type { Editor } from '../../access/callers/caller';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import { PoliciesService } from '../policies/policies.service';
import { SmartContractsService } from '../smart-contracts/smart-contracts.service';
import type { CreatePoliciesDto, CreateSmartContractsDto } from './several-paymasters.dto';
import type { OutcomeView } from './several-paymasters.view';

type Said = Pick<OutcomeView, 'outcome'> & Partial<Pick<OutcomeView, 'warnings'>>;

/** One contract or policy for several paymasters. Each gets it or refuses it by itself, and a repetition changes nothing. */
@Injectable()
export class SeveralPaymastersService {
  constructor(
    private readonly paymasters: PaymastersRepository,
    private readonly contracts: SmartContractsService,
    private readonly policies: PoliciesService,
  ) {}

  /** @throws {InvalidBodyError} before anything is changed, where a paymaster is not the account's, or the ABI is wrong */
  async registerContract(actor: Actor, { paymasterIds, ...contract }: CreateSmartContractsDto): Promise<OutcomeView[]> {
    await this.contracts.assertPossible(actor, contract);
    return this.atEach(actor, paymasterIds, (editor) => this.contracts.createOnce(editor, contract));
  }

  /** @throws {InvalidBodyError} before anything is changed, where a paymaster is not the account's, or the data is wrong */
  async createPolicy(actor: Actor, { paymasterIds, ...policy }: CreatePoliciesDto): Promise<OutcomeView[]> {
    this.policies.assertPossible(policy);
    return this.atEach(actor, paymasterIds, async (editor) => ({
      outcome: await this.policies.createOnce(editor, policy),
    }));
  }

  private async atEach(
    actor: Actor,
    paymasterIds: readonly string[],
    change: (editor: Editor) => Promise<Said>,
  ): Promise<OutcomeView[]> {
    const ids = new Set(paymasterIds.map((id) => id.toLowerCase()));
    const named = (await this.paymasters.listOf(actor.accountId)).filter(({ id }) => ids.has(id));
    if (named.length < ids.size) {
      throw new InvalidBodyError('paymasterIds must be those of paymasters of this account');
    }
    const outcomes: OutcomeView[] = [];
    for (const paymaster of named) {
      const { id: paymasterId, chainId } = paymaster;
      const said = await change({ paymaster, actor }).catch(refusalOf);
      outcomes.push({ ...{ paymasterId, chainId, reason: null, message: null, warnings: [] }, ...said });
    }
    return outcomes;
  }
}

/** Only what a paymaster itself refuses: when the database is down, the whole request fails, and may be repeated. */
function refusalOf(error: unknown): Pick<OutcomeView, 'outcome' | 'reason' | 'message'> {
  if (!(error instanceof DashboardError)) throw error;
  return { outcome: 'refused', reason: error.reason, message: error.message };
}
