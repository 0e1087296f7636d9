import { startChain } from './chain.mjs';
import { WAYS as W } from './token-terms.mjs';
import { parseAbi, encodeFunctionData, parseEther } from 'viem';
const version = process.argv[2] ?? 'v07';
const c = await startChain(version);
try {
  const [a, b, t1, t2] = c.accounts;
  // fund account a on the EntryPoint by anvil impersonation of account itself is not needed: depositTo by anyone
  const { createWalletClient, http } = await import('viem');
  const r = [];
  const gas = async (op) => { const x = await c.send([op]); return Number(x.gasUsed); };
  for (let i = 0; i < 3; i++) r.push(['sponsored', await gas(await c.operation(b))]);
  for (const [k, w] of Object.entries(W)) for (let i = 0; i < 3; i++) r.push([k, await gas(await c.operation(k === 'allowance' ? t1 : t2, { way: w }))]);
  // without a paymaster
  const plain = async () => { const op = await c.operation(a); return { ...op, paymasterAndData: '0x' }; };
  await c.depositTo(a, parseEther('10'));
  for (let i = 0; i < 3; i++) r.push(['plain', await gas(await plain())]);
  console.log(r.map(([k, g]) => `${k} ${g}`).join('\n'));
} finally { await c.stop(); process.exit(0); }
