import { encodeFunctionData, numberToHex, slice } from 'viem';
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
import { executeCall } from '../testing/rpc-call';
import { testContracts } from '../testing/compile-contracts';
import type { PaidOperation } from '../testing/token-call';
import { SiphonAccounts, withPaymaster, type Account } from './accounts';
import { Adversary, randomFrom } from './adversary';
import { SiphonWorld, type Haul } from './siphon-world';

const BASE_FEE_WEI = 15_000_000_000n;
const WORK: Hex = '0x5858d161';

let siphon: SiphonWorld;
beforeAll(async () => {
  siphon = await SiphonWorld.start();
  await siphon.setBaseFee(BASE_FEE_WEI);
});
afterAll(() => siphon?.stop());

const MOST_OF_ONE = 1.1;
const SOME_SIGNATURE: Hex = `0x${'ff'.repeat(65)}`;

function multipleOf(haul: Haul | undefined): number {
  if (!haul) throw new Error('the bundle reverted');
  return Number((haul.receivedWei * 10_000n) / haul.costWei) / 10_000;
}

const workOf = (gas: bigint): Hex =>
  encodeFunctionData({ abi: testContracts().SiphonTarget.abi, functionName: 'work', args: [gas] });

/** Asks again with the limit that a refusal names. */
async function granted(draft: UserOperation): Promise<PaidOperation> {
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

describe.each(['0.7', '0.8', '0.9'] as const)(
  'on v%s a method that takes as much gas as its argument says',
  (version) => {
    it.each([
      // Up to this gas, one measurement counts for every call of a method (docs/threats.md).
      [40_000n, 1.15],
      [100_000n, MOST_OF_ONE],
      [4_000_000n, MOST_OF_ONE],
    ])(
      'that was measured with %s gas and lands with little brings him at most %s times what it costs',
      async (dearGas, most) => {
        const accounts = new SiphonAccounts(siphon);
        const target = await accounts.deploy('SiphonTarget');
        siphon.newPaymaster({ contracts: [{ address: target, selectors: [WORK] }] });
        const [dear, cheap] = [await accounts.make('simple', version), await accounts.make('simple', version)];
        const draft = async (account: Account, gas: bigint): Promise<UserOperation> => ({
          ...FIELDS,
          maxFeePerGas: BASE_FEE_WEI + FIELDS.maxPriorityFeePerGas,
          ...{
            sender: account.sender,
            nonce: await siphon.nextNonce(version, account.sender),
            signature: SOME_SIGNATURE,
          },
          ...{ entryPointVersion: version, callData: await account.encode([{ to: target, data: workOf(gas) }]) },
        });
        const first = await granted(await draft(cheap, 0n));
        await siphon.land([{ ...first, operation: { ...first.operation, signature: await cheap.sign(first) } }]);

        const { callGasLimit } = (await granted(await draft(dear, dearGas))).operation;
        const paid = await granted({ ...(await draft(cheap, 0n)), callGasLimit });
        const haul = await siphon.land([
          { ...paid, operation: { ...paid.operation, signature: await cheap.sign(paid) } },
        ]);
        expect(multipleOf(haul)).toBeLessThanOrEqual(most);
      },
    );
  },
);

describe.each(['0.7', '0.8', '0.9'] as const)('on v%s a method that burns all gas when it fails', (version) => {
  it('brings him at most 1.15 times what it costs if it fails when it is measured and then does not', async () => {
    const accounts = new SiphonAccounts(siphon);
    const target = await accounts.deploy('SiphonTarget');
    const { abi } = testContracts().SiphonTarget;
    const data = encodeFunctionData({ abi, functionName: 'check' });
    siphon.newPaymaster({ contracts: [{ address: target, selectors: [slice(data, 0, 4)] }] });
    const turn = (isOff: boolean) =>
      siphon.send({
        to: target,
        data: encodeFunctionData({ abi, functionName: 'turn', args: [isOff] }),
        gas: 100_000n,
      });
    const account = await accounts.make('simple', version);
    await turn(true);
    const paid = await granted({
      ...FIELDS,
      maxFeePerGas: BASE_FEE_WEI + FIELDS.maxPriorityFeePerGas,
      ...{ sender: account.sender, nonce: await siphon.nextNonce(version, account.sender), signature: SOME_SIGNATURE },
      ...{ entryPointVersion: version, callData: await account.encode([{ to: target, data }]) },
    });
    await turn(false);
    const haul = await siphon.land([
      { ...paid, operation: { ...paid.operation, signature: await account.sign(paid) } },
    ]);
    expect(multipleOf(haul)).toBeLessThanOrEqual(1.15);
  });
});

describe.each(['0.7', '0.8', '0.9'] as const)('on v%s a batch of cheap calls', (version) => {
  // Alto's estimates of honest batches need what is counted for each call (viem-client.alone.spec.ts).
  it.each([4, 5, 6])('brings him at most 1.12 times what it costs if there are %s', async (listedCalls) => {
    const adversary = new Adversary(siphon, { version, baseFeeWei: BASE_FEE_WEI }, randomFrom(1), {
      ...{ account: 'simple', callGas: 1, listedCalls, callGasLimit: Number(FIELDS.callGasLimit), maxFee: 'tight' },
    });
    await adversary.search(1);
    const [first] = Object.values(adversary.best);
    // The account's second operation spends less than the first.
    const second = first && (await adversary.carryOut(first.plan));
    expect(second?.multiple).toBeLessThanOrEqual(1.12);
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
        expect(multipleOf(haul)).toBeLessThanOrEqual(MOST_OF_ONE);
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
