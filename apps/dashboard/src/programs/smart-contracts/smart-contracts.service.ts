import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { normalizeAddress } from '@paymaster/domain';
import type { EntityManager } from 'typeorm';
import { LongWork } from '@paymaster/nest-kit';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import type { Editor } from '../../access/callers/caller';
import {
  InvalidBodyError,
  SmartContractAddressExistsError,
  SmartContractNameExistsError,
  SmartContractNotFoundError,
} from '../../platform/http/dashboard-errors';
import { refuseIfChangedMeanwhile } from '../../platform/http/expected-values';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PolicyWriter, type PolicyWrite } from '../policy-changes/policy-writer';
import { AbiError } from './abi/abi-error';
import { abiTextIn } from './abi/abi-text';
import { ContractAbi } from './abi/contract-abi';
import { SELECTOR_OF, type SelectorOf } from './abi/selector';
import { ContractCode } from './contract-code';
import { assertWithinLimits, type ContractsLimits } from './contracts-limits';
import type { SmartContract } from './smart-contract';
import type { CreateSmartContractDto, DeleteSmartContractDto, UpdateWhitelistDto } from './smart-contract.dto';
import { toContractChange, toSmartContractView, type SmartContractView } from './smart-contract.view';
import { SmartContractsRepository } from './smart-contracts.repository';

type Limits = ContractsLimits & Pick<DashboardConfig, 'maxAbiBytes' | 'maxAbiItems'>;

export interface ContractsReplacement {
  readonly write: PolicyWrite;
  readonly paymaster: Paymaster;
  /** All there are now, read within the write. */
  readonly present: readonly SmartContract[];
  /** All there are to be. */
  readonly requests: readonly CreateSmartContractDto[];
  /** What was made of them before the write; one that another request has changed since is made again. */
  readonly built: readonly BuiltContract[];
}

/** A contract that was made of a request, or why none can be. */
export interface BuiltContract {
  readonly request: CreateSmartContractDto;
  readonly outcome: SmartContract | InvalidBodyError;
}

const TAKEN = {
  smart_contracts_paymaster_id_address_key: () => new SmartContractAddressExistsError(),
  smart_contracts_paymaster_id_name_key: () => new SmartContractNameExistsError(),
};

/** Operations 3, 4, 5 and 7: the contracts of a paymaster and what of them is sponsored. */
@Injectable()
export class SmartContractsService {
  constructor(
    private readonly contracts: SmartContractsRepository,
    private readonly policies: PolicyWriter,
    private readonly chains: SupportedChains,
    @Inject(SELECTOR_OF) private readonly selectorOf: SelectorOf,
    @Inject(DashboardConfig) private readonly limits: Limits,
    private readonly work: LongWork,
    private readonly code: ContractCode,
  ) {}

  async list(paymaster: Paymaster): Promise<SmartContractView[]> {
    return (await this.contracts.listOf(paymaster.id)).map(toSmartContractView);
  }

  /** As {@link list}; each ABI is empty, and is not read. */
  async listWithoutAbis(paymaster: Paymaster): Promise<SmartContractView[]> {
    const contracts = await this.contracts.listWithoutAbisOf(paymaster.id);
    return contracts.map((contract) => toSmartContractView({ ...contract, abi: '' }));
  }

  /** The signatures of the methods of a registered contract, by selector; none of a contract that is not registered. */
  async signaturesOf(paymaster: Paymaster, address: string): Promise<ReadonlyMap<string, string>> {
    const abi = await this.contracts.abiOf(paymaster.id, normalizeAddress(address));
    if (abi === undefined) return new Map();
    try {
      return (await this.parse(abi, paymaster)).signatures;
    } catch (error) {
      // Of a contract that was registered when the operator's bounds were wider.
      if (error instanceof AbiError) return new Map();
      throw error;
    }
  }

  /**
   * @returns what the owner should know of the contract
   * @throws {InvalidBodyError} {@link SmartContractAddressExistsError} {@link SmartContractNameExistsError}
   *   {@link LimitReachedError}
   */
  async create({ paymaster, actor }: Editor, request: CreateSmartContractDto): Promise<string[]> {
    const contract = await this.build(paymaster, request);
    await onUniqueViolation(TAKEN, () =>
      this.policies.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
        await this.contracts.insert(manager, [contract]);
        await this.refuseBeyondLimits(manager, paymaster);
        record(toContractChange(null, contract));
      }),
    );
    return this.code.warningsOf(paymaster.chainId, contract.address);
  }

  /**
   * As {@link create}; where the paymaster has exactly this contract already, nothing is changed.
   *
   * @throws as {@link create} does
   */
  async createOnce(
    editor: Editor,
    request: CreateSmartContractDto,
  ): Promise<{ readonly outcome: 'created' | 'unchanged'; readonly warnings?: readonly string[] }> {
    try {
      return { outcome: 'created', warnings: await this.create(editor, request) };
    } catch (error) {
      const isTaken = error instanceof SmartContractAddressExistsError || error instanceof SmartContractNameExistsError;
      if (isTaken && (await this.has(editor.paymaster, request))) return { outcome: 'unchanged' };
      throw error;
    }
  }

  /** @throws {InvalidBodyError} for a contract that no paymaster of the account can have */
  async assertPossible(
    { accountId }: Pick<Paymaster, 'accountId'>,
    { abi, whitelistedMethods = [] }: CreateSmartContractDto,
  ): Promise<void> {
    (await this.parse(abiTextIn(abi), { accountId })).whitelist(whitelistedMethods);
  }

  private async has(
    { id }: Paymaster,
    { name, address, abi, whitelistedMethods = [] }: CreateSmartContractDto,
  ): Promise<boolean> {
    const contract = (await this.contracts.listOf(id)).find((each) => each.address === normalizeAddress(address));
    const inOrder = (methods: readonly string[]) => [...new Set(methods)].sort();
    const asked = { name, abi: abiTextIn(abi), methods: inOrder(whitelistedMethods) };
    return (
      contract !== undefined &&
      isDeepStrictEqual(asked, {
        ...{ name: contract.name, abi: contract.abi, methods: inOrder(contract.whitelistedMethods) },
      })
    );
  }

  /**
   * Replaces the whitelist.
   *
   * @throws {SmartContractNotFoundError} {@link InvalidBodyError} {@link LimitReachedError} {@link ChangedMeanwhileError}
   */
  async updateWhitelist({ paymaster, actor }: Editor, request: UpdateWhitelistDto): Promise<SmartContractView> {
    const target = { paymasterId: paymaster.id, actor };
    // Reading takes long, and a transaction keeps a connection from others.
    const abi = await this.contracts.abiOf(paymaster.id, normalizeAddress(request.address));
    const read = abi === undefined ? undefined : await this.parse(abi, paymaster);
    const updated = await this.policies.write(target, async ({ manager, record }) => {
      const contract = await this.findOrFail(manager, paymaster, request.address);
      const { whitelistedMethods } = contract;
      const { address: _named, ...sent } = request;
      refuseIfChangedMeanwhile({ whitelistedMethods }, sent);
      const contractAbi = read && abi === contract.abi ? read : await this.parse(contract.abi, paymaster);
      const whitelist = contractAbi.whitelist(request.whitelistedMethods);
      await this.contracts.update(manager, { ...contract, ...whitelist, errors: contractAbi.errors });
      // A list that shrinks is welcome even where the operator has lowered the limit since.
      const grows = whitelist.selectors.length > contract.selectors.length;
      if (grows) await this.refuseBeyondLimits(manager, paymaster);
      record(toContractChange(contract, { ...contract, ...whitelist }));
      return { ...contract, ...whitelist };
    });
    return toSmartContractView(updated);
  }

  /** @throws {SmartContractNotFoundError} */
  async delete({ paymaster, actor }: Editor, request: DeleteSmartContractDto): Promise<void> {
    await this.policies.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      const contract = await this.findOrFail(manager, paymaster, request.address);
      await this.contracts.delete(manager, [contract.id]);
      record(toContractChange(contract, null));
    });
  }

  /**
   * Makes the contracts of a paymaster exactly these, within a write that goes on.
   *
   * @throws {InvalidBodyError} {@link SmartContractNameExistsError} {@link LimitReachedError}
   */
  async replaceAll({ write, paymaster, present, requests, built }: ContractsReplacement): Promise<void> {
    const pieces = this.work.of(paymaster.accountId);
    const { manager, record } = write;
    const wanted: SmartContract[] = [];
    for (const [at, request] of requests.entries()) {
      const known = built.find((each) => each.request.address === request.address && each.request.abi === request.abi);
      const { outcome } = known ?? (await this.tryToBuild(paymaster, request));
      if (outcome instanceof InvalidBodyError) throw new InvalidBodyError(`contracts.${at}: ${outcome.message}`);
      wanted.push(outcome);
    }
    const gone = present.filter(({ address }) => !wanted.some((each) => each.address === address));
    await this.contracts.delete(
      manager,
      gone.map(({ id }) => id),
    );
    for (const contract of gone) record(toContractChange(contract, null));
    const made: SmartContract[] = [];
    for (const contract of wanted) {
      const before = present.find(({ address }) => address === contract.address);
      if (before && isDeepStrictEqual({ ...before }, { ...before, ...contract, id: before.id })) continue;
      await pieces.pause();
      if (before) {
        await onUniqueViolation(TAKEN, () => this.contracts.update(manager, { ...contract, id: before.id }));
        record(toContractChange(before, contract));
      } else {
        made.push(contract);
        record(toContractChange(null, contract));
      }
    }
    await onUniqueViolation(TAKEN, () => this.contracts.insert(manager, made));
    await this.refuseBeyondLimits(manager, paymaster);
  }

  /** Never refuses: what cannot be is refused where it is used. */
  async tryToBuild(paymaster: Paymaster, request: CreateSmartContractDto): Promise<BuiltContract> {
    try {
      return { request, outcome: await this.build(paymaster, request) };
    } catch (error) {
      if (error instanceof InvalidBodyError) return { request, outcome: error };
      throw error;
    }
  }

  private async build(
    paymaster: Paymaster,
    { name, address, abi: sent, whitelistedMethods }: CreateSmartContractDto,
  ): Promise<SmartContract> {
    const normalized = normalizeAddress(address);
    if (this.chains.isInfrastructure(paymaster.chainId, normalized)) {
      throw new InvalidBodyError('address must not be an EntryPoint or a paymaster of this platform');
    }
    const abi = abiTextIn(sent);
    const contractAbi = await this.parse(abi, paymaster);
    return {
      id: randomUUID(),
      paymasterId: paymaster.id,
      name,
      address: normalized,
      abi,
      methods: contractAbi.methods,
      errors: contractAbi.errors,
      ...contractAbi.whitelist(whitelistedMethods ?? []),
    };
  }

  private parse(abi: string, { accountId }: Pick<Paymaster, 'accountId'>): Promise<ContractAbi> {
    const { limits, selectorOf } = this;
    return ContractAbi.read(abi, { limits, selectorOf, pieces: this.work.of(accountId) });
  }

  /** After the write, in its transaction, which holds the paymaster's row: what is refused is rolled back. */
  private async refuseBeyondLimits(manager: EntityManager, paymaster: Paymaster): Promise<void> {
    assertWithinLimits(await this.contracts.usageOf(manager, paymaster.id), this.limits);
  }

  private async findOrFail(manager: EntityManager, paymaster: Paymaster, address: string): Promise<SmartContract> {
    const contract = await this.contracts.find(manager, paymaster.id, normalizeAddress(address));
    if (!contract) throw new SmartContractNotFoundError();
    return contract;
  }
}
