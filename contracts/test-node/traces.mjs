/** Reading traces of `handleOps`: the steps of a paymaster's validation and what ERC-7562 says about them. */

/** OP-011, OP-080. GAS is judged apart, by what follows it (OP-012). */
export const FORBIDDEN = new Set(
  (
    'GASPRICE GASLIMIT DIFFICULTY PREVRANDAO TIMESTAMP BASEFEE BLOCKHASH NUMBER SELFBALANCE BALANCE ORIGIN ' +
    'CREATE CREATE2 COINBASE SELFDESTRUCT BLOBHASH BLOBBASEFEE INVALID'
  ).split(' '),
);
export const CALLS = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']);
export const STORAGE = new Set(['SLOAD', 'SSTORE', 'TLOAD', 'TSTORE']);
export const ECRECOVER = 1n;

export const word = (value) => BigInt(value.startsWith('0x') ? value : `0x${value}`);
export const addressOf = (value) => `0x${(word(value) & ((1n << 160n) - 1n)).toString(16).padStart(40, '0')}`;

/** Whose code the steps of one contract ask for, and by which opcode. */
export const codeReads = (steps, contract) =>
  steps
    .filter(({ op, address }) => op.startsWith('EXTCODE') && address === contract.toLowerCase())
    .map(({ op, stack }) => [op, addressOf(stack.at(-1))]);

/** The steps of each validation of the paymaster in a trace of `handleOps`, and what they call. */
export function validationsIn(trace, chain) {
  const frames = [chain.entryPoint.toLowerCase()];
  const validations = [];
  let open;
  let executing = false;
  for (let i = 0; i < trace.structLogs.length; i++) {
    const step = trace.structLogs[i];
    while (frames.length > step.depth) frames.pop();
    if (open && step.depth <= open.depth) open = undefined;
    if (open) open.steps.push({ ...step, address: frames.at(-1), next: trace.structLogs[i + 1]?.op });
    // BeforeExecution ends the validation phase; what the paymaster does later is postOp.
    if (frames.length === 1 && step.op === 'LOG1') executing = true;
    if (CALLS.has(step.op)) {
      const target = addressOf(step.stack.at(-2));
      const entered = trace.structLogs[i + 1]?.depth > step.depth;
      if (entered) frames.push(step.op === 'DELEGATECALL' || step.op === 'CALLCODE' ? frames.at(-1) : target);
      if (entered && !executing && !open && target === chain.paymaster.toLowerCase()) {
        open = { depth: step.depth, gasBefore: trace.structLogs[i + 1].gas, steps: [] };
        validations.push(open);
      }
    }
  }
  return validations;
}

export const gasOf = ({ steps }) => Number(steps[0].gas) - Number(steps.at(-1).gas) + Number(steps.at(-1).gasCost);

/** What the first to touch an account in a transaction pays more than the others (EIP-2929). */
const COLD_ACCOUNT_GAS = 2_500;
const PRECOMPILES = 0xffffn;

/**
 * What the validations of a bundle cost apart from being the first in the transaction to touch a slot or an account
 * (EIP-2929, EIP-2200).
 */
export function gasApartFromFirstTouches(validations) {
  const touched = new Set();
  return validations.map((validation) => {
    let gas = gasOf(validation);
    for (const { op, gasCost, stack } of validation.steps) {
      if (STORAGE.has(op)) gas -= Number(gasCost);
      if (!CALLS.has(op) || word(stack.at(-2)) <= PRECOMPILES || touched.has(addressOf(stack.at(-2)))) continue;
      touched.add(addressOf(stack.at(-2)));
      gas -= COLD_ACCOUNT_GAS;
    }
    return gas;
  });
}

/** What a paymaster's step is counted as; the rest is computing. */
const KINDS = new Map([
  ...[...STORAGE].map((op) => [op, 'slots']),
  ...[...CALLS, 'EXTCODESIZE', 'EXTCODECOPY', 'EXTCODEHASH'].map((op) => [op, 'calls']),
  ...['LOG0', 'LOG1', 'LOG2', 'LOG3', 'LOG4'].map((op) => [op, 'logs']),
  ['KECCAK256', 'hashing'],
]);

/**
 * Where the gas of a transaction's execution went, each step without what it calls: to the kind of step in the
 * paymaster's own code and in the EntryPoint's calls, elsewhere to whose code it is.
 * @param roleOf Whose code is at a lower-case address: 'paymaster', 'EntryPoint', …
 * @returns Gas by part. The parts add up to all that was executed; refunds are not deducted.
 */
export function gasByPart({ structLogs }, roleOf, entryPoint) {
  const parts = {};
  const frames = [];
  const finish = ({ step, role, calledGas }, gasAfter) => {
    const gas = Number(step.gas) - gasAfter - calledGas;
    const kind = isEcrecover(step) ? 'ecrecover' : (KINDS.get(step.op) ?? 'computing');
    const part = role === 'paymaster' || (role === 'EntryPoint' && kind === 'calls') ? kind : role;
    parts[part] = (parts[part] ?? 0) + gas;
  };
  const leave = () => {
    const frame = frames.pop();
    const gasAfter = Number(frame.step.gas) - Number(frame.step.gasCost);
    finish(frame, gasAfter);
    if (frames.length > 0) frames.at(-1).calledGas = frame.firstGas - gasAfter;
  };
  for (const step of structLogs) {
    while (frames.length > step.depth) leave();
    const gas = Number(step.gas);
    if (frames.length < step.depth) {
      const caller = frames.at(-1)?.step;
      frames.push({ firstGas: gas, role: roleOf(caller ? addressOf(caller.stack.at(-2)) : entryPoint) });
    } else {
      finish(frames.at(-1), gas);
    }
    Object.assign(frames.at(-1), { step, calledGas: 0 });
  }
  while (frames.length > 0) leave();
  return parts;
}

const isEcrecover = ({ op, stack }) => op === 'STATICCALL' && word(stack.at(-2)) === ECRECOVER;
