// No client: ethers alone, as an app without an SDK writes it. Its operation has no signature until it is sponsored.
import { drive } from './lib/drive.mjs';
import { hexOf, newSimpleAccount } from './lib/simple-account.mjs';
import { ask } from './lib/world.mjs';

const SPONSORED = {
  mode: 'SPONSORED',
  sponsorshipInfo: { smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } },
};

await drive(async ({ mode, paymasterUrl }, world) => {
  const account = await newSimpleAccount(world);
  const tokenInfo = { feeTokenAddress: world.token.address };
  const terms = mode === 'token' ? { ...SPONSORED, mode: 'ERC20', tokenInfo } : SPONSORED;
  async function send(calls, limits) {
    const draft = { ...(await account.draft(calls)), ...hexOf(limits) };
    const asSent = limits && { calculateGasLimits: false };
    return account.send(draft, await ask(paymasterUrl, 'pm_sponsorUserOperation', [draft, { ...terms, ...asSent }]));
  }
  return { sender: account.sender, send };
});
