// No client: ethers alone, as an app without an SDK writes it. Its operation has no signature until it is sponsored.
import { drive } from './lib/drive.mjs';
import { newSimpleAccount } from './lib/simple-account.mjs';
import { ask } from './lib/world.mjs';

const SPONSORED = {
  mode: 'SPONSORED',
  sponsorshipInfo: { smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } },
};

await drive(async ({ mode, paymasterUrl }, world) => {
  const account = await newSimpleAccount(world);
  if (mode === 'token') await world.giveTokens(account.sender);
  const approvals = mode === 'token' ? [world.approve(world.stack.paymasters['0.6'])] : [];
  const draft = await account.draft([...approvals, world.increment]);
  const tokenInfo = { feeTokenAddress: world.token.address };
  const terms = mode === 'token' ? { mode: 'ERC20', tokenInfo } : SPONSORED;
  return account.send(draft, await ask(paymasterUrl, 'pm_sponsorUserOperation', [draft, terms]));
});
