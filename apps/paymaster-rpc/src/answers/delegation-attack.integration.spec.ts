import { demoTokenAbi } from '@paymaster/contract-abis';
import { DEV_KEYS, fundingBalanceWei, rpc } from '@paymaster/devnet';
import {
  DEFAULT_PAYMASTER_SETTINGS,
  delegationTo,
  EIP7702_MARKER,
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { randomAddress, rulesPolicyBuilder } from '@paymaster/domain/testing';
import { numberToHex, parseUnits, type Abi } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { sponsoredMode } from '../testing/rpc-call';
import { biconomyCall, erc20Mode, paidOperation } from '../testing/token-call';
import { startTokenWorld, type TokenWorld } from '../testing/token-world';
import { handleOps } from '../../proofs/attacks/testing/bundle';
import { draftOperation } from '../../proofs/attacks/testing/draft-operation';
import type { ContractCall } from '../testing/token-chain';

/** Code that accepts every operation and every call as valid. */
const HOSTILE_CODE = '0x60003560e01c6319822f7c146015576001600055005b60206000f3';
const CHAIN_ID = 31337;
const MARKED = { factory: EIP7702_MARKER, factoryData: '0x' } as const;
const NOT_SPONSORED = 'EIP7702_NOT_SPONSORED';
const GRANTED = 'granted';

type Payment = 'sponsored' | 'by allowance' | 'by batch approval';

/** When the sender delegates to the hostile contract; at the latest in the transaction that lands the operation. */
const MOMENTS = [
  'before the service is asked',
  'after it has signed',
  'instead of the authorization that it was shown',
  'instead of the delegation that it found',
] as const;

interface Attack {
  readonly moment: (typeof MOMENTS)[number];
  readonly marked: boolean;
  /** Whether a policy lists the honest delegate. No policy lists the hostile one. */
  readonly listed: boolean;
}

function attacksOn(version: EntryPointVersion): readonly Attack[] {
  // Operations of v0.6 carry no authorization, and those of v0.8 alone a marker.
  const moments = MOMENTS.filter((moment) => version !== '0.6' || !moment.includes('authorization'));
  const markers = version === '0.8' ? [false, true] : [false];
  return moments.flatMap((moment) =>
    markers.flatMap((marked) => [true, false].map((listed) => ({ moment, marked, listed }))),
  );
}

/** The gateway's answer. Where it grants, the chain refuses the hostile delegate. */
function outcomeOf({ moment, marked, listed }: Attack, payment: Payment): string {
  if (moment === 'instead of the authorization that it was shown') return listed ? GRANTED : NOT_SPONSORED;
  const isHonest = moment === 'instead of the delegation that it found';
  if (marked) return isHonest && listed ? GRANTED : NOT_SPONSORED;
  if (isHonest) return GRANTED;
  const isBare = moment === 'after it has signed';
  if (listed) return isBare ? 'ACCOUNT_NOT_DEPLOYED' : NOT_SPONSORED;
  // The gateway does not read the account's code here. A payment in tokens is simulated, with the code that the chain
  // has.
  if (payment === 'sponsored') return GRANTED;
  if (isBare) return 'VALIDATION_SIMULATION_FAILED';
  return payment === 'by batch approval' ? 'TOKEN_ALLOWANCE_TOO_LOW' : GRANTED;
}

let world: TokenWorld;
let honest: Address;
let hostile: Address;
const wallet = normalizeAddress(DEV_KEYS.fundingWallet.address);

beforeAll(async () => {
  world = await startTokenWorld();
  world.node.beHonest();
  honest = await world.newHolder();
  hostile = randomAddress();
  await runs(hostile, HOSTILE_CODE);
});
afterAll(() => world?.stop());

const runs = (account: Address, code: Hex) => rpc(world.anvil.url, 'anvil_setCode', [account, code]);
const codeOf = (account: Address) => rpc<Hex>(world.anvil.url, 'eth_getCode', [account, 'latest']);
const etherOf = (version: EntryPointVersion): Promise<bigint> =>
  fundingBalanceWei({ reader: world.chain.reader } as never, {
    paymaster: world.paymasters[version],
    fundingWallet: wallet,
  });
const onToken = (name: string, args: readonly unknown[]): ContractCall => ({
  ...{ to: world.tokens.DAIx.address, abi: demoTokenAbi as Abi, name, args },
});
const approve = (version: EntryPointVersion) => onToken('approve', [world.paymasters[version], 10n ** 30n]);
const increment = (): ContractCall => ({
  ...{ to: world.demo.address, name: 'increment' },
  abi: [{ type: 'function', name: 'increment', inputs: [], outputs: [], stateMutability: 'nonpayable' }],
});

/** A key account without code. Where it pays by allowance it has tokens and has approved them. */
async function newSender(version: EntryPointVersion, payment: Payment) {
  const key = privateKeyToAccount(generatePrivateKey());
  const sender = normalizeAddress(key.address);
  if (payment === 'sponsored') return { key, sender };
  await world.chain.call(onToken('mint', [sender, parseUnits('1000', 18)]));
  if (payment === 'by allowance') {
    await runs(sender, delegationTo(honest));
    await world.chain.asAccount(sender, approve(version));
    await runs(sender, '0x');
  }
  return { key, sender };
}

/** As viem writes it. */
async function authorizationOf(key: PrivateKeyAccount) {
  const { r, s, yParity = 0 } = await key.signAuthorization({ address: honest, chainId: CHAIN_ID, nonce: 0 });
  return { address: honest, chainId: numberToHex(CHAIN_ID), nonce: '0x0', r, s, yParity: numberToHex(yParity) };
}

describe.each(ENTRY_POINT_VERSIONS)('on v%s', (version) => {
  describe.each(['sponsored', 'by allowance', 'by batch approval'] as const)('%s', (payment) => {
    it.each(attacksOn(version))(
      "a sender that delegates $moment runs nothing at the wallet's cost (marked: $marked, honest one listed: $listed)",
      async (attack) => {
        const { moment, marked, listed } = attack;
        const { key, sender } = await newSender(version, payment);
        const calls = payment === 'by batch approval' ? [approve(version), increment()] : [increment()];
        const drafted = await draftOperation(world.chain, { version, sender, calls });
        const operation = { ...drafted, ...(marked && MARKED) } as UserOperation;
        const isShown = moment === 'instead of the authorization that it was shown';
        const shown = isShown && { eip7702Auth: await authorizationOf(key) };
        if (moment === 'before the service is asked') await runs(sender, delegationTo(hostile));
        if (moment === 'instead of the delegation that it found') await runs(sender, delegationTo(honest));

        const { apiKey } = world.newPaymaster({
          policies: [rulesPolicyBuilder({ eip7702Delegates: listed ? [honest] : [] }).build()],
          settings: { ...DEFAULT_PAYMASTER_SETTINGS, allowUnknownFactories: true },
        });
        const inTokens = erc20Mode({ feeTokenAddress: world.tokens.DAIx.address });
        const answer = await biconomyCall('pm_sponsorUserOperation', {
          url: `${world.url}/api/v2/${CHAIN_ID}/${apiKey}`,
          operation: { ...operation, ...shown } as UserOperation,
          mode: payment === 'sponsored' ? sponsoredMode() : inTokens,
        });
        expect(answer.json.result ? GRANTED : answer.json.error?.data['reason']).toBe(outcomeOf(attack, payment));
        if (!answer.json.result) return;

        const paid = paidOperation(operation, answer);
        const before = await etherOf(version);
        await runs(sender, delegationTo(hostile));
        await expect(handleOps(world.chain, [paid])).rejects.toThrow();
        expect(await etherOf(version)).toBe(before);
        // With the delegate of the signature it lands, which shows that only the delegate was the reason.
        await runs(sender, listed ? delegationTo(honest) : await codeOf(honest));
        expect(await handleOps(world.chain, [paid])).toMatchObject([{ success: true, postOpReverted: false }]);
      },
    );
  });
});
