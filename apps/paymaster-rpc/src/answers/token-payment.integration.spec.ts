import {
  AgreedChain,
  BlockSource,
  decodePaymasterAndData,
  encodePaymasterAndData,
  isTokenFields,
  TOKEN_GAS_CONSTANTS,
  type TokenFields,
} from '@paymaster/chain';
import { FakeRpcServer } from '@paymaster/chain/testing';
import { demoTokenAbi, hybridPaymasterV07Abi } from '@paymaster/contract-abis';
import { DEV_KEYS, fundingBalanceWei, rpc } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_PAYMASTER_SETTINGS,
  DEFAULT_TOKEN_TRANSFER_GAS,
  delegationTo,
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  tokenChargeBaseUnits,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { randomAddress, rulesPolicyBuilder, until } from '@paymaster/domain/testing';
import { concat, numberToHex, parseUnits, type Abi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { call, type RpcAnswer } from '../testing/rpc-call';
import {
  approvalOf,
  biconomyCall,
  erc20Mode,
  paidOperation,
  quotesOf,
  toWire,
  type WireQuote,
} from '../testing/token-call';
import { startTokenWorld, type ListedToken, type TokenWorld } from '../testing/token-world';
import type { PaidOperation } from '../testing/token-call';
import { handleOps } from '../../proofs/attacks/testing/bundle';
import { draftOperation } from '../../proofs/attacks/testing/draft-operation';
import type { ContractCall } from '../testing/token-chain';

const wallet = normalizeAddress(DEV_KEYS.fundingWallet.address);
const owner = privateKeyToAccount(DEV_KEYS.bundlerExecutor.privateKey);
const NO_LIMITS = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n };

describe('payments in tokens', () => {
  let world: TokenWorld;

  beforeAll(async () => {
    // Alto answers estimates; the test itself does everything else that a bundler does.
    world = await startTokenWorld({ realBundler: true });
  });
  afterAll(() => world?.stop());

  const urlOf = (apiKey = world.newPaymaster().apiKey): string => `${world.url}/api/v2/31337/${apiKey}`;
  const onToken = (token: ListedToken, name: string, args: readonly unknown[]): ContractCall => ({
    ...{ to: token.address, abi: demoTokenAbi as Abi, name, args },
  });
  const increment = (): ContractCall => ({
    ...{ to: world.demo.address, name: 'increment' },
    abi: [{ type: 'function', name: 'increment', inputs: [], outputs: [], stateMutability: 'nonpayable' }],
  });
  const holder = (token: ListedToken): Promise<Address> =>
    world.newHolder({ token, baseUnits: parseUnits('1000', token.decimals) });
  const approve = (token: ListedToken, version: EntryPointVersion, amount: bigint): ContractCall =>
    onToken(token, 'approve', [world.paymasters[version], amount]);
  const draft = (version: EntryPointVersion, sender: Address, calls: readonly ContractCall[]): Promise<UserOperation> =>
    draftOperation(world.chain, { version, sender, calls });
  const pay = (
    operation: UserOperation,
    token: ListedToken,
    options: { url?: string; mode?: object; permit?: object } = {},
  ) =>
    biconomyCall('pm_sponsorUserOperation', {
      url: options.url ?? urlOf(),
      operation,
      mode: erc20Mode({ feeTokenAddress: token.address, permit: options.permit }, options.mode),
    });
  const quote = async (operation: UserOperation, token: ListedToken, url: string, mode = {}): Promise<WireQuote> => {
    const tokenInfo = { preferredToken: token.address, tokenList: [token.address] };
    const answer = await biconomyCall('pm_getFeeQuoteOrData', { url, operation, mode: erc20Mode(tokenInfo, mode) });
    const [first] = quotesOf(answer);
    if (!first) throw new Error(answer.text);
    return first;
  };
  /** A new holder asks for a quote, approves it in the batch, and has all limits estimated. */
  async function payInBatch(version: EntryPointVersion, token: ListedToken, url: string) {
    const sender = await holder(token);
    const mode = { calculateGasLimits: true };
    const first = { ...(await draft(version, sender, [increment()])), ...NO_LIMITS };
    const approval = approvalOf(await quote(first, token, url, mode));
    const { callData } = await draft(version, sender, [approve(token, version, approval), increment()]);
    const operation = { ...first, callData };
    return { approval, operation, answer: await pay(operation, token, { url, mode }) };
  }
  const fieldsOf = (version: EntryPointVersion, paymasterAndData: Hex): TokenFields => {
    const { sponsorFields } = decodePaymasterAndData(version, paymasterAndData);
    if (!isTokenFields(sponsorFields)) throw new Error('not of token mode');
    return sponsorFields;
  };
  const dataOf = ({ json, text }: RpcAnswer): Hex => {
    if (!json.result) throw new Error(text);
    return json.result['paymasterAndData'] as Hex;
  };
  const balanceOf = (token: ListedToken, account: Address): Promise<bigint> =>
    world.chain.read(onToken(token, 'balanceOf', [account]));
  const codeAt = (account: Address): Promise<Hex> => rpc(world.anvil.url, 'eth_getCode', [account, 'latest']);
  const creditOf = (token: ListedToken, version: EntryPointVersion): Promise<bigint> =>
    world.chain.read({
      to: world.paymasters[version],
      abi: hybridPaymasterV07Abi as Abi,
      name: 'tokenBalanceOf',
      args: [token.address, wallet],
    });
  const etherOf = (version: EntryPointVersion): Promise<bigint> =>
    fundingBalanceWei({ reader: world.chain.reader } as never, {
      paymaster: world.paymasters[version],
      fundingWallet: wallet,
    });

  /**
   * The changes of balances: the sender's tokens, the receiver's tokens in and outside of the contract, and the
   * wallet's ether.
   */
  async function books(token: ListedToken, version: EntryPointVersion, sender: Address) {
    const [tokens, received, credit, ether] = await Promise.all([
      balanceOf(token, sender),
      balanceOf(token, wallet),
      creditOf(token, version),
      etherOf(version),
    ]);
    return { tokens, received: received + credit, ether };
  }

  /** What settlement reads of the payment. */
  async function readBySettlement(version: EntryPointVersion, userOpHash: Hex | undefined) {
    const { rpcUrl } = world.chain;
    const agreed = new AgreedChain({ chainId: 31337, rpcUrls: [rpcUrl], finality: { tag: 'finalized' } });
    const contracts = { entryPoint: CANONICAL_ENTRY_POINTS[version], paymaster: world.paymasters[version] };
    const source = new BlockSource(agreed, { entryPoints: { [version]: contracts } });
    const { number } = await source.head();
    // Others, such as the bundler, may have had a block mined since.
    const events = (await source.blocks(number - 3n, number)).flatMap((block) => block.events);
    const operations = events.filter((event) => event.kind === 'operation');
    return operations.find((event) => event.userOpHash === userOpHash)?.paidInToken;
  }

  /** Lands the operation and balances the books to the last unit. */
  async function landAndReconcile(request: {
    paid: PaidOperation;
    fields: TokenFields;
    token: ListedToken;
  }): Promise<{ charged: bigint; refunded: bigint }> {
    const { paid, fields, token } = request;
    const { sender, entryPointVersion: version } = paid.operation;
    const before = await books(token, version, sender);
    const [landed] = await handleOps(world.chain, [paid]);
    const after = await books(token, version, sender);
    expect(landed).toMatchObject({ success: true, postOpReverted: false, due: undefined });
    const spentWei = before.ether - after.ether;
    expect(spentWei).toBeGreaterThanOrEqual(landed?.actualGasCostWei ?? 0n);
    const charged = tokenChargeBaseUnits({ ...fields, costWei: spentWei });
    expect(landed?.paid?.charged).toBe(charged);
    expect(before.tokens - after.tokens).toBe(charged);
    expect(after.received - before.received).toBe(charged);
    expect(charged).toBeLessThanOrEqual(fields.maxTokenChargeBaseUnits);
    expect(await readBySettlement(version, landed?.userOpHash)).toEqual({ token: token.address, amount: charged });
    return landed?.paid ?? { charged: 0n, refunded: 0n };
  }

  describe.each(ENTRY_POINT_VERSIONS)('on v%s', (version) => {
    it.each(['USDx', 'BTCx', 'DAIx'] as const)(
      'from an approval of the quote in the batch, in %s, estimated: lands and the books balance',
      async (symbol) => {
        const token = world.tokens[symbol];
        const url = urlOf();
        const { approval, operation, answer } = await payInBatch(version, token, url);
        expect(answer.json.result).toMatchObject({ MODE: 'ERC20', mode: 'ERC20' });
        const fields = fieldsOf(version, dataOf(answer));
        expect(fields).toMatchObject({ way: 'batchApproval', token: token.address, feeReceiver: wallet });
        expect(fields.maxTokenChargeBaseUnits).toBeLessThanOrEqual(approval);
        const { refunded } = await landAndReconcile({ paid: paidOperation(operation, answer), fields, token });
        expect(refunded).toBe(0n);
      },
    );

    it('from an allowance that suffices, the limits as sent: the maximum first, the rest back', async () => {
      const token = world.tokens.DAIx;
      const sender = await holder(token);
      await world.chain.asAccount(sender, approve(token, version, parseUnits('1000', token.decimals)));
      const operation = await draft(version, sender, [increment()]);
      const answer = await pay(operation, token);
      const paid = paidOperation(operation, answer);
      expect(paid.operation).toEqual(operation);
      const fields = fieldsOf(version, dataOf(answer));
      expect(fields.way).toBe('allowance');
      const { charged, refunded } = await landAndReconcile({ paid, fields, token });
      expect(charged + refunded).toBe(fields.maxTokenChargeBaseUnits);
    });

    it.each([true, false])(
      'from a permit, estimated %s: lands, and without an approval anywhere',
      async (calculateGasLimits) => {
        const token = world.tokens.USDx;
        const sender = await holder(token);
        const drafted = await draft(version, sender, [increment()]);
        const operation = calculateGasLimits
          ? { ...drafted, ...NO_LIMITS }
          : { ...drafted, verificationGasLimit: 400_000n };
        const permit = await signPermit(token, version, { sender, value: parseUnits('500', token.decimals) });
        const answer = await pay(operation, token, { permit, mode: { calculateGasLimits } });
        const fields = fieldsOf(version, dataOf(answer));
        expect(fields).toMatchObject({ way: 'permit', permit: { signature: permit.signature } });
        const { refunded } = await landAndReconcile({ paid: paidOperation(operation, answer), fields, token });
        expect(refunded).toBeGreaterThan(0n);
      },
    );

    it('of an account that delegates to a listed contract, on v0.7 and later by its authorization: lands with no other delegate', async () => {
      const token = world.tokens.DAIx;
      const [delegate, other] = [await world.newHolder(), await world.newHolder()];
      const key = privateKeyToAccount(generatePrivateKey());
      const sender = normalizeAddress(key.address);
      await world.chain.call(onToken(token, 'mint', [sender, parseUnits('1000', token.decimals)]));
      const runs = (code: Hex) => rpc(world.anvil.url, 'anvil_setCode', [sender, code]);
      if (version === '0.6') await runs(delegationTo(delegate));
      const { r, s, yParity = 0 } = await key.signAuthorization({ address: delegate, chainId: 31337, nonce: 0 });
      const eip7702Auth = { chainId: '0x7a69', address: delegate, nonce: '0x0', r, s, yParity: numberToHex(yParity) };

      const operation = await draft(version, sender, [approve(token, version, 10n ** 30n), increment()]);
      const said = { ...operation, ...(version !== '0.6' && { eip7702Auth }) } as UserOperation;
      const paymasterOf = (eip7702Delegates: readonly Address[]) =>
        urlOf(world.newPaymaster({ policies: [rulesPolicyBuilder({ eip7702Delegates }).build()] }).apiKey);
      const refused = await pay(said, token, { url: paymasterOf([other]) });
      expect(refused.json.error?.data).toMatchObject({ reason: 'EIP7702_NOT_SPONSORED' });

      const answer = await pay(said, token, { url: paymasterOf([delegate]) });
      const paid = paidOperation(operation, answer);
      for (const code of [delegationTo(other), await codeAt(delegate)]) {
        await runs(code);
        await expect(handleOps(world.chain, [paid])).rejects.toThrow();
      }
      await runs(delegationTo(delegate));
      await landAndReconcile({ paid, fields: fieldsOf(version, dataOf(answer)), token });
    });

    it('tightens the gas of the token to what was simulated', async () => {
      const token = world.tokens.BTCx;
      const sender = await holder(token);
      const operation = await draft(version, sender, [approve(token, version, 10n ** 30n), increment()]);
      const { unaccountedGas } = fieldsOf(version, dataOf(await pay(operation, token)));
      const tokenCallGas = unaccountedGas - TOKEN_GAS_CONSTANTS[version].tokenPostOpBaseGas;
      expect(tokenCallGas).toBeGreaterThan(5_000n);
      expect(tokenCallGas).toBeLessThan(BigInt(DEFAULT_TOKEN_TRANSFER_GAS));
    });

    it.each(['batchApproval', 'permit', 'allowance'] as const)(
      'pays, by %s, for an operation that a client of ERC-7677 estimated with the stub at a real bundler',
      async (way) => {
        const token = world.tokens.USDx;
        const sender = await holder(token);
        if (way === 'allowance') await world.chain.asAccount(sender, approve(token, version, 10n ** 30n));
        const approvals = way === 'batchApproval' ? [approve(token, version, 10n ** 30n)] : [];
        const drafted = await draft(version, sender, [...approvals, increment()]);
        const value = parseUnits('500', token.decimals);
        const permit = way === 'permit' ? await signPermit(token, version, { sender, value }) : undefined;
        const entryPoint = CANONICAL_ENTRY_POINTS[version];
        const url = urlOf();
        const ask = async (method: string, operation: object) => {
          const context = { token: token.address, ...(permit && { permit }) };
          return (await call(url, method, [operation, entryPoint, '0x7a69', context])).json.result ?? {};
        };
        const { callGasLimit, verificationGasLimit, preVerificationGas, ...unlimited } = toWire(drafted);
        const stub = await ask('pm_getPaymasterStubData', unlimited);
        const asked = [{ ...unlimited, ...stub }, entryPoint];
        const estimate = (await call(world.bundlerUrl ?? '', 'eth_estimateUserOperationGas', asked)).json.result ?? {};
        const limits = Object.fromEntries(
          Object.keys({ callGasLimit, verificationGasLimit, preVerificationGas }).map((name) => [
            name,
            BigInt(estimate[name] as string),
          ]),
        );
        const operation = { ...drafted, ...limits };
        const data = await ask('pm_getPaymasterData', toWire(operation));
        const paymasterAndData = packed(version, data);
        const fields = fieldsOf(version, paymasterAndData);
        expect(fields.way).toBe(way);
        await landAndReconcile({ paid: { operation, paymasterAndData }, fields, token });
      },
    );

    it('pays for an operation that names its token without a mode, with the limits of the answer', async () => {
      const token = world.tokens.USDx;
      const drafted = await draft(version, await holder(token), [approve(token, version, 10n ** 30n), increment()]);
      const none = { callGasLimit: '0x0', verificationGasLimit: '0x0', preVerificationGas: '0x0' };
      const params = [{ ...toWire(drafted), ...none }, CANONICAL_ENTRY_POINTS[version]];
      const context = { type: 'erc20token', token: token.address };
      const { json } = await call(urlOf(), 'pm_sponsorUserOperation', [...params, context]);
      const answer = json.result ?? {};
      const limits = Object.fromEntries(Object.keys(none).map((name) => [name, BigInt(answer[name] as string)]));
      const operation = { ...drafted, ...limits };
      const paymasterAndData = packed(version, answer);
      await landAndReconcile({
        paid: { operation, paymasterAndData },
        fields: fieldsOf(version, paymasterAndData),
        token,
      });
    });

    it('pays for an operation that was estimated with the stub of a sponsorship, as abstractionkit does', async () => {
      const token = world.tokens.USDx;
      const drafted = await draft(version, await holder(token), [approve(token, version, 10n ** 30n), increment()]);
      const entryPoint = CANONICAL_ENTRY_POINTS[version];
      const { paymasterMetadata } = (await call(urlOf(), 'pm_supportedERC20Tokens', [entryPoint])).json.result ?? {};
      const { dummyPaymasterAndData } = paymasterMetadata as { dummyPaymasterAndData: Hex | object };
      const dummy = version === '0.6' ? { paymasterAndData: dummyPaymasterAndData } : (dummyPaymasterAndData as object);
      const unknown = { callGasLimit: '0x0', verificationGasLimit: '0x0', preVerificationGas: '0x0' };
      const placeholders = { ...unknown, maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' };
      const estimateWith = async (operation: UserOperation) => {
        const asked = [{ ...toWire(operation), ...placeholders, ...dummy }, entryPoint];
        return (await call(world.bundlerUrl ?? '', 'eth_estimateUserOperationGas', asked)).json;
      };
      const penniless = await draft(version, await world.newHolder({ token, baseUnits: 0n }), [increment()]);
      expect(await estimateWith(penniless)).toMatchObject({ result: expect.anything() });

      const { result = {} } = await estimateWith(drafted);
      const plus = (name: string, percent: bigint) => (BigInt(result[name] as string) * (100n + percent)) / 100n;
      const operation = {
        ...drafted,
        callGasLimit: plus('callGasLimit', 10n),
        verificationGasLimit: plus('verificationGasLimit', 10n) + (version === '0.6' ? 40_000n : 0n),
        preVerificationGas: plus('preVerificationGas', 5n),
      };
      const params = [toWire(operation), entryPoint, '0x7a69', { token: token.address }];
      const answer = (await call(urlOf(), 'pm_getPaymasterData', params)).json;
      expect(answer).toMatchObject({ result: expect.anything() });
      const paymasterAndData = packed(version, answer.result ?? {});
      await landAndReconcile({
        paid: { operation, paymasterAndData },
        fields: fieldsOf(version, paymasterAndData),
        token,
      });
    });

    it('answers ERC-7677 with exactly the standard keys, the stub as long as the data', async () => {
      const token = world.tokens.USDx;
      const url = urlOf();
      const sender = await holder(token);
      const operation = await draft(version, sender, [approve(token, version, 10n ** 30n), increment()]);
      const ask = (method: string, context: object) =>
        call(url, method, [toWire(operation), CANONICAL_ENTRY_POINTS[version], '0x7a69', context]);
      const context = { token: token.address };
      const [stub, data] = [await ask('pm_getPaymasterStubData', context), await ask('pm_getPaymasterData', context)];
      const keys =
        version === '0.6'
          ? ['paymasterAndData']
          : [
              ...['paymaster', 'paymasterData', 'paymasterPostOpGasLimit'],
              ...(version === '0.9' ? ['paymasterSignature'] : []),
              'paymasterVerificationGasLimit',
            ];
      expect(Object.keys(stub.json.result ?? {}).sort()).toEqual(keys);
      expect(Object.keys(data.json.result ?? {}).sort()).toEqual(keys);
      const key = version === '0.6' ? 'paymasterAndData' : 'paymasterData';
      expect(`${stub.json.result?.[key]}`).toHaveLength(`${data.json.result?.[key]}`.length);

      const permit = await signPermit(token, version, { sender, value: parseUnits('500', token.decimals) });
      const withPermit = { ...context, permit };
      const longStub = await ask('pm_getPaymasterStubData', withPermit);
      expect(`${longStub.json.result?.[key]}`.length - `${stub.json.result?.[key]}`.length).toBe(2 * 129);
    });
  });

  describe('by a gateway whose chains.json says that gas is twice as dear on v0.6 and v0.7', () => {
    const raised = ['0.6', '0.7'] as const;
    let base: string;
    const dearer = (): string => `${base}/api/v2/31337/${world.newPaymaster().apiKey}`;
    const tokenCallGas = (version: EntryPointVersion, { unaccountedGas, gasPercent = 100 }: TokenFields) =>
      unaccountedGas - (TOKEN_GAS_CONSTANTS[version].tokenPostOpBaseGas * BigInt(gasPercent)) / 100n;

    beforeAll(async () => {
      const entryPoints = Object.fromEntries(
        ENTRY_POINT_VERSIONS.map((version) => [
          version,
          {
            ...{ entryPoint: CANONICAL_ENTRY_POINTS[version], paymaster: world.paymasters[version] },
            ...(raised.some((each) => each === version) && { tokenGasPercent: 200 }),
          },
        ]),
      );
      base = await world.another({ entryPoints });
      const listed = async () => (await call(dearer(), 'pm_supportedERC20Tokens', [])).json.result?.['tokens'];
      await until(async () => ((await listed()) as unknown[] | undefined)?.length === 3, 'it has prices');
    });
    afterAll(() => world.end(base));

    it.each(raised)('v%s: an approval of its quote in the batch suffices, and it lands', async (version) => {
      const token = world.tokens.USDx;
      const url = dearer();
      const { operation, answer } = await payInBatch(version, token, url);
      const fields = fieldsOf(version, dataOf(answer));
      expect(fields).toMatchObject({ way: 'batchApproval', gasPercent: 200 });
      expect(tokenCallGas(version, fields)).toBeGreaterThan(5_000n);
      expect(tokenCallGas(version, fields)).toBeLessThan(BigInt(DEFAULT_TOKEN_TRANSFER_GAS));
      await landAndReconcile({ paid: paidOperation(operation, answer), fields, token });
    });

    it.each(raised)(
      'v%s: from an allowance, with limits that a real bundler estimated with its stub',
      async (version) => {
        const token = world.tokens.DAIx;
        const url = dearer();
        const sender = await holder(token);
        await world.chain.asAccount(sender, approve(token, version, 10n ** 30n));
        const drafted = await draft(version, sender, [increment()]);
        const entryPoint = CANONICAL_ENTRY_POINTS[version];
        const ask = async (method: string, operation: object) =>
          (await call(url, method, [operation, entryPoint, '0x7a69', { token: token.address }])).json.result ?? {};
        const { callGasLimit: _c, verificationGasLimit: _v, preVerificationGas: _p, ...unlimited } = toWire(drafted);
        const stub = await ask('pm_getPaymasterStubData', unlimited);
        expect(fieldsOf(version, packed(version, stub))).toMatchObject({ way: 'allowance', gasPercent: 200 });
        const estimated = [{ ...unlimited, ...stub }, entryPoint];
        const estimate =
          (await call(world.bundlerUrl ?? '', 'eth_estimateUserOperationGas', estimated)).json.result ?? {};
        const limits = Object.fromEntries(
          Object.keys(NO_LIMITS).map((name) => [name, BigInt(estimate[name] as string)]),
        );
        const operation = { ...drafted, ...limits };
        const paymasterAndData = packed(version, await ask('pm_getPaymasterData', toWire(operation)));
        const fields = fieldsOf(version, paymasterAndData);
        expect(fields).toMatchObject({ way: 'allowance', gasPercent: 200 });
        const { refunded } = await landAndReconcile({ paid: { operation, paymasterAndData }, fields, token });
        expect(refunded).toBeGreaterThan(0n);
      },
    );

    it('signs as ever for v0.8, which has no percentage', async () => {
      const token = world.tokens.USDx;
      const operation = await draft('0.8', await holder(token), [approve(token, '0.8', 10n ** 30n), increment()]);
      const answer = await pay(operation, token, { url: dearer() });
      const fields = fieldsOf('0.8', dataOf(answer));
      expect(fields).not.toHaveProperty('gasPercent');
      expect(fields.unaccountedGas).toBe(fieldsOf('0.8', dataOf(await pay(operation, token))).unaccountedGas);
      await landAndReconcile({ paid: paidOperation(operation, answer), fields, token });
    });
  });

  it('echoes the limits that were sent, to the digit', async () => {
    const token = world.tokens.USDx;
    const sender = await holder(token);
    const operation = await draft('0.6', sender, [approve(token, '0.6', 10n ** 30n), increment()]);
    const { json } = await pay(operation, token);
    expect(json.result).toMatchObject({
      // In hex where an EntryPoint stands before the mode.
      preVerificationGas: `0x${operation.preVerificationGas.toString(16)}`,
      verificationGasLimit: Number(operation.verificationGasLimit),
      callGasLimit: Number(operation.callGasLimit),
    });
  });

  it('pays the receiver that the owner named', async () => {
    const token = world.tokens.USDx;
    const receiver = randomAddress();
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, tokenFeeReceiver: receiver };
    const { apiKey } = world.newPaymaster({ settings });
    const sender = await holder(token);
    const operation = await draft('0.7', sender, [approve(token, '0.7', 10n ** 30n), increment()]);
    const answer = await pay(operation, token, { url: urlOf(apiKey) });
    expect(fieldsOf('0.7', dataOf(answer)).feeReceiver).toBe(receiver);
    const [landed] = await handleOps(world.chain, [paidOperation(operation, answer)]);
    expect(await balanceOf(token, receiver)).toBe(landed?.paid?.charged);
  });

  /** An ERC-7677 answer as the EntryPoint carries it. */
  function packed(version: EntryPointVersion, answer: Record<string, unknown>): Hex {
    if (version === '0.6') return answer['paymasterAndData'] as Hex;
    const {
      paymaster,
      paymasterData = '0x',
      paymasterSignature = '0x',
      paymasterVerificationGasLimit,
      paymasterPostOpGasLimit,
    } = answer as Record<string, Hex>;
    return encodePaymasterAndData({
      ...{ version, paymaster: paymaster ?? '0x', paymasterData: concat([paymasterData, paymasterSignature]) },
      paymasterGasLimits: {
        paymasterVerificationGasLimit: BigInt(paymasterVerificationGasLimit ?? 0),
        paymasterPostOpGasLimit: BigInt(paymasterPostOpGasLimit ?? 0),
      },
    });
  }

  async function signPermit(
    token: ListedToken,
    version: EntryPointVersion,
    { sender, value }: { sender: Address; value: bigint },
  ) {
    const deadline = BigInt(await world.chain.nowSeconds()) + 3_600n;
    const members = ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'];
    const signature = await owner.signTypedData({
      domain: { name: token.name, version: '1', chainId: 31337, verifyingContract: token.address },
      types: {
        Permit: members.map((member) => ({ type: `${member.split(' ')[0]}`, name: `${member.split(' ')[1]}` })),
      },
      primaryType: 'Permit',
      message: { owner: sender, spender: world.paymasters[version], value, nonce: 0n, deadline },
    });
    return { value: `0x${value.toString(16)}`, deadline: deadline.toString(), signature };
  }
});

describe('a bundler that is broken', () => {
  it('is an outage for requests that need an estimate, and not for sent limits', async () => {
    const bundler = await FakeRpcServer.start();
    bundler.mode = 'http500';
    const world = await startTokenWorld({ bundlerUrl: bundler.url });
    try {
      const token = world.tokens.USDx;
      const sender = await world.newHolder({ token, baseUnits: 10n ** 12n });
      const approval: ContractCall = {
        ...{
          to: token.address,
          abi: demoTokenAbi as Abi,
          name: 'approve',
          args: [world.paymasters['0.7'], 10n ** 30n],
        },
      };
      const operation = await draftOperation(world.chain, { version: '0.7', sender, calls: [approval] });
      const url = `${world.url}/api/v2/31337/${world.newPaymaster().apiKey}`;
      const ask = (calculateGasLimits: boolean) => {
        const mode = erc20Mode({ feeTokenAddress: token.address }, { calculateGasLimits });
        return biconomyCall('pm_sponsorUserOperation', { url, operation, mode });
      };
      expect((await ask(true)).json.error).toMatchObject({ code: -32011, data: { dependency: 'bundler' } });
      expect((await ask(false)).status).toBe(200);
    } finally {
      await world.stop();
      await bundler.stop();
    }
  });
});
