import { ChainHead, ChainProvider } from '@paymaster/chain';
import { hybridPaymasterV07Abi } from '@paymaster/contract-abis';
import {
  connectDevChain,
  deployCanonicalContracts,
  deployPaymasters,
  DEV_KEYS,
  startAnvil,
  type Anvil,
} from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
} from '@paymaster/domain';
import { handleOps, type PaidOperation } from '../attacks/testing/bundle';
import { testContracts } from '../attacks/testing/compile-contracts';
import { draftOperation } from '../attacks/testing/draft-operation';
import { signBatchApproval } from '../attacks/testing/sign-directly';
import { TokenChain, type ContractCall } from '../attacks/testing/token-chain';
import { TokenExposure } from './token-exposure';
import type { TokenPaidOperation } from './token-payment-logs';
import { TokenPaymentWatcher } from './token-payment-watcher';

const BLOCK_TIME_SECONDS = 3;
const CONFIRMATIONS = 5;
const ETHER = 10n ** 18n;
const MAX = 2n ** 256n - 1n;
const fundingWallet = normalizeAddress(DEV_KEYS.fundingWallet.address);

describe.each(ENTRY_POINT_VERSIONS)(
  'TokenPaymentWatcher on a chain with the real contracts, EntryPoint v%s',
  (version) => {
    const token = testContracts().WeirdToken;
    let anvil: Anvil;
    let chain: TokenChain;
    let entryPoints: Record<EntryPointVersion, { entryPoint: Address; paymaster: Address }>;
    let tokenAddress: Address;
    let account: Address;
    let exposure: TokenExposure;
    let watcher: TokenPaymentWatcher;
    let head: ChainHead;
    let dues: Array<TokenPaidOperation & { dueWei: bigint }>;

    beforeAll(async () => {
      anvil = await startAnvil({ blockTimeSeconds: 0 });
      const owner = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
      await deployCanonicalContracts(owner);
      const paymasters = await deployPaymasters(owner, { signer: DEV_KEYS.signer.address, fundingWallet });
      entryPoints = Object.fromEntries(
        ENTRY_POINT_VERSIONS.map((each) => [
          each,
          { entryPoint: CANONICAL_ENTRY_POINTS[each], paymaster: normalizeAddress(paymasters[each]) },
        ]),
      ) as typeof entryPoints;
      chain = new TokenChain(anvil.url);
      tokenAddress = await chain.newToken(18);
    });
    afterAll(() => anvil?.stop());

    beforeEach(async () => {
      const provider = new ChainProvider({ chainId: 31337, rpcUrls: [anvil.url] });
      const config = { chainId: 31337, blockTimeSeconds: BLOCK_TIME_SECONDS, maxHeadAgeSeconds: 600, entryPoints };
      head = new ChainHead(config, provider);
      exposure = new TokenExposure();
      dues = [];
      watcher = new TokenPaymentWatcher(exposure, head, provider, config, { onDue: (due) => void dues.push(due) });
      await look();
      account = await chain.newAccount();
      await chain.call({ ...call('mint', [account, ETHER]) });
    });

    const call = (name: string, args: readonly unknown[]): ContractCall => ({
      to: tokenAddress,
      abi: token.abi,
      name,
      args,
    });
    const approve = (): ContractCall => call('approve', [entryPoints[version].paymaster, MAX]);
    const look = async (): Promise<void> => {
      await head.refresh();
      await watcher.catchUp();
    };
    const confirm = async (): Promise<void> => {
      await chain.mine(CONFIRMATIONS);
      await look();
    };
    const standing = () => exposure.of({ fundingWallet, token: tokenAddress });

    /** Signs an operation and holds its precharge, as the gateway does. */
    const signed = async (calls: readonly ContractCall[]): Promise<PaidOperation & { prechargeWei: bigint }> => {
      const validUntilSeconds = (await chain.nowSeconds()) + 300;
      const operation = await draftOperation(chain, { version, sender: account, calls });
      const contracts = entryPoints[version];
      const paid = await signBatchApproval({
        ...{ operation, token: tokenAddress, fundingWallet, contracts, validUntilSeconds },
      });
      exposure.reserve({
        ...{
          fundingWallet,
          entryPoint: contracts.entryPoint,
          sender: account,
          nonce: operation.nonce,
          token: tokenAddress,
        },
        ...{ prechargeWei: paid.prechargeWei, validUntilSeconds, capWei: ETHER, senderCapWei: ETHER },
      });
      return paid;
    };
    const isBlocked = async (): Promise<boolean> =>
      signed([approve()]).then(
        () => false,
        (error: { reason: string }) => error.reason === 'SENDER_BLOCKED_IN_TOKEN_MODE',
      );

    it('releases an operation that approved in its batch and paid, when it is confirmed', async () => {
      const [landed] = await handleOps(chain, [await signed([approve()])]);
      expect(landed).toMatchObject({ success: true, due: undefined, postOpReverted: false });
      expect(landed?.paid?.charged).toBeGreaterThan(0n);
      await look();
      expect(standing().holds).toBe(1);
      await confirm();
      expect(standing()).toEqual({ liveWei: 0n, dueWei: 0n, holds: 0 });
      expect(dues).toEqual([]);
    });

    it('counts an operation whose calls reverted, approval and all, and does not block its sender', async () => {
      const paid = await signed([approve(), call('transfer', [account, 2n * ETHER])]);
      const [landed] = await handleOps(chain, [paid]);
      expect(landed).toMatchObject({ success: false, paid: undefined, due: { callsSucceeded: false } });
      await look();
      expect(standing()).toEqual({ liveWei: 0n, dueWei: paid.prechargeWei, holds: 0 });
      expect(dues).toMatchObject([{ payment: 'due', sender: account, userOpHash: landed?.userOpHash }]);
      expect(await isBlocked()).toBe(false);
    });

    it('counts and blocks a sender whose calls succeeded and took the allowance back', async () => {
      const paid = await signed([approve(), call('approve', [entryPoints[version].paymaster, 0n])]);
      const [landed] = await handleOps(chain, [paid]);
      expect(landed).toMatchObject({ success: false, paid: undefined, postOpReverted: version !== '0.6' });
      await look();
      expect(standing().dueWei).toBe(paid.prechargeWei);
      expect(dues).toMatchObject([{ payment: 'taken', dueWei: paid.prechargeWei }]);
      expect(await isBlocked()).toBe(true);
    });

    it('holds at least what the wallet is out of pocket for', async () => {
      const { paymaster } = entryPoints[version];
      const balance = () =>
        chain.read<bigint>({ to: paymaster, abi: hybridPaymasterV07Abi, name: 'balanceOf', args: [fundingWallet] });
      const before = await balance();
      const paid = await signed([approve(), call('transfer', [normalizeAddress(DEV_KEYS.owner.address), ETHER])]);
      await handleOps(chain, [paid]);
      await look();
      const lostWei = before - (await balance());
      expect(lostWei).toBeGreaterThan(0n);
      expect(standing().dueWei).toBeGreaterThanOrEqual(lostWei);
    });

    it('ends what never landed when its time has passed on chain', async () => {
      await signed([approve()]);
      await chain.passSeconds(331);
      await look();
      expect(standing().holds).toBe(1);
      await confirm();
      expect(standing().holds).toBe(0);
    });
  },
);
