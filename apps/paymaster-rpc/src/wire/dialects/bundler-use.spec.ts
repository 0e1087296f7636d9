import { SIGNING_METHODS } from '../../callers/key-grants';
import { DIALECTS } from '.';

const isOfBundler = ({ refusals }: { refusals: readonly string[] }) => refusals.includes('bundlerUse');
const methods = DIALECTS.flatMap((dialect) => dialect.methods);

/** Clients of a paymaster call all others too: a key without the bundlers goes on answering them. */
it('the methods of a bundler are those that send operations, ask what became of them, or read the chain', () => {
  expect(methods.filter(isOfBundler).map(({ name }) => name)).toEqual([
    'biconomy_getUserOperationStatus',
    'pimlico_getUserOperationStatus',
    'eth_sendUserOperation',
    'eth_estimateUserOperationGas',
    'eth_getUserOperationByHash',
    'eth_getUserOperationReceipt',
    'rundler_getUserOperationStatus',
    'eth_blockNumber',
    'eth_gasPrice',
    'eth_maxPriorityFeePerGas',
    'net_version',
    'eth_call',
    'eth_estimateGas',
    'eth_getCode',
    'eth_getBalance',
    'eth_getTransactionCount',
    'eth_getBlockByNumber',
    'eth_feeHistory',
    'eth_getLogs',
  ]);
});

/** A key that lists methods has an operation signed when it sends it only if it lists one of these. */
it('the methods that sign are those that ask for a signature, and the method that sends', () => {
  const signs = methods.filter(({ refusals }) => (refusals as readonly string[]).includes('signature'));
  const names = new Set(signs.map(({ name }) => name));
  names.delete('eth_sendUserOperation');
  expect([...names].sort()).toEqual([...SIGNING_METHODS].sort());
});
