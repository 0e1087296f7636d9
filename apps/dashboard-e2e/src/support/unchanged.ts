import { call } from './dashboard-client';
import { only, type Keys } from './fixtures';

/** Everything an owner can see of an account and one of its paymasters. */
async function visibleState(keys: Keys): Promise<unknown> {
  const paths = ['/paymaster', '/smart-contract', '/paymaster-settings', '/token', '/paymaster-policy', '/webhook'];
  const answers = await Promise.all(paths.map((path) => call({ method: 'GET', path, ...only(keys) })));
  return answers.map(({ body }) => body);
}

/** Runs `action` and checks that it left no trace. */
export async function leavingNoTrace<T>(keys: Keys, action: () => Promise<T>): Promise<T> {
  const before = await visibleState(keys);
  const result = await action();
  expect(await visibleState(keys)).toEqual(before);
  return result;
}
