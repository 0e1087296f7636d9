import { decodePaymasterAndData, type TokenFields } from '@paymaster/chain';
import { demoTokenAbi } from '@paymaster/contract-abis';
import { DEFAULT_PAYMASTER_SETTINGS, type Address, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { parseAbi, type Abi } from 'viem';
import { handleOps } from '../../proofs/attacks/testing/bundle';
import { draftOperation } from '../../proofs/attacks/testing/draft-operation';
import { sponsoredMode, type RpcAnswer } from '../testing/rpc-call';
import { biconomyCall, erc20Mode, paidOperation } from '../testing/token-call';
import { startTokenWorld, type ListedToken, type TokenWorld } from '../testing/token-world';

const ENOUGH = 10n ** 24n;

/** An account that approves in the batch of each operation, so that none is sure to pay. */
class Payer {
  constructor(
    private readonly world: TokenWorld,
    private readonly payer: { sender: Address; token: ListedToken; version: EntryPointVersion; url: string },
  ) {}

  static async of(world: TokenWorld, symbol: keyof TokenWorld['tokens'], version: EntryPointVersion): Promise<Payer> {
    const token = world.tokens[symbol];
    const sender = await world.newHolder({ token, baseUnits: ENOUGH });
    return new Payer(world, {
      sender,
      token,
      version,
      url: `${world.url}/api/v2/31337/${world.newPaymaster().apiKey}`,
    });
  }

  /** @param nonceKey as clients choose it that send several operations side by side */
  async sign(nonceKey = 0n) {
    const { sender, token, version, url } = this.payer;
    const operation = await draftOperation(this.world.chain, {
      version,
      sender,
      calls: [this.approve(ENOUGH)],
      nonceKey,
    });
    const mode = erc20Mode({ feeTokenAddress: token.address });
    return { operation, answer: await biconomyCall('pm_sponsorUserOperation', { url, operation, mode }) };
  }

  /** @returns why it was not signed; undefined when it landed and paid */
  async land(nonceKey = 0n): Promise<unknown> {
    const { operation, answer } = await this.sign(nonceKey);
    if (answer.json.error) return reasonOf(answer);
    expect(this.wayOf(answer)).toBe('batchApproval');
    const [landed] = await handleOps(this.world.chain, [paidOperation(operation, answer)]);
    expect(landed).toMatchObject({ success: true, due: undefined });
    // Else the next operation would pay from what is left of this allowance.
    await this.world.chain.asAccount(this.payer.sender, this.approve(0n));
    return undefined;
  }

  private wayOf({ json }: RpcAnswer): TokenFields['way'] {
    const data = json.result?.['paymasterAndData'] as Hex;
    return (decodePaymasterAndData(this.payer.version, data).sponsorFields as TokenFields).way;
  }

  private approve(amount: bigint) {
    const args = [this.world.paymasters[this.payer.version], amount];
    return { to: this.payer.token.address, abi: demoTokenAbi as Abi, name: 'approve', args };
  }
}

const reasonOf = ({ json }: RpcAnswer): unknown => json.error?.data['reason'];

/** The settings that users get. No settlement runs in this world, so it sees nothing of what lands. */
describe('while settlement is behind', () => {
  let world: TokenWorld;
  beforeAll(async () => (world = await startTokenWorld()));
  afterAll(() => world?.stop());

  it.each([
    ['0.6', 'USDx'],
    ['0.7', 'BTCx'],
    ['0.8', 'DAIx'],
    ['0.9', 'BTCx'],
  ] as const)('an account on v%s pays for five operations in a row in tokens', async (version, symbol) => {
    const payer = await Payer.of(world, symbol, version);
    const refused: unknown[] = [];
    for (let time = 1; time <= 5; time++) refused.push(await payer.land());
    expect(refused).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it('so does one that takes a new key of nonces for each', async () => {
    const payer = await Payer.of(world, 'DAIx', '0.7');
    for (let key = 1n; key <= 5n; key++) expect([key, await payer.land(key)]).toEqual([key, undefined]);
  });

  it('a sponsored account is told the same when it asks, and gets its fifth operation too', async () => {
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, explainToClients: true };
    const url = `${world.url}/api/v2/31337/${world.newPaymaster({ settings }).apiKey}`;
    const sender = await world.newHolder();
    const abi = parseAbi(['function increment()']) as Abi;
    const calls = [{ to: world.demo.address, abi, name: 'increment' }];
    for (let time = 1; time <= 5; time++) {
      const operation = await draftOperation(world.chain, { version: '0.7', sender, calls });
      const ask = (method: string) =>
        biconomyCall(method, { url, operation, mode: sponsoredMode({ calculateGasLimits: false }) });
      expect([time, (await ask('pm_explain')).json.result]).toMatchObject([time, { sponsored: true }]);
      await handleOps(world.chain, [paidOperation(operation, await ask('pm_sponsorUserOperation'))]);
    }
  });

  it('signatures that do not land take the places of their account, and the fourth is refused', async () => {
    const payer = await Payer.of(world, 'USDx', '0.7');
    const reasons: unknown[] = [];
    for (let key = 1n; key <= 4n; key++) reasons.push(reasonOf((await payer.sign(key)).answer));
    expect(reasons).toEqual([undefined, undefined, undefined, 'TOO_MANY_LIVE_SIGNATURES']);
  });

  it('by a minute, neither places nor the cap of a token refuse what is not lost, because the brake bounds it', async () => {
    const refusals = async (accounts: number) => {
      const reasons = new Set<unknown>();
      for (let account = 0; account < accounts; account++) {
        const { answer } = await (await Payer.of(world, 'USDx', '0.6')).sign();
        reasons.add(reasonOf(answer));
      }
      return reasons;
    };
    expect(await refusals(10)).toContain('TOKEN_EXPOSURE_CAP_REACHED');
    await world.passSeconds(61);
    expect(await refusals(10)).toEqual(new Set([undefined]));
    const payer = await Payer.of(world, 'USDx', '0.7');
    for (let key = 1n; key <= 5n; key++)
      expect([key, reasonOf((await payer.sign(key)).answer)]).toEqual([key, undefined]);
  });

  it('by a minute, an explanation says that places refuse nothing, as a request finds it', async () => {
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, explainToClients: true };
    const url = `${world.url}/api/v2/31337/${world.newPaymaster({ settings }).apiKey}`;
    const sender = await world.newHolder();
    const abi = parseAbi(['function increment()']) as Abi;
    const calls = [{ to: world.demo.address, abi, name: 'increment' }];
    const answers: unknown[] = [];
    await world.passSeconds(61);
    for (let nonceKey = 1n; nonceKey <= 4n; nonceKey++) {
      const operation = await draftOperation(world.chain, { version: '0.7', sender, calls, nonceKey });
      const ask = (method: string) =>
        biconomyCall(method, { url, operation, mode: sponsoredMode({ calculateGasLimits: false }) });
      answers.push([
        (await ask('pm_explain')).json.result?.['sponsored'],
        reasonOf(await ask('pm_sponsorUserOperation')),
      ]);
    }
    expect(answers).toEqual(Array.from({ length: 4 }, () => [true, undefined]));
  });
});
