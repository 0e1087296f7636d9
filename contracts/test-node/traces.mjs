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

/** What each step costs apart from being the first in the transaction to touch a slot (EIP-2929, EIP-2200). */
export const gasApartFromStorage = (validation) =>
  gasOf(validation) -
  validation.steps.filter(({ op }) => STORAGE.has(op)).reduce((sum, { gasCost }) => sum + Number(gasCost), 0);
