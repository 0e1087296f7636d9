import { tokenListingBuilder } from '@paymaster/domain/testing';
import { startAttackWorld, type AttackWorld } from '../../../proofs/attacks/testing/attack-world';

let world: AttackWorld;
beforeAll(async () => {
  world = await startAttackWorld();
});
afterAll(() => world?.stop());

it("signs and quotes at the paymaster's own price, even if another paymaster signed at an absurd price", async () => {
  const address = await world.chain.newToken(18);
  const price = (fixedUsd: string) => ({ ...tokenListingBuilder().build().price, feed: null, apiId: null, fixedUsd });
  const honest = await world.newTarget('0.7', { address, price: price('1') });
  const hostile = await world.newTarget('0.7', { address, price: price('0.001') });
  const sender = await honest.newSender({ baseUnits: 10n ** 30n });
  await world.chain.asAccount(sender, honest.approvePaymaster());
  const operation = await honest.draft(sender, []);

  const absurd = await hostile.sign(operation);
  await honest.quote(operation);
  const { fields } = await honest.sign(operation);

  expect(absurd.fields.exchangeRate).toBe(1_000n * fields.exchangeRate);
  expect((await hostile.sign(operation)).fields.exchangeRate).toBe(absurd.fields.exchangeRate);
});
