import type { Hex, UserOperation } from '@paymaster/domain';
import { ECDSA_STUB, type AccountFamily, type DearestSignature } from './account-family';
import * as families from './families';

const FAMILIES: readonly AccountFamily[] = Object.values(families);
const STUB_DIGITS = ECDSA_STUB.slice(2);

/** What signatures of one key look like: an ECDSA signature, and what families put around it. */
const FORMS: ReadonlySet<Hex> = new Set(
  FAMILIES.flatMap(({ stubSignature, clientName }) => [
    ...(stubSignature ? [stubSignature] : []),
    ...Object.values(clientName?.versions ?? {}).map((version) => version.stubSignature),
  ]),
);

/**
 * The dearest signature that the account may really have, in place of the operation's dummy. Checking a dummy may be
 * cheaper: code that finds an impossible signature stops before it reads who the owners are.
 *
 * @returns undefined where no known family has signatures of that form
 */
export function dearestSignature({
  signature,
  callData,
}: Pick<UserOperation, 'signature' | 'callData'>): DearestSignature | undefined {
  const dummy = signature.toLowerCase() as Hex;
  for (const family of FAMILIES) {
    const dearest = family.dearestSignature?.(dummy, callData);
    if (dearest) return dearest;
  }
  for (const form of FORMS) if (hasForm(dummy, form)) return { signature: form, unseenGas: 0n };
  return undefined;
}

function hasForm(dummy: Hex, form: Hex): boolean {
  const at = form.indexOf(STUB_DIGITS);
  const after = at + STUB_DIGITS.length;
  return dummy.length === form.length && dummy.startsWith(form.slice(0, at)) && dummy.endsWith(form.slice(after));
}
