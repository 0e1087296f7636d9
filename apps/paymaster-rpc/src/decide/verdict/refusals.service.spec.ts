import {
  DependencyUnavailableError,
  FundingWalletError,
  InvalidParamsError,
  refusedAfter,
  SimulationFailedError,
  SponsorshipRefusedError,
  type Address,
} from '@paymaster/domain';
import { policySnapshotBuilder, randomAddress, userOperationV07Builder } from '@paymaster/domain/testing';
import type { Caller } from '../../callers/caller';
import { Refusals } from './refusals.service';

const snapshot = policySnapshotBuilder().with('version', 3).build();
const caller = { requestId: 'r', chain: { config: { chainId: 7 } }, paymaster: { snapshot } } as unknown as Caller;
const operation = userOperationV07Builder('0.7').build();

/** What the ledger records of an attempt that ends with that error. */
async function told(error: Error, token?: Address): Promise<unknown[]> {
  const events: unknown[] = [];
  const refusals = new Refusals({ recordRefusal: (event) => events.push(event) });
  const mode = token ? ('token' as const) : ('sponsored' as const);
  const question = { caller, operation, account: undefined, mode, token };
  await expect(refusals.watch(question, () => Promise.reject(error))).rejects.toBe(error);
  return events;
}

describe('Refusals', () => {
  it('records a refusal by the policy, with its trace and amounts as text', async () => {
    const trace = [{ rule: 'operationCostCap', input: '9 <= 5 wei', outcome: 'refuse' as const }];
    const error = new SponsorshipRefusedError('OPERATION_COST_CAP_EXCEEDED', 'too dear', trace, { limit: 5n, used: 9 });
    expect(await told(refusedAfter({ trace: [], prechargeWei: 9n }, error))).toEqual([
      {
        ...{ kind: 'refused', reservationId: null, chainId: 7, paymasterId: snapshot.paymasterId, requestId: 'r' },
        ...{ mode: 'sponsored', sender: operation.sender, nonce: operation.nonce.toString(), entryPointVersion: '0.7' },
        ...{ reason: 'OPERATION_COST_CAP_EXCEEDED', message: 'too dear', trace, policyVersion: 3 },
        ...{ prechargeWei: '9', details: { limit: '5', used: '9' }, targets: [] },
      },
    ]);
  });

  it('records a refusal because of the wallet, also before the cost was known', async () => {
    const error = new FundingWalletError('FUNDING_WALLET_MISSING', 'no wallet');
    const token = randomAddress();
    expect(await told(error, token)).toMatchObject([
      { reason: 'FUNDING_WALLET_MISSING', mode: 'token', token, prechargeWei: null, trace: [] },
    ]);
  });

  it('records what the stages before the refusing one had found, and not what a later one knows', async () => {
    const trace = [{ rule: 'calls', input: '1', outcome: 'pass' as const }];
    const error = refusedAfter({ trace, prechargeWei: 9n }, new FundingWalletError('FUNDING_WALLET_MISSING', 'none'));
    expect(await told(refusedAfter({ trace: [], prechargeWei: 8n }, error))).toMatchObject([
      { prechargeWei: '9', trace },
    ]);
  });

  it.each([
    new InvalidParamsError('params[0].nonce', 'wrong'),
    new SimulationFailedError('EXECUTION_SIMULATION_FAILED', 'reverts'),
    new DependencyUnavailableError('database', 'down'),
    new Error('a fault of ours'),
  ])('records nothing for %p', async (error) => {
    expect(await told(error)).toEqual([]);
  });
});
