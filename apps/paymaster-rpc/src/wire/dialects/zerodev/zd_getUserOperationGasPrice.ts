import { pimlicoGetUserOperationGasPrice } from '../pimlico/pimlico_getUserOperationGasPrice';

/** The same question and answer as Pimlico's, by the name that ZeroDev's SDK knows. */
export const zdGetUserOperationGasPrice: typeof pimlicoGetUserOperationGasPrice = {
  ...pimlicoGetUserOperationGasPrice,
  name: 'zd_getUserOperationGasPrice',
};
