import { faker } from '@faker-js/faker';
import { prechargeWei, type Address, type EntryPointVersion, type Hex, type UserOperation } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { hexlify } from 'ethers';
import { createDigestHasher, type DigestHasher } from './digest/digest-hasher';
import { PAYMASTER_GAS_CONSTANTS } from './paymaster-data/gas-constants';
import { EntryPointDeposits } from './funding/entry-point-deposits';
import { encodePaymasterAndData } from './paymaster-data/encode-paymaster-and-data';
import { encodeSponsorData } from './paymaster-data/encode-sponsor-data';
import type { SponsorFields } from './paymaster-data/sponsor-fields';
import { encodeStubSponsorData, stubSponsorFields } from './paymaster-data/stub';
import { ChainProvider } from './providers/chain-provider';
import { sponsorFieldsBuilder, UNHURRIED } from './testing';
import { DeployedPaymasters } from './testing/deployed-paymasters';
import { inBatches, randomSignableOperation } from './testing/random-requests';
import { TestSigner } from './testing/test-signer';

const OPERATIONS = 300;
/** `getDigest` checks none, and the digest covers none. */
const NO_SIGNATURE = Buffer.alloc(65, 0x5a);

describe('TypeScript and Solidity agree', () => {
  const signer = new TestSigner(Buffer.alloc(32, 7));
  let world: DeployedPaymasters;
  let hasher: DigestHasher;

  beforeAll(async () => {
    hasher = await createDigestHasher();
    world = await DeployedPaymasters.start(signer.address);
  });
  afterAll(() => world?.stop());

  it.each(['0.6', '0.7', '0.8', '0.9'] as const)(
    `v%s: ${OPERATIONS} random operations have the digest of the contract's getDigest`,
    async (version) => {
      await inBatches(OPERATIONS, async () => {
        const { operation, sponsorFields } = randomRequest(version);
        const digest = digestOf(operation, sponsorFields);
        const paymasterAndData = paymasterAndDataOf(version, encodeSponsorData(sponsorFields, NO_SIGNATURE));
        expect(await world.getDigest(operation, paymasterAndData)).toBe(hexlify(digest));
      });
    },
  );

  it.each(['0.6', '0.7', '0.8', '0.9'] as const)(
    'v%s: validation accepts the signature, debits exactly prechargeWei and returns the signed window',
    async (version) => {
      await inBatches(50, async () => {
        const { operation, sponsorFields } = randomRequest(version);
        const paymasterData = encodeSponsorData(sponsorFields, signer.sign(digestOf(operation, sponsorFields)));
        expect(await validate(operation, paymasterData)).toEqual({
          signatureFailed: false,
          validUntilSeconds: BigInt(sponsorFields.validUntilSeconds),
          validAfterSeconds: BigInt(sponsorFields.validAfterSeconds),
          prechargeWei: expectedPrecharge(operation, sponsorFields),
        });
      });
    },
  );

  it.each(['0.6', '0.7', '0.8', '0.9'] as const)(
    'v%s: the stub runs the whole path, debits the same and only fails its signature',
    async (version) => {
      const { operation, sponsorFields } = randomRequest(version);
      expect(await validate(operation, encodeStubSponsorData(sponsorFields))).toMatchObject({
        signatureFailed: true,
        prechargeWei: expectedPrecharge(operation, stubSponsorFields(sponsorFields)),
      });
    },
  );

  it.each(['0.6', '0.7', '0.8', '0.9'] as const)(
    'v%s: the delegate of an EIP-7702 sender is in the digest, and validation accepts it for no other',
    async (version) => {
      const { operation, sponsorFields } = randomRequest(version);
      const [eip7702Delegate, other] = [randomAddress(), randomAddress()];
      const runs = (delegate: Address) =>
        world.rpc.send('anvil_setCode', [operation.sender, `0xef0100${delegate.slice(2)}`]);
      const digest = digestOf(operation, sponsorFields, eip7702Delegate);
      const paymasterData = encodeSponsorData(sponsorFields, signer.sign(digest));
      const isRefused = async () => (await validate(operation, paymasterData)).signatureFailed;
      expect(await isRefused()).toBe(true);
      await runs(other);
      expect(await isRefused()).toBe(true);
      await runs(eip7702Delegate);
      expect(await isRefused()).toBe(false);
      expect(await world.getDigest(operation, paymasterAndDataOf(version, paymasterData))).toBe(hexlify(digest));
    },
  );

  it.each(['0.6', '0.7', '0.8', '0.9'] as const)(
    'v%s: our deposit is read as the EntryPoint keeps it',
    async (version) => {
      const { paymaster, entryPoint } = world.of(version);
      const provider = new ChainProvider({ chainId: world.chainId, rpcUrls: [world.anvil.url] }, UNHURRIED);
      const contracts = { entryPoint, paymaster };
      const deposits = new EntryPointDeposits(
        { chainId: world.chainId, entryPoints: { [version]: contracts } },
        provider,
      );
      expect(await deposits.depositWei(entryPoint)).toBe(DeployedPaymasters.DEPOSIT_WEI + 1_000n);
    },
  );

  function randomRequest(version: EntryPointVersion): { operation: UserOperation; sponsorFields: SponsorFields } {
    // The contract refuses limits below its measured gas.
    const sponsorFields = sponsorFieldsBuilder()
      .with('fundingWallet', world.wallet)
      .with('unaccountedGas', faker.number.bigInt({ min: 18_000n, max: 10_000_000n }))
      .build();
    return { operation: randomSignableOperation(version), sponsorFields };
  }

  function digestOf(operation: UserOperation, sponsorFields: SponsorFields, eip7702Delegate?: Address): Uint8Array {
    const { paymaster, entryPoint } = world.of(operation.entryPointVersion);
    return hasher.digest(operation, {
      chainId: world.chainId,
      paymaster,
      entryPoint,
      sponsorFields,
      paymasterGasLimits: PAYMASTER_GAS_CONSTANTS[operation.entryPointVersion],
      eip7702Delegate,
    });
  }

  async function validate(operation: UserOperation, paymasterData: Hex) {
    const version = operation.entryPointVersion;
    const paymasterAndData = paymasterAndDataOf(version, paymasterData);
    const { context, ...validation } = await world.validate(
      operation,
      paymasterAndData,
      PAYMASTER_GAS_CONSTANTS[version],
    );
    // It is in the lower 96 bits of the second word, behind the sender.
    const senderAndPrecharge = BigInt(`0x${context.slice(66, 130)}`);
    return { ...validation, prechargeWei: BigInt.asUintN(96, senderAndPrecharge) };
  }

  function paymasterAndDataOf(version: EntryPointVersion, paymasterData: Hex): Hex {
    const paymasterGasLimits = PAYMASTER_GAS_CONSTANTS[version];
    return encodePaymasterAndData({
      version,
      paymaster: world.of(version).paymaster,
      paymasterGasLimits,
      paymasterData,
    });
  }
});

function expectedPrecharge(operation: UserOperation, fields: SponsorFields): bigint {
  return prechargeWei({
    version: operation.entryPointVersion,
    limits: { ...operation, ...PAYMASTER_GAS_CONSTANTS[operation.entryPointVersion] },
    maxFeePerGas: operation.maxFeePerGas,
    unaccountedGas: fields.unaccountedGas,
    feeMarkupMillionths: fields.feeMarkupMillionths,
  });
}
