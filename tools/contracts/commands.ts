import { existsSync, writeFileSync } from 'node:fs';
import { demoCounterBytecode } from '@paymaster/contract-abis';
import { CANONICAL_ENTRY_POINTS, type Address, type EntryPointVersion } from '@paymaster/domain';
import { formatEther, Wallet } from 'ethers';
import { roleOf, writeChainsEntry, writeNextPaymaster, writeSwitch } from './chains-entry';
import { UsageError, type CommandLine } from './command-line';
import { openKeystore, readPassphrase } from './keystore';
import { OperatorChain } from './operator-chain';
import { creationCode, PaymasterContract } from './paymaster-contract';

/** From an hour to a week: what the contract allows. */
const LEAST_WITHDRAWAL_DELAY_SECONDS = 3_600;
const MOST_WITHDRAWAL_DELAY_SECONDS = 7 * 86_400;
const MOST_UNSTAKE_DELAY_SECONDS = 365 * 86_400;

type Say = (line: string) => void;
type Command = (line: CommandLine, say: Say) => Promise<void>;

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  'new-key': newKey,
  sign: sign,
  deploy: onChain(deploy),
  switch: onChain(switchTo, { pays: false }),
  deposit: onChain(deposit),
  'add-signer': onChain(addSigner),
  'remove-signer': onChain(removeSigner),
  'return-unsettled': onChain(returnUnsettled),
  'credit-unsettled': onChain(creditUnsettled),
  status: onChain(status, { pays: false }),
  demo: onChain(demo),
};

type ChainCommand = (on: { chain: OperatorChain; line: CommandLine; say: Say }) => Promise<void>;

function onChain(command: ChainCommand, { pays }: { pays: boolean } = { pays: true }): Command {
  return async (line, say) => {
    const chain = await OperatorChain.open(line, { pays });
    try {
      await command({ chain, line, say });
    } finally {
      chain.close();
    }
  };
}

async function newKey(line: CommandLine, say: Say): Promise<void> {
  const file = line.required('keystore');
  if (existsSync(file)) throw new UsageError(`--keystore: ${file} is there already`);
  const wallet = Wallet.createRandom();
  const keystore = await wallet.encrypt(readPassphrase(line));
  writeFileSync(file, keystore, { mode: 0o600, flag: 'wx' });
  say(wallet.address.toLowerCase());
}

async function sign(line: CommandLine, say: Say): Promise<void> {
  const wallet = await openKeystore(line);
  say(await wallet.signMessage(line.required('message')));
}

async function deploy({ chain, line, say }: Parameters<ChainCommand>[0]): Promise<void> {
  const version = line.entryPoint();
  const signers = line.addresses('signer');
  if (signers.length === 0) throw new UsageError('--signer is missing');
  const owner = line.optional('owner') === undefined ? chain.sender : line.address('owner');
  const delays = {
    withdrawalDelaySeconds: line.seconds('withdrawal-delay-seconds', {
      ...{ fallback: 7_200, least: LEAST_WITHDRAWAL_DELAY_SECONDS, most: MOST_WITHDRAWAL_DELAY_SECONDS },
    }),
    unstakeDelaySeconds: line.seconds('unstake-delay-seconds', { fallback: 86_400, most: MOST_UNSTAKE_DELAY_SECONDS }),
  };
  const stakeWei = line.wei('stake-eth', '0.1');
  const file = line.optional('chains-file');
  const bundlerUrl = file === undefined ? undefined : line.required('bundler-url');
  const entryPoint = CANONICAL_ENTRY_POINTS[version];
  if (!(await chain.hasCode(entryPoint))) {
    throw new UsageError(`--entry-point: chain ${chain.chainId} has no EntryPoint v${version} at ${entryPoint}`);
  }

  const { withdrawalDelaySeconds, unstakeDelaySeconds } = delays;
  const before = await chain.provider.getBlockNumber();
  const code = await creationCode({ version, owner, signers, withdrawalDelaySeconds });
  const entry = file === undefined ? undefined : { file, chainId: chain.chainId, version };
  if (entry && (await isToBeFollowedFirst(entry, { chain, address: chain.addressOf(code), say }))) return;
  const deployed = await chain.deploy(code);
  say(`paymaster for EntryPoint v${version}: ${deployed.address} (${deployed.blockNumber ? 'deployed' : 'was there'})`);
  const paymaster = await PaymasterContract.at(chain, deployed.address);
  const { isStaked } = await paymaster.state();
  if (isStaked) say('stake: was there');
  else if (owner !== chain.sender) say(`stake: left to the owner ${owner}`);
  else {
    await paymaster.call('addStake', [unstakeDelaySeconds], stakeWei);
    say(`stake: ${formatEther(stakeWei)} for ${unstakeDelaySeconds} s`);
  }
  if (!entry || file === undefined || bundlerUrl === undefined) return;
  const { role } = roleOf(entry, deployed.address);
  if (role === 'next' || role === 'draining') {
    return say(`chain ${chain.chainId} in ${file}: nothing is signed for it before \`switch\``);
  }
  const rpcUrl = line.optional('rpc-url') ?? process.env['RPC_URL'] ?? '';
  const startBlock = deployed.blockNumber ?? before;
  await writeChainsEntry(chain, { file, rpcUrl, bundlerUrl, version, paymaster: deployed.address, startBlock });
  say(`chain ${chain.chainId} is in ${file}${deployed.blockNumber ? '' : '; look at its startBlock'}`);
}

/**
 * A contract that takes another's place is named in chains.json before it is deployed: anybody may deposit from the
 * first block on, and settlement can't take into its books what it has missed.
 */
async function isToBeFollowedFirst(
  entry: { file: string; chainId: number; version: EntryPointVersion },
  { chain, address, say }: { chain: OperatorChain; address: Address; say: Say },
): Promise<boolean> {
  const { role, isServed } = roleOf(entry, address);
  if (!isServed || role !== undefined) return false;
  if (await chain.hasCode(address)) {
    throw new UsageError(
      `--chains-file: ${address} is deployed, and ${entry.file} does not name it: settlement may have missed deposits. ` +
        'Another --withdrawal-delay-seconds or --owner gives another address',
    );
  }
  writeNextPaymaster(entry, address);
  say(`${address} is nextPaymaster of EntryPoint v${entry.version} in ${entry.file}. Nothing is deployed yet:`);
  say('let settlement follow it first (start it again with this file), then give this command again');
  return true;
}

async function switchTo({ chain, line, say }: Parameters<ChainCommand>[0]): Promise<void> {
  const version = line.entryPoint();
  const entry = { file: line.required('chains-file'), chainId: chain.chainId, version };
  const address = line.address('paymaster');
  const signers = line.addresses('signer');
  if (signers.length === 0) throw new UsageError('--signer is missing');
  const { role } = roleOf(entry, address);
  if (role === 'signedFor') return say(`operations are signed for ${address} already`);
  if (role === undefined) {
    throw new UsageError(`--paymaster: ${entry.file} names ${address} neither as next nor as draining`);
  }
  const paymaster = await PaymasterContract.at(chain, address);
  const { entryPoint, isPaused, isStaked } = await paymaster.state();
  if (entryPoint !== CANONICAL_ENTRY_POINTS[version]) throw new UsageError(`--paymaster: it is of ${entryPoint}`);
  if (isPaused) throw new UsageError('--paymaster: it is paused');
  if (!isStaked) throw new UsageError('--paymaster: it has no stake, so bundlers refuse its operations');
  for (const signer of signers) {
    if (!(await paymaster.isSigner(signer))) throw new UsageError(`--signer: ${signer} may not sign for it yet`);
  }
  writeSwitch(entry, address);
  say(`operations are signed for ${address} once gateways and dashboards are started again with ${entry.file}`);
}

async function deposit({ chain, line, say }: Parameters<ChainCommand>[0]): Promise<void> {
  const paymaster = await PaymasterContract.at(chain, line.address('paymaster'));
  const fundingWallet = line.address('funding-wallet');
  await paymaster.call('depositFor', [fundingWallet], line.wei('eth'));
  say(`${fundingWallet} has ${formatEther(await paymaster.balanceOf(fundingWallet))} on ${paymaster.address}`);
}

async function addSigner({ chain, line, say }: Parameters<ChainCommand>[0]): Promise<void> {
  const paymaster = await PaymasterContract.at(chain, line.address('paymaster'));
  const signer = line.address('signer');
  if (await paymaster.signerActiveFrom(signer)) return say(`${signer} was a signer already`);
  await paymaster.call('addSigner', [signer]);
  const activeFrom = asDate(await paymaster.signerActiveFrom(signer));
  say(`${signer} is a signer of ${paymaster.address} after ${activeFrom}`);
}

async function removeSigner({ chain, line, say }: Parameters<ChainCommand>[0]): Promise<void> {
  const paymaster = await PaymasterContract.at(chain, line.address('paymaster'));
  const signer = line.address('signer');
  if (!(await paymaster.signerActiveFrom(signer))) return say(`${signer} was no signer`);
  if ((await paymaster.state()).signerCount === 1n) throw new UsageError('--signer: it is the last one');
  await paymaster.call('removeSigner', [signer]);
  say(`${signer} is no signer of ${paymaster.address} any more`);
}

async function returnUnsettled({ chain, line, say }: Parameters<ChainCommand>[0]): Promise<void> {
  const paymaster = await PaymasterContract.at(chain, line.address('paymaster'));
  const fundingWallet = line.address('funding-wallet');
  const [recordedWei, returnedWei] = [line.wholeWei('recorded-wei'), line.wholeWei('returned-wei')];
  const unsettledWei = await paymaster.unsettledOf(fundingWallet);
  if (recordedWei > unsettledWei) throw new UsageError(`--recorded-wei: ${unsettledWei} are recorded`);
  if (returnedWei > recordedWei) throw new UsageError('--returned-wei must not be above --recorded-wei');
  await paymaster.call('returnUnsettled', [fundingWallet, recordedWei, returnedWei]);
  const delaySeconds = await paymaster.signerDelaySeconds();
  say(
    `${fundingWallet} gets ${formatEther(returnedWei)} back by credit-unsettled, in ${delaySeconds} s at the earliest`,
  );
}

async function creditUnsettled({ chain, line, say }: Parameters<ChainCommand>[0]): Promise<void> {
  const paymaster = await PaymasterContract.at(chain, line.address('paymaster'));
  const fundingWallet = line.address('funding-wallet');
  await paymaster.call('creditUnsettled', [fundingWallet]);
  say(`${fundingWallet} has ${formatEther(await paymaster.balanceOf(fundingWallet))} on ${paymaster.address}`);
}

async function status({ chain, line, say }: Parameters<ChainCommand>[0]): Promise<void> {
  const paymaster = await PaymasterContract.at(chain, line.address('paymaster'));
  const state = await paymaster.state();
  say(`paymaster       ${paymaster.address} on chain ${chain.chainId}${state.isPaused ? ', PAUSED' : ''}`);
  say(`entry point     ${state.entryPoint}`);
  say(`owner           ${state.owner}`);
  say(`signers         ${state.signerCount}`);
  say(`stake           ${state.isStaked ? formatEther(state.stakeWei) : 'NONE'}, ${state.unstakeDelaySeconds} s`);
  say(`deposit         ${formatEther(state.depositWei)} of all funding wallets`);
  say(`withdrawals     after ${state.withdrawalDelaySeconds} s`);
  for (const signer of line.addresses('signer')) {
    const activeFrom = await paymaster.signerActiveFrom(signer);
    const isWaiting = activeFrom !== 0n && !(await paymaster.isSigner(signer));
    say(`signer          ${signer} ${isWaiting ? `after ${asDate(activeFrom)}` : activeFrom ? 'yes' : 'NO'}`);
  }
  for (const wallet of line.addresses('funding-wallet')) {
    say(`funding wallet  ${wallet} ${formatEther(await paymaster.balanceOf(wallet))}`);
  }
}

function asDate(unixTime: bigint): string {
  return new Date(Number(unixTime) * 1_000).toISOString();
}

async function demo({ chain, say }: Parameters<ChainCommand>[0]): Promise<void> {
  const { address } = await chain.deploy(demoCounterBytecode);
  say(address);
}
