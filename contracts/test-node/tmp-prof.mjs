import { startChain } from './chain.mjs';
import { WAYS as W } from './token-terms.mjs';
import { parseEther } from 'viem';
const version = process.argv[2] ?? 'v07';
const detail = process.argv.includes('-d');
const c = await startChain(version);
const S = { SLOAD: 'slots', SSTORE: 'slots', TLOAD: 'transient', TSTORE: 'transient', LOG0: 'logs', LOG1: 'logs', LOG2: 'logs', LOG3: 'logs', LOG4: 'logs', KECCAK256: 'keccak', SHA3: 'keccak', MLOAD: 'mem', MSTORE: 'mem', MSTORE8:'mem', CALLDATALOAD: 'calldata', CALLDATACOPY: 'calldata', CALLDATASIZE: 'calldata', RETURNDATACOPY: 'calldata', MCOPY: 'mem', JUMP: 'jump', JUMPI: 'jump', JUMPDEST: 'jump', CALL: 'call', STATICCALL: 'call', DELEGATECALL: 'call', EXTCODESIZE:'code' };
function profile(trace) {
  const logs = trace.structLogs; const by = {}; const frames = [c.entryPoint.toLowerCase()];
  for (let i = 0; i < logs.length; i++) {
    const s = logs[i];
    while (frames.length > s.depth) frames.pop();
    const who = frames.at(-1);
    let cost = Number(s.gasCost);
    if (['CALL', 'STATICCALL', 'DELEGATECALL'].includes(s.op)) {
      let j = i + 1, inner = 0;
      if (logs[j]?.depth > s.depth) {
        while (logs[j].depth > s.depth) j++;
        // inner gas consumed = first inner gas - last inner remaining
        const last = logs[j - 1]; const f = logs[i + 1];
        // exact: total for call = s.gas - logs[j].gas; subtract consumed inside
        let consumed = Number(f.gas) - (Number(last.gas) - Number(last.gasCost));
        cost = Number(s.gas) - Number(logs[j].gas) - consumed;
      } else cost = Number(s.gas) - Number(logs[j].gas);
      const t = '0x' + BigInt(s.stack.at(-2).startsWith('0x') ? s.stack.at(-2) : '0x' + s.stack.at(-2)).toString(16).padStart(40, '0').slice(-40);
      if (logs[i + 1]?.depth > s.depth) frames.push(s.op === 'DELEGATECALL' ? who : t);
    }
    const name = who === c.paymaster.toLowerCase() ? 'pm' : who === c.entryPoint.toLowerCase() ? 'ep' : who === c.token.toLowerCase() ? 'token' : 'account';
    const k = name + '.' + (S[s.op] ?? 'stack');
    by[k] = (by[k] ?? 0) + cost; by[name] = (by[name] ?? 0) + cost;
    if (process.env.DUMP && name === 'pm') console.log('D', s.pc, s.op, cost, s.gas, s.depth);
    if (detail && name === 'pm' && ['SLOAD','SSTORE','LOG3','LOG4','KECCAK256','STATICCALL'].includes(s.op)) console.log(s.op, cost, s.gas);
  }
  return by;
}
try {
  const [a, b, t1, t2] = c.accounts;
  await c.depositTo(a, parseEther('10'));
  const run = async (name, make) => {
    let used, op;
    for (let i = 0; i < 3; i++) { op = await make(); if (i === 2) break; used = Number((await c.send([op])).gasUsed); }
    const p = profile(await c.trace([op]));
    used = Number((await c.send([op])).gasUsed);
    return { name, used, p };
  };
  const plain = await run('plain', async () => ({ ...(await c.operation(a)), paymasterAndData: '0x' }));
  const out = [plain, await run('sponsored', () => c.operation(b))];
  if (process.argv.includes('-t')) for (const [k, w] of Object.entries(W)) out.push(await run(k, () => c.operation(k === 'allowance' ? t1 : t2, { way: w })));
  for (const o of out.slice(1)) console.log(o.name, 'adds', o.used - plain.used, 'intrinsic+refunds', (o.used - plain.used) - ['pm','ep','token','account'].reduce((s, k) => s + (o.p[k] ?? 0) - (plain.p[k] ?? 0), 0));
  const keys = [...new Set(out.flatMap((o) => Object.keys(o.p)))].sort();
  for (const k of keys) console.log(k.padEnd(16), out.map((o) => String(o === plain ? o.p[k] ?? 0 : (o.p[k] ?? 0) - (plain.p[k] ?? 0)).padStart(8)).join(''));
} finally { await c.stop(); process.exit(0); }
