import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { normalizeAddress } from '@paymaster/domain';
import { MAX_SNAPSHOT_POLICIES } from '@paymaster/messaging';
import { LongWork, type Pieces } from '@paymaster/nest-kit';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import type { Editor } from '../../access/callers/caller';
import { InvalidBodyError, VersionConflictError } from '../../platform/http/dashboard-errors';
import { parseStrictly } from '../../platform/http/parse-strictly';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { PaymasterSettingsService } from '../paymasters/paymaster-settings.service';
import { assertWithinPoliciesLimits, type PoliciesLimits } from '../policies/policies-limits';
import { PoliciesRepository } from '../policies/policies.repository';
import type { Policy } from '../policies/policy';
import { PolicyDataParser } from '../policies/policy-data.parser';
import { shownLoggedPolicy, toPolicyChange, type LoggedPolicy } from '../policies/policy.view';
import { PolicyWriter, type PolicyWrite, type RecordedChange } from '../policy-changes/policy-writer';
import { assertContractsWithin, type ContractsLimits } from '../smart-contracts/contracts-limits';
import type { CreateSmartContractDto } from '../smart-contracts/smart-contract.dto';
import { SmartContractsRepository } from '../smart-contracts/smart-contracts.repository';
import { SmartContractsService, type BuiltContract } from '../smart-contracts/smart-contracts.service';
import { toPartDifference, type ImportView } from './difference.view';
import { matchPolicies } from './match-policies';
import { DocumentContractDto, DocumentPolicyDto, PolicyDocumentDto } from './policy-document.dto';

export interface ImportRequest extends Editor {
  /** What the caller may do for the account. */
  readonly may: readonly Need[];
  /** The document as it was sent. */
  readonly document: unknown;
  readonly dryRun: boolean;
  /** The version that the paymaster must still have. */
  readonly expectedVersion?: number;
}

/** A document while it is written. */
interface Application {
  readonly write: PolicyWrite;
  readonly editor: Editor;
  readonly may: readonly Need[];
  readonly document: PolicyDocumentDto;
  readonly built: readonly BuiltContract[];
  readonly pieces: Pieces;
}

/** Makes what a paymaster sponsors what a document says: all of it or nothing. */
@Injectable()
export class PolicyImportService {
  constructor(
    private readonly writer: PolicyWriter,
    private readonly policies: PoliciesRepository,
    private readonly parser: PolicyDataParser,
    private readonly contracts: SmartContractsRepository,
    private readonly contractsService: SmartContractsService,
    private readonly settings: PaymasterSettingsService,
    @Inject(DashboardConfig) private readonly limits: PoliciesLimits & ContractsLimits,
    private readonly work: LongWork,
  ) {}

  /**
   * A dry run does everything and takes it back, so that what it shows or refuses is what the import would.
   *
   * @throws {InvalidBodyError} {@link LimitReachedError} {@link SmartContractNameExistsError}
   *   {@link NotAllowedError} for a setting that needs more than the right `policies`; {@link VersionConflictError} when the paymaster is not at the version that was expected
   */
  async import({ paymaster, actor, may, dryRun, expectedVersion, ...request }: ImportRequest): Promise<ImportView> {
    this.refuseTooManyContracts(request.document);
    const pieces = this.work.of(paymaster.accountId);
    const document = await parseInPieces(request.document, pieces);
    refuseTwins(document);
    const built = await this.buildContracts(paymaster, document);
    const apply = async (write: PolicyWrite): Promise<ImportView> => {
      const present = write.version - 1;
      if (expectedVersion !== undefined && expectedVersion !== present)
        throw new VersionConflictError('paymaster', present);
      const changes: RecordedChange[] = [];
      await this.apply({ write: noting(write, changes), editor: { paymaster, actor }, may, document, built, pieces });
      return {
        applied: !dryRun,
        version: dryRun ? present : write.version,
        policies: toPartDifference(changes, 'policy', (policy) => shownLoggedPolicy(policy as LoggedPolicy, may)),
        contracts: toPartDifference(changes, 'contract'),
        settings: toPartDifference(changes, 'settings'),
      };
    };
    const target = { paymasterId: paymaster.id, actor };
    return dryRun ? this.writer.rehearse(target, apply) : this.writer.write(target, apply);
  }

  private async apply(application: Application): Promise<void> {
    const { write, editor, may, document } = application;
    await this.applyPolicies(application);
    if (document.contracts) await this.applyContracts(application, document.contracts);
    if (document.settings)
      await this.settings.merge({ write, paymaster: editor.paymaster, may, request: document.settings });
  }

  /** Before anything is made of them. */
  private refuseTooManyContracts(document: unknown): void {
    const { contracts } = (document ?? {}) as { contracts?: unknown };
    if (Array.isArray(contracts)) assertContractsWithin(contracts.length, this.limits);
  }

  /** Before the write: reading ABIs takes long, and a transaction keeps a connection from others. */
  private async buildContracts(paymaster: Paymaster, { contracts }: PolicyDocumentDto): Promise<BuiltContract[]> {
    const built: BuiltContract[] = [];
    if (!contracts?.length) return built;
    const abis = await this.contracts.abisOf(paymaster.id);
    for (const contract of contracts) {
      const abi = contract.abi ?? abis.get(normalizeAddress(contract.address));
      if (abi !== undefined) built.push(await this.contractsService.tryToBuild(paymaster, { ...contract, abi }));
    }
    return built;
  }

  private async applyPolicies({
    write: { manager, record },
    editor: { paymaster, actor },
    document: { policies: wanted },
    pieces,
  }: Application): Promise<void> {
    const present = await this.policies.listOf(paymaster.id, manager);
    const matches = matchPolicies(wanted, present);
    for (const policy of present.filter((each) => !matches.includes(each))) {
      await this.policies.delete(manager, policy.id);
      record(toPolicyChange(policy, null));
    }
    for (const [at, { name, active = true, policyType, policyData }] of wanted.entries()) {
      const before = matches[at];
      const where = `policies.${at}.policyData`;
      await pieces.pause();
      const content = this.parser.parse({ policyType, policyData, where, previous: before });
      const own = before ?? { id: randomUUID(), paymasterId: paymaster.id, createdBy: actor.accountId };
      const version = before ? before.version + 1 : 1;
      const after = { ...own, name, active, version, ...content } as Policy;
      await (before ? this.policies.update(manager, after) : this.policies.insert(manager, after));
      record(before ? toPolicyChange(before, after) : toPolicyChange(null, after));
    }
    assertWithinPoliciesLimits(await this.policies.allOf(paymaster.id, manager), this.limits);
  }

  private async applyContracts(
    { write, editor: { paymaster }, built }: Application,
    wanted: readonly DocumentContractDto[],
  ): Promise<void> {
    const present = await this.contracts.listOf(paymaster.id, write.manager);
    const abis = new Map(present.map(({ address, abi }) => [address as string, abi]));
    const complete = wanted.map((contract, at): CreateSmartContractDto => {
      const abi = contract.abi ?? abis.get(normalizeAddress(contract.address));
      if (abi === undefined) {
        throw new InvalidBodyError(`contracts.${at}: abi must be sent for a contract that is not registered`);
      }
      return { ...contract, abi };
    });
    await this.contractsService.replaceAll({ write, paymaster, present, requests: complete, built });
  }
}

/** As {@link parseStrictly} does, but policies and contracts one by one: all of them take 60 ms. */
async function parseInPieces(sent: unknown, pieces: Pieces): Promise<PolicyDocumentDto> {
  await pieces.pause();
  const { policies, contracts } = (sent ?? {}) as Partial<Record<keyof PolicyDocumentDto, unknown>>;
  const lists = {
    policies: Array.isArray(policies) && policies.length > MAX_SNAPSHOT_POLICIES ? policies : shellOf(policies),
    ...(contracts != null && { contracts: shellOf(contracts) }),
  };
  const document = parseStrictly(PolicyDocumentDto, { ...(sent as object), ...lists }, '');
  const each = async <T extends object>(dto: new () => T, list: readonly object[], where: string): Promise<T[]> => {
    const parsed: T[] = [];
    for (const [at, item] of list.entries()) {
      await pieces.pause();
      parsed.push(parseStrictly(dto, item, `${where}.${at}`));
    }
    return parsed;
  };
  document.policies = await each(DocumentPolicyDto, policies as object[], 'policies');
  if (contracts != null) document.contracts = await each(DocumentContractDto, contracts as object[], 'contracts');
  return document;
}

/** What of a list decides whether it is one of objects: nothing where it is. */
function shellOf(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const isObject = (item: unknown): boolean => typeof item === 'object' && item !== null && !Array.isArray(item);
  return list.every(isObject) ? [] : list.filter((item) => !isObject(item));
}

function refuseTwins({ policies, contracts }: PolicyDocumentDto): void {
  const twin = (keys: readonly unknown[]): number =>
    keys.findIndex((key, at) => key !== undefined && keys.indexOf(key) < at);
  const policy = twin(policies.map(({ policyId }) => policyId ?? undefined));
  if (policy !== -1) throw new InvalidBodyError(`policies.${policy}: policyId is that of a policy before`);
  const contract = twin((contracts ?? []).map(({ address }) => normalizeAddress(address)));
  if (contract !== -1) throw new InvalidBodyError(`contracts.${contract}: address is that of a contract before`);
}

/** The same write, whose changes are also noted in a list. */
function noting(write: PolicyWrite, changes: RecordedChange[]): PolicyWrite {
  const record = (change: RecordedChange): void => {
    changes.push(change);
    write.record(change);
  };
  return { ...write, record };
}
