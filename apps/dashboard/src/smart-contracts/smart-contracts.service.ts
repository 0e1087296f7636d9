import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { normalizeAddress } from '@paymaster/domain';
import type { EntityManager } from 'typeorm';
import { SupportedChains } from '../chains/supported-chains';
import { DashboardConfig } from '../config/dashboard.config';
import { onUniqueViolation } from '../database/unique-violation';
import type { Editor } from '../http/caller';
import {
  InvalidBodyError,
  SmartContractAddressExistsError,
  SmartContractNameExistsError,
  SmartContractNotFoundError,
} from '../http/dashboard-errors';
import type { Paymaster } from '../paymasters/paymaster';
import { PolicyWriter, type PolicyWrite } from '../policy-snapshots/policy-writer';
import { ContractAbi } from './abi/contract-abi';
import { SELECTOR_OF, type SelectorOf } from './abi/selector';
import { assertWithinLimits, type ContractsLimits } from './contracts-limits';
import type { SmartContract } from './smart-contract';
import type { CreateSmartContractDto, DeleteSmartContractDto, UpdateWhitelistDto } from './smart-contract.dto';
import { toContractChange, toSmartContractView, type SmartContractView } from './smart-contract.view';
import { SmartContractsRepository } from './smart-contracts.repository';

type Limits = ContractsLimits & Pick<DashboardConfig, 'maxAbiBytes' | 'maxAbiItems'>;

export interface ContractsReplacement {
  readonly write: PolicyWrite;
  readonly paymaster: Paymaster;
  /** All there are to be. */
  readonly requests: readonly CreateSmartContractDto[];
}

interface ContractInBody {
  readonly where: string;
  readonly paymaster: Paymaster;
  readonly request: CreateSmartContractDto;
}

const TAKEN = {
  smart_contracts_paymaster_id_address_key: () => new SmartContractAddressExistsError(),
  smart_contracts_paymaster_id_name_key: () => new SmartContractNameExistsError(),
};

/** Operations 3, 4, 5 and 7: the contracts of a paymaster and what of them is sponsored. */
@Injectable()
export class SmartContractsService {
  constructor(
    @Inject(SmartContractsRepository) private readonly contracts: SmartContractsRepository,
    @Inject(PolicyWriter) private readonly policies: PolicyWriter,
    @Inject(SupportedChains) private readonly chains: SupportedChains,
    @Inject(SELECTOR_OF) private readonly selectorOf: SelectorOf,
    @Inject(DashboardConfig) private readonly limits: Limits,
  ) {}

  async list(paymaster: Paymaster): Promise<SmartContractView[]> {
    return (await this.contracts.listOf(paymaster.id)).map(toSmartContractView);
  }

  /**
   * @throws {InvalidBodyError} {@link SmartContractAddressExistsError} {@link SmartContractNameExistsError}
   *   {@link LimitReachedError}
   */
  async create({ paymaster, actor }: Editor, request: CreateSmartContractDto): Promise<void> {
    const contract = this.build(paymaster, request);
    await onUniqueViolation(TAKEN, () =>
      this.policies.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
        await this.contracts.insert(manager, contract);
        await this.refuseBeyondLimits(manager, paymaster);
        record(toContractChange(null, contract));
      }),
    );
  }

  /** Replaces the whitelist. @throws {SmartContractNotFoundError} {@link InvalidBodyError} {@link LimitReachedError} */
  async updateWhitelist({ paymaster, actor }: Editor, request: UpdateWhitelistDto): Promise<SmartContractView> {
    const target = { paymasterId: paymaster.id, actor };
    const updated = await this.policies.write(target, async ({ manager, record }) => {
      const contract = await this.findOrFail(manager, paymaster, request.address);
      const whitelist = this.parse(contract.abi).whitelist(request.whitelistedMethods);
      await this.contracts.update(manager, { ...contract, ...whitelist });
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
      await this.contracts.delete(manager, contract.id);
      record(toContractChange(contract, null));
    });
  }

  /**
   * Makes the contracts of a paymaster exactly these, within a write that goes on.
   *
   * @throws {InvalidBodyError} {@link SmartContractNameExistsError} {@link LimitReachedError}
   */
  async replaceAll({ write: { manager, record }, paymaster, requests }: ContractsReplacement): Promise<void> {
    const present = await this.contracts.listOf(paymaster.id, manager);
    const wanted: SmartContract[] = [];
    for (const [at, request] of requests.entries()) {
      wanted.push(this.buildAt({ where: `contracts.${at}`, paymaster, request }));
      // Other requests get their turn: the ABIs that are there already can be many times as long as a body.
      await setImmediate();
    }
    const gone = present.filter(({ address }) => !wanted.some((each) => each.address === address));
    for (const contract of gone) {
      await this.contracts.delete(manager, contract.id);
      record(toContractChange(contract, null));
    }
    for (const contract of wanted) {
      const before = present.find(({ address }) => address === contract.address);
      const write = before
        ? () => this.contracts.update(manager, { ...contract, id: before.id })
        : () => this.contracts.insert(manager, contract);
      await onUniqueViolation(TAKEN, write);
      record(before ? toContractChange(before, contract) : toContractChange(null, contract));
    }
    await this.refuseBeyondLimits(manager, paymaster);
  }

  private build(
    paymaster: Paymaster,
    { name, address, abi, whitelistedMethods }: CreateSmartContractDto,
  ): SmartContract {
    const normalized = normalizeAddress(address);
    if (this.chains.isInfrastructure(paymaster.chainId, normalized)) {
      throw new InvalidBodyError('address must not be an EntryPoint or a paymaster of this platform');
    }
    const contractAbi = this.parse(abi);
    return {
      id: randomUUID(),
      paymasterId: paymaster.id,
      name,
      address: normalized,
      abi,
      methods: contractAbi.methods,
      ...contractAbi.whitelist(whitelistedMethods ?? []),
    };
  }

  /** @throws {InvalidBodyError} with the place in a body that holds several */
  private buildAt({ where, paymaster, request }: ContractInBody): SmartContract {
    try {
      return this.build(paymaster, request);
    } catch (error) {
      throw error instanceof InvalidBodyError ? new InvalidBodyError(`${where}: ${error.message}`) : error;
    }
  }

  private parse(abi: string): ContractAbi {
    return new ContractAbi(abi, this.limits, this.selectorOf);
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
