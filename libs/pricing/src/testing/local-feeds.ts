import type { Address, Hex } from '@paymaster/domain';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@paymaster/domain/testing';
import solc from 'solc';
import type { ContractCall, ContractReader } from '../sources/feed/contract-reader';

const PACKAGED = join(process.cwd(), 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil');
/** anvil's first account; its key is public and it signs by itself. */
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

/** A Chainlink-style feed whose answers the test sets. */
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;
contract Feed {
  uint8 public immutable decimals;
  uint80 private roundId; int256 private answer; uint256 private startedAt; uint256 private updatedAt;
  constructor(uint8 decimals_) { decimals = decimals_; }
  function set(int256 answer_, uint256 startedAt_, uint256 updatedAt_) external {
    (roundId, answer, startedAt, updatedAt) = (roundId + 1, answer_, startedAt_, updatedAt_);
  }
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    return (roundId, answer, startedAt, updatedAt, roundId);
  }
}`;

/** A real local chain with real feed contracts, for integration tests. */
export class LocalFeeds implements ContractReader {
  private constructor(
    private readonly url: string,
    private readonly anvil: ChildProcess,
    private readonly ended: Promise<void>,
    private readonly contract: { readonly bytecode: string; readonly setSelector: string },
  ) {}

  /** Starts anvil on a free port; the binary comes from the npm package, else from PATH. */
  static async start(): Promise<LocalFeeds> {
    const anvil = spawn(existsSync(PACKAGED) ? PACKAGED : 'anvil', ['--port', '0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise<void>((resolve) => anvil.once('exit', () => resolve()));
    const url = await new Promise<string>((resolve, reject) => {
      anvil.once('error', reject).once('exit', () => reject(new Error('anvil ended before it listened')));
      let printed = '';
      anvil.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        const [, address] = /Listening on (\S+)/.exec(printed) ?? [];
        if (address) resolve(`http://${address}`);
      });
    });
    return new LocalFeeds(url, anvil, ended, compileFeed());
  }

  async stop(): Promise<void> {
    this.anvil.kill('SIGTERM');
    await this.ended;
  }

  /** Deploys a feed without a round. */
  async deploy(decimals: number): Promise<Address> {
    const { contractAddress } = await this.send({ data: `0x${this.contract.bytecode}${word(BigInt(decimals))}` });
    return contractAddress;
  }

  /** Writes a round; times in unix seconds. */
  async set(feed: Address, round: { answer: bigint; startedAt: number; updatedAt: number }): Promise<void> {
    const words = [round.answer, BigInt(round.startedAt), BigInt(round.updatedAt)].map(word).join('');
    await this.send({ to: feed, data: `0x${this.contract.setSelector}${words}` });
  }

  /** The newest block's time; unix seconds. */
  async nowSeconds(): Promise<number> {
    const { timestamp } = (await this.rpc('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
    return Number(timestamp);
  }

  async ethCall<T>({ gas, ...call }: ContractCall, parse: (returned: unknown) => T): Promise<T> {
    const wire = { ...call, ...(gas !== undefined && { gas: `0x${gas.toString(16)}` }) };
    return parse(await this.rpc('eth_call', [wire, 'latest']));
  }

  private async send(transaction: { to?: Address; data: Hex }): Promise<{ contractAddress: Address }> {
    const hash = await this.rpc('eth_sendTransaction', [{ from: SENDER, ...transaction }]);
    return until(() => this.rpc('eth_getTransactionReceipt', [hash]) as Promise<{ contractAddress: Address } | null>);
  }

  private async rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  }
}

function compileFeed(): { bytecode: string; setSelector: string } {
  const outputSelection = { '*': { '*': ['evm.bytecode.object', 'evm.methodIdentifiers'] } };
  const input = { language: 'Solidity', sources: { Feed: { content: SOURCE } }, settings: { outputSelection } };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    contracts: { Feed: { Feed: { evm: { bytecode: { object: string }; methodIdentifiers: Record<string, string> } } } };
  };
  const { bytecode, methodIdentifiers } = output.contracts.Feed.Feed.evm;
  return { bytecode: bytecode.object, setSelector: methodIdentifiers['set(int256,uint256,uint256)'] ?? '' };
}

function word(value: bigint): string {
  return BigInt.asUintN(256, value).toString(16).padStart(64, '0');
}
