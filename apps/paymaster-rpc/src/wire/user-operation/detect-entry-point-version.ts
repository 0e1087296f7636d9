import { InvalidParamsError, PACKED_VERSIONS, type EntryPointVersion, type PaymasterVersion } from '@paymaster/domain';
import { UNNAMED_ORDER } from './named-entry-point';
import { isEip7702Factory } from './parse-user-operation';
import type { RawUserOperation } from './raw-user-operation';

const V06_FIELDS = ['initCode', 'paymasterAndData'] as const;
const V07_FIELDS = [
  'factory',
  'factoryData',
  'paymaster',
  'paymasterData',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
  'paymasterSignature',
  'eip7702Auth',
  'authorization',
] as const;
/**
 * A delegated account without a named EntryPoint is assumed to mean v0.8, which has a marker for delegation. A client
 * can name another EntryPoint.
 */
const DELEGATION_FIELDS: readonly string[] = ['eip7702Auth', 'authorization'];
const WITH_MARKER_FIRST = ['0.8', '0.9', '0.7'] as const;
/** Operations of earlier versions have no field for the paymaster's signature. */
const V09_FIELD = 'paymasterSignature';
const PACKED_FIELDS = ['accountGasLimits', 'gasFees'] as const;

/**
 * Finds the EntryPoint of an operation. If the request names an EntryPoint, it is that one. Otherwise the fields
 * decide: `initCode` or `paymasterAndData` mean v0.6; `paymasterSignature` means v0.9; `factory` or another field of
 * the paymaster means v0.7, or a later version if the chain does not serve v0.7. An operation that delegates by
 * EIP-7702 is for v0.8, if the chain serves it. If no field decides, it is the version that the paymaster was
 * registered for: 1.x means v0.6, 2.0.0 means v0.7. The version in the URL does not matter.
 *
 * @throws {InvalidParamsError} for packed or mixed fields, or a version not served
 */
export function detectEntryPointVersion(
  operation: RawUserOperation,
  {
    named,
    served,
    paymasterVersion,
  }: {
    named: EntryPointVersion | undefined;
    served: readonly EntryPointVersion[];
    paymasterVersion: PaymasterVersion;
  },
): EntryPointVersion {
  const has = (field: string): boolean => operation[field] !== undefined && operation[field] !== null;
  const packed = PACKED_FIELDS.find(has);
  if (packed) throw invalid(packed, 'belongs to a packed operation; send the unpacked fields');
  const v06 = V06_FIELDS.find(has);
  const v07 = V07_FIELDS.find(has);
  if (v06 && v07) throw invalid(v07, `cannot stand beside ${v06}: one is of v0.7 and later, the other of v0.6`);
  if (named === '0.6' && v07) throw invalid(v07, 'does not exist in EntryPoint v0.6, which is named');
  if (named && named !== '0.6' && v06) throw invalid(v06, `does not exist in EntryPoint v${named}, which is named`);
  if (named) return named;
  if (!v06) {
    const delegates = DELEGATION_FIELDS.some(has) || isEip7702Factory(operation.factory);
    const candidates = has(V09_FIELD)
      ? (['0.9'] as const)
      : delegates
        ? WITH_MARKER_FIRST
        : v07
          ? PACKED_VERSIONS
          : UNNAMED_ORDER[paymasterVersion];
    const found = candidates.find((version) => served.includes(version));
    if (found) return found;
  } else if (served.includes('0.6')) return '0.6';
  throw invalid(v06 ?? v07 ?? 'sender', `is of an EntryPoint version that is not served here; served: ${list(served)}`);
}

const list = (versions: readonly EntryPointVersion[]): string => versions.map((version) => `v${version}`).join(', ');

function invalid(name: string, sentence: string): InvalidParamsError {
  const field = `params[0].${name}`;
  return new InvalidParamsError(field, `${field} ${sentence}.`);
}
