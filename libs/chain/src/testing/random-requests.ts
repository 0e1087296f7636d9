import { faker } from '@faker-js/faker';
import type { EntryPointVersion, UserOperation } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';

/** Requests in flight at the chain; more does not make it faster. */
const BATCH = 50;

/** A random operation; in half of the cases it deploys its account. */
export function randomSignableOperation(version: EntryPointVersion): UserOperation {
  const nonce = BigInt(randomHex(32));
  const deploying = faker.datatype.boolean();
  if (version === '0.6')
    return userOperationV06Builder()
      .with('nonce', nonce)
      .with('initCode', deploying ? randomHex(60) : '0x')
      .build();
  return userOperationV07Builder(version)
    .with('nonce', nonce)
    .with('factory', deploying ? randomAddress() : undefined)
    .with('factoryData', randomHex(faker.number.int({ min: 1, max: 99 })))
    .build();
}

/** Runs `work` this many times, some at a time. */
export async function inBatches(count: number, run: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += BATCH) await Promise.all(Array.from({ length: BATCH }, run));
}
