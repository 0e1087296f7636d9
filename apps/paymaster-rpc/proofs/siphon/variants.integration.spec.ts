import { numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { getUserOperationHash } from 'viem/account-abstraction';
import { CANONICAL_DELEGATE, rpc } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  EIP7702_MARKER,
  normalizeAddress,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { rulesPolicyBuilder } from '@paymaster/domain/testing';
import { executeCall } from '../../src/testing/rpc-call';
import { withPaymaster } from './accounts';
import { Adversary, randomFrom } from './adversary';
import { SiphonWorld, type CountedOperation, type Haul } from './siphon-world';

const BASE_FEE_WEI = 15_000_000_000n;

let siphon: SiphonWorld;
beforeAll(async () => {
  siphon = await SiphonWorld.start();
  await siphon.setBaseFee(BASE_FEE_WEI);
});
afterAll(() => siphon?.stop());

/** Our own answer has a tenth more than `preVerificationGas` takes. */
const MOST_OF_ONE = 1.1;
const SOME_SIGNATURE: Hex = `0x${'ff'.repeat(65)}`;

/** What the EntryPoint paid him without what was counted as excess, by what he paid. */
function multipleOf({ asked }: CountedOperation, haul: Haul | undefined): number {
  if (!haul) throw new Error('the bundle reverted');
  return Number(((haul.receivedWei - asked.excessWei) * 10_000n) / haul.costWei) / 10_000;
}

/** Asks again with the limit that a refusal names. */
async function granted(draft: UserOperation): Promise<CountedOperation> {
  let operation = draft;
  for (let asked = 0; asked < 24; asked++) {
    const answer = await siphon.ask(operation);
    if (!('reason' in answer)) return answer;
    if (answer.reason === 'OPERATION_COST_CAP_EXCEEDED')
      operation = { ...operation, callGasLimit: (operation.callGasLimit * 9n) / 10n };
    else if (answer.field && answer.limit !== undefined) operation = { ...operation, [answer.field]: answer.limit };
    else throw new Error(`refused: ${answer.reason} ${answer.field}`);
  }
  throw new Error('never granted');
}

const FIELDS = {
  ...{ callGasLimit: 5_000_000n, verificationGasLimit: 100_000n, preVerificationGas: 1_000_000n },
  ...{ maxFeePerGas: 2n * BASE_FEE_WEI, maxPriorityFeePerGas: BASE_FEE_WEI / 100n },
};

describe.each(['0.7', '0.8', '0.9'] as const)('on v%s a batch of cheap calls', (version) => {
  it.each([4, 5, 6])('brings him nothing that is not counted if there are %s', async (listedCalls) => {
    const adversary = new Adversary(siphon, { version, baseFeeWei: BASE_FEE_WEI }, randomFrom(1), {
      ...{ account: 'simple', callGas: 1, listedCalls, callGasLimit: Number(FIELDS.callGasLimit), maxFee: 'tight' },
    });
    await adversary.search(1);
    const [first] = Object.values(adversary.best);
    // The account's second operation spends less than the first.
    const second = first && (await adversary.carryOut(first.plan));
    expect(second?.multiple).toBeLessThanOrEqual(second?.most ?? 0);
  });
});

describe('an account that delegates already', () => {
  it.each([
    ['nothing', {}],
    ['an authorization', { authorizes: true }],
    ['an authorization and the marker', { authorizes: true, isMarked: true }],
  ])(
    'brings him hardly more than it costs if its operation has %s',
    async (_title, { authorizes, isMarked }: Named) => {
      const owner = privateKeyToAccount(generatePrivateKey());
      const sender = normalizeAddress(owner.address);
      siphon.newPaymaster({ policies: [rulesPolicyBuilder({ eip7702Delegates: [CANONICAL_DELEGATE] }).build()] });
      await rpc(siphon.world.anvil.url, 'anvil_setCode', [sender, `0xef0100${CANONICAL_DELEGATE.slice(2)}`]);
      const callData = executeCall({ to: siphon.world.demo.address, data: siphon.world.demo.callData });
      const eip7702Auth = await wireAuthorization(owner);
      for (let round = 0; round < 2; round++) {
        const paid = await granted({
          ...{
            ...FIELDS,
            callGasLimit: 34_000n,
            callData,
            sender,
            signature: SOME_SIGNATURE,
            entryPointVersion: '0.8',
          },
          nonce: await siphon.nextNonce('0.8', sender),
          ...(authorizes && { eip7702Auth: eip7702Auth as never }),
          ...(isMarked && { factory: EIP7702_MARKER, factoryData: '0x' }),
        });
        const hash = getUserOperationHash({
          ...{ chainId: 31337, entryPointAddress: CANONICAL_ENTRY_POINTS['0.8'], entryPointVersion: '0.8' },
          userOperation: {
            ...withPaymaster(paid),
            ...(isMarked && { authorization: { address: CANONICAL_DELEGATE } }),
          } as never,
        });
        const signature = await owner.sign({ hash });
        const haul = await siphon.land([{ ...paid, operation: { ...paid.operation, signature } }]);
        expect(multipleOf(paid, haul)).toBeLessThanOrEqual(MOST_OF_ONE);
      }
    },
  );
});

interface Named {
  readonly authorizes?: boolean;
  readonly isMarked?: boolean;
}

/** As clients write it. It need not come into force. */
async function wireAuthorization(owner: PrivateKeyAccount): Promise<Record<string, string>> {
  const authorization = { chainId: 31337, nonce: 0, address: CANONICAL_DELEGATE };
  const { chainId, address, nonce, r, s, yParity = 0 } = await owner.signAuthorization(authorization);
  const [numbers, values] = [
    { chainId, nonce, yParity },
    { address, r, s },
  ];
  return { ...values, ...Object.fromEntries(Object.entries(numbers).map(([name, each]) => [name, numberToHex(each)])) };
}
