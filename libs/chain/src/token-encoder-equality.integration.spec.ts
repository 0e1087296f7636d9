import { faker } from '@faker-js/faker';
import {
  CHARGING_WAYS,
  ENTRY_POINT_VERSIONS,
  prechargeWei,
  tokenChargeBaseUnits,
  type ChargingWay,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { dataSlice, hexlify } from 'ethers';
import { createDigestHasher, type DigestHasher } from './digest/digest-hasher';
import { tokenGasTerms } from './paymaster-data/token-gas-terms';
import { encodePaymasterAndData } from './paymaster-data/encode-paymaster-and-data';
import { encodeTokenData } from './paymaster-data/encode-token-data';
import { encodeStubTokenData } from './paymaster-data/stub';
import type { TokenFields } from './paymaster-data/token-fields';
import { tokenFieldsBuilder } from './testing';
import { DeployedPaymasters } from './testing/deployed-paymasters';
import { inBatches, randomSignableOperation } from './testing/random-requests';
import { TestSigner } from './testing/test-signer';

const OPERATIONS = 100;
/** `getDigest` checks none, and the digest covers none. */
const NO_SIGNATURE = Buffer.alloc(65, 0x5a);
const VECTORS = 100;

const versionsAndWays = ENTRY_POINT_VERSIONS.flatMap((version) => CHARGING_WAYS.map((way) => [version, way] as const));

describe('TypeScript and Solidity agree on token mode', () => {
  const signer = new TestSigner(Buffer.alloc(32, 7));
  let world: DeployedPaymasters;
  let hasher: DigestHasher;

  beforeAll(async () => {
    hasher = await createDigestHasher();
    world = await DeployedPaymasters.start(signer.address);
  });
  afterAll(() => world?.stop());

  it.each(versionsAndWays)(
    `v%s, way %s: ${OPERATIONS} random operations have the digest of the contract's getDigest`,
    async (version, way) => {
      await inBatches(OPERATIONS, async () => {
        const request = randomRequest(version, way);
        const digest = digestOf(request);
        const paymasterAndData = paymasterAndDataOf(request, encodeTokenData(request.fields, NO_SIGNATURE));
        expect(await world.getDigest(request.operation, paymasterAndData)).toBe(hexlify(digest));
      });
    },
  );

  it.each(ENTRY_POINT_VERSIONS)(
    'v%s: the sender is charged exactly tokenChargeBaseUnits of the precharge, and no more than the signed maximum',
    async (version) => {
      let capped = 0;
      await inBatches(VECTORS, async () => {
        const request = randomRequest(version, 'batchApproval');
        const expected = expectedCharge(request);
        const over = faker.datatype.boolean();
        const maxTokenChargeBaseUnits = over && expected > 1n ? expected - 1n : expected;
        const fields = { ...request.fields, maxTokenChargeBaseUnits };
        if (maxTokenChargeBaseUnits !== expected) capped += 1;
        const signature = signer.sign(digestOf({ ...request, fields }));
        const validation = await validate(request, encodeTokenData(fields, signature));
        expect(validation).toEqual({
          signatureFailed: maxTokenChargeBaseUnits !== expected,
          validUntilSeconds: BigInt(fields.validUntilSeconds),
          validAfterSeconds: BigInt(fields.validAfterSeconds),
          mostBaseUnits: maxTokenChargeBaseUnits,
        });
      });
      expect(capped).toBeGreaterThan(0);
    },
  );

  it.each(ENTRY_POINT_VERSIONS)(
    'v%s: the stub runs the whole path of a final without touching a token, and only fails its signature',
    async (version) => {
      const request = randomRequest(version, 'batchApproval');
      const validation = await validate(request, encodeStubTokenData(request.fields));
      expect(validation).toMatchObject({ signatureFailed: true, mostBaseUnits: expectedCharge(request) });
    },
  );

  it.each(ENTRY_POINT_VERSIONS)(
    'v%s: the contract takes each percentage of gas, and no less gas for it',
    async (version) => {
      for (let gasPercent = 100; gasPercent <= 475; gasPercent += 25) {
        const { operation, fields } = randomRequest(version, 'batchApproval');
        const ofContract = (percent: number) => BigInt((12_952 * percent) / 100);
        const validateWith = (unaccountedGas: bigint) => {
          const changed = { operation, fields: { ...fields, gasPercent, unaccountedGas } };
          return validate(changed, encodeTokenData(changed.fields, signer.sign(digestOf(changed))));
        };
        await expect(validateWith(ofContract(gasPercent))).resolves.toMatchObject({ signatureFailed: false });
        await expect(validateWith(ofContract(gasPercent) - 1n)).rejects.toThrow();
        expect(termsOf({ operation, fields: { ...fields, gasPercent } }).unaccountedGas).toBeGreaterThanOrEqual(
          ofContract(gasPercent) + 65_000n,
        );
      }
    },
  );

  const percents = [100, 475] as const;
  const least = versionsAndWays.flatMap(([version, way]) =>
    percents.map((percent) => [version, way, percent] as const),
  );
  it.each(least)(
    'v%s, way %s: the contract takes the least gas that tokenGasTerms signs at %d %%',
    (version, way, percent) => {
      const { abi, paymaster } = world.of(version);
      const terms = tokenGasTerms({ version, way, transferGas: 65_000, gasPercent: percent });
      const data = abi.encodeFunctionData('minTokenPostOpGas', [terms.unaccountedGas]);
      return world.rpc.call({ to: paymaster, data }).then((least) => {
        const signed = version === '0.6' ? terms.minVerificationGas! : terms.paymasterPostOpGasLimit;
        expect(signed - BigInt(least)).toBeGreaterThanOrEqual(0n);
        expect(signed - BigInt(least)).toBeLessThanOrEqual(1n);
      });
    },
  );

  interface Request {
    readonly operation: UserOperation;
    readonly fields: TokenFields;
  }

  /**
   * A request with enough gas for the contract, and a random rate, from that of a worthless token to that of a precious
   * one.
   */
  function randomRequest(version: EntryPointVersion, way: ChargingWay): Request {
    const operation = randomSignableOperation(version);
    const { gasPercent } = tokenFieldsBuilder().build();
    const { unaccountedGas, minVerificationGas = 0n } = termsOf({ operation, fields: { gasPercent } });
    const fields = tokenFieldsBuilder(way)
      .with('gasPercent', gasPercent)
      .with('fundingWallet', world.wallet)
      .with('unaccountedGas', unaccountedGas)
      .with('exchangeRate', faker.number.bigInt({ min: 1n, max: 10n ** faker.number.bigInt({ min: 1n, max: 36n }) }))
      .build();
    const verificationGasLimit = operation.verificationGasLimit + minVerificationGas;
    return { operation: { ...operation, verificationGasLimit }, fields };
  }

  function digestOf(request: Request): Uint8Array {
    const { operation, fields } = request;
    const version = operation.entryPointVersion;
    const { paymaster, entryPoint } = world.of(version);
    const context = { chainId: world.chainId, paymaster, entryPoint, sponsorFields: fields };
    return hasher.digest(operation, { ...context, paymasterGasLimits: termsOf(request) });
  }

  function paymasterAndDataOf(request: Request, paymasterData: Hex): Hex {
    const version = request.operation.entryPointVersion;
    const { paymaster } = world.of(version);
    return encodePaymasterAndData({ version, paymaster, paymasterGasLimits: termsOf(request), paymasterData });
  }

  async function validate(request: Request, paymasterData: Hex) {
    const limits = termsOf(request);
    const paymasterAndData = paymasterAndDataOf(request, paymasterData);
    const { context, ...validation } = await world.validate(request.operation, paymasterAndData, limits);
    // TokenPayment {..., most}: static, and at the end of the context.
    return { ...validation, mostBaseUnits: BigInt(dataSlice(context, -32)) };
  }
});

/** The gas that is signed for the operation, at the percentage that is signed. */
const termsOf = ({ operation, fields }: { operation: UserOperation; fields: Pick<TokenFields, 'gasPercent'> }) =>
  tokenGasTerms({
    ...{ version: operation.entryPointVersion, way: 'batchApproval', transferGas: 65_000 },
    gasPercent: fields.gasPercent,
  });

function expectedCharge(request: { operation: UserOperation; fields: TokenFields }): bigint {
  const { operation, fields } = request;
  const version = operation.entryPointVersion;
  const costWei = prechargeWei({
    version,
    limits: { ...operation, ...termsOf(request) },
    maxFeePerGas: operation.maxFeePerGas,
    unaccountedGas: fields.unaccountedGas,
    feeMarkupMillionths: fields.feeMarkupMillionths,
  });
  return tokenChargeBaseUnits({ costWei, ...fields });
}
