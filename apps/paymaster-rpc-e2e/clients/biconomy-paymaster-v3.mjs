// Runs one method of the unmodified BiconomyPaymaster of @biconomy/paymaster 3 (ethers v5) and prints its outcome as a line of JSON.
const { BiconomyPaymaster } = require('@biconomy/paymaster');

const { paymasterUrl, method, args } = JSON.parse(process.argv[2]);

new BiconomyPaymaster({ paymasterUrl })
  [method](...args)
  .then(
    (returned) => ({ returned }),
    (error) => ({ thrown: { message: error.message, code: error.code } }),
  )
  .then((outcome) => process.stdout.write(`\n${JSON.stringify(outcome)}\n`));
