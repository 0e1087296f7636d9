import { randomBytes } from 'node:crypto';
import { DEV_KEYS } from '@paymaster/devnet';
import { demoCounterAbi } from '@paymaster/contract-abis';
import { encodeFunctionData, numberToHex, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CHAIN_ID, type CanaryWorld } from '../world/canary-world';

const ACCOUNT_ABI = parseAbi(['function execute(address dest, uint256 value, bytes func)']);
const SDK = '/api/v2/public/sdk';

export interface Owner {
  readonly authToken: string;
  readonly apiKey: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Owners and clients, who keep every answer that is no secret's own. */
export class Traffic {
  /** Status, headers and body of each answer. */
  readonly answers: string[] = [];

  constructor(
    private readonly world: CanaryWorld,
    /** Sent with every request. */
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** @returns the answer's body, whatever it is */
  async send(url: string, { method = 'GET', headers, body }: Sent = {}): Promise<string> {
    const { text, answer } = await this.fetch(url, { method, headers, body });
    this.answers.push(answer);
    return text;
  }

  rpc(apiKey: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const path = apiKey === '' ? '' : `/${apiKey}`;
    return this.send(`${this.world.url['paymaster-rpc']}/api/v2/${CHAIN_ID}${path}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** A client's request, with its gas limits or without. */
  sponsor({ calculateGasLimits = false } = {}): object {
    const { demo } = this.world;
    const callData = encodeFunctionData({
      abi: ACCOUNT_ABI,
      functionName: 'execute',
      args: [demo.address, 0n, demo.callData],
    });
    const operation = {
      ...{ sender: numberToHex(BigInt(`0x${randomBytes(20).toString('hex')}`), { size: 20 }), nonce: '0x0' },
      ...{ initCode: '0x', callData, callGasLimit: '0x186a0', verificationGasLimit: '0x249f0' },
      ...{ preVerificationGas: '0xea60', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' },
      ...{ signature: `0x${'00'.repeat(65)}`, paymasterAndData: '0x' },
    };
    const sponsorshipInfo = { webhookData: {}, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } };
    const mode = { mode: 'SPONSORED', calculateGasLimits, expiryDuration: 120, sponsorshipInfo };
    return { jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params: [operation, mode] };
  }

  dashboard(owner: Partial<Owner>, method: string, path: string, body?: object): Promise<string> {
    return this.send(`${this.world.url.dashboard}${SDK}${path}`, this.asOwner(owner, method, body));
  }

  /** A request whose answer shows its owner a secret, which is planted from here on. @throws {Error} when refused */
  async dashboardSecret(owner: Partial<Owner>, method: string, path: string, body?: object) {
    const { text } = await this.fetch(`${this.world.url.dashboard}${SDK}${path}`, this.asOwner(owner, method, body));
    const { statusCode, message, data } = JSON.parse(text) as {
      statusCode: number;
      message: string;
      data: Record<string, unknown>;
    };
    if (statusCode !== 200) throw new Error(`${method} ${path}: ${message}`);
    return data;
  }

  /** A new account with a paymaster that sponsors the demo contract from the funding wallet. */
  async newOwner(): Promise<Owner> {
    const authToken = this.world.plant('authToken', await this.world.createAccount('canaries'));
    const paymaster = { name: 'canaries', type: 'HYBRID', chainId: CHAIN_ID, version: '1.1.0' };
    const { apiKey } = await this.dashboardSecret({ authToken }, 'POST', '/paymaster', paymaster);
    const owner = { authToken, apiKey: this.world.plant('apiKey', String(apiKey)) };
    const contract = {
      name: 'demo',
      address: this.world.demo.address,
      abi: JSON.stringify(demoCounterAbi),
      whitelistedMethods: ['increment'],
    };
    await this.dashboard(owner, 'POST', '/smart-contract', contract);
    const { fundingMessage, paymasterId } = await this.dashboardSecret(owner, 'GET', '/funding-message');
    const { address, privateKey } = DEV_KEYS.fundingWallet;
    const signature = await privateKeyToAccount(privateKey).signMessage({ message: String(fundingMessage) });
    await this.dashboardSecret(owner, 'PATCH', '/paymaster', {
      paymasterId,
      type: 'paymasterFundingId',
      signature,
      address,
    });
    return owner;
  }

  private asOwner({ authToken, apiKey }: Partial<Owner>, method: string, body?: object): Sent {
    const headers = {
      ...(authToken !== undefined && { authToken }),
      ...(apiKey !== undefined && { apiKey }),
      ...(body && { 'content-type': 'application/json' }),
    };
    return { method, headers, ...(body && { body: JSON.stringify(body) }) };
  }

  private async fetch(url: string, { method, headers, body }: Sent): Promise<{ text: string; answer: string }> {
    const all = { ...this.headers, ...headers };
    const response = await fetch(url, { method, headers: all, body, signal: AbortSignal.timeout(30_000) });
    const text = await response.text();
    const answer = [response.status, ...[...response.headers].map((header) => header.join(': ')), text].join('\n');
    return { text, answer };
  }
}
