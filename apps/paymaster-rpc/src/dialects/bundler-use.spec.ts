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
