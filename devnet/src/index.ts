/** The local world as a library: start its parts, or read the one that runs and talk to it. */
export { DEMO_NATIVE, DEMO_TOKENS, PRICED_ASSETS, type DemoToken } from './chain/demo-assets';
export { deployDemoTokens, mintTokens, type DeployedToken } from './chain/demo-tokens';
export { deployPriceFeeds, FEED_HEARTBEAT_SECONDS, type DemoFeeds } from './chain/price-feeds';
export { DEV_KEYS, type DevKey, type DevKeys } from './chain/dev-keys';
export { connectDevChain, type DevChain } from './chain/dev-chain';
export {
  CANONICAL_ACCOUNT_FACTORIES,
  CANONICAL_DELEGATE,
  deployCanonicalContracts,
  type PerVersion,
} from './chain/canonical-contracts';
export { world, type World, type WorldOptions } from './chain/world';
export { placeContract, type PlacedContract } from './chain/place-contract';
export { placeAccounts } from './chain/placed-accounts';
export { deployDemoContract, deployPaymasters, fundingBalanceWei, paymasterAbi } from './chain/paymaster-contracts';
export { demonstrateSettlement } from './demonstration/demonstrate-settlement';
export { demonstrateSponsorship } from './demonstration/demonstrate-sponsorship';
export { JsonRpcError, rpc } from './chain/json-rpc';
export { landed, type Landed } from './operations/landed';
export { chainReader, simpleAccount, viemChain, type SimpleAccount } from './operations/simple-account';
export {
  draftUserOperation,
  sendUserOperation,
  signUserOperation,
  type Call,
  type WireUserOperation,
} from './operations/user-operation';
export { LOCAL_CHAIN_ID, startAnvil, type Anvil, type AnvilOptions } from './processes/anvil';
export { startBundler, type Bundler, type BundlerOptions } from './chain/bundler';
export { Commands, type Ended, type StartedCommand } from './processes/commands';
export { chromiumBinary } from './processes/chromium-binary';
export { findOnPath, isExecutable, namedBinary } from './processes/find-binary';
export { BLOCK_GAS_LIMIT, keepBaseFee, Neighbours, USUAL_BASE_FEE_WEI } from './chain/neighbours';
export { freePort, onSamePort } from './processes/free-port';
export { startNats, type Nats, type NatsOptions } from './processes/nats';
export { makeDatabase, openDatabase, type DatabaseTemplate, type TestDatabase } from './processes/open-database';
export { startPostgres, type Postgres, type PostgresOptions } from './processes/postgres';
export { SmtpReceiver } from './processes/smtp-receiver';
export { startProcess, stopAllProcesses, type LogLine, type RunningProcess } from './processes/process-registry';
export { aptGet, succeeds } from './processes/system-packages';
export { startGatewayWithBundlers, startGatewayWithOwnPrices, startStrictGateway } from './stack/another-gateway';
export { fairnessOf, type Attacker, type HonestAnswer, type PreparedRequest } from './processes/traffic';
export { startNatsOf, stopNatsOf } from './stack/nats-switch';
export {
  builtFile,
  makeEventStream,
  startApplication,
  type Application,
  type ApplicationOptions,
} from './stack/applications';
export { controlPriceServer, startPriceServer } from './stack/price-server';
export { accountCommand, AccountCommands } from './stack/account-command';
export { DashboardClient } from './stack/dashboard-client';
export { seedPaymaster } from './stack/seed';
export { readStack, stackFile, type Stack, type StackToken } from './stack/stack-file';
export { startStack, type RunningStack, type StackOptions } from './stack/start-stack';
