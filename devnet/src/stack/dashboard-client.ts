/** An operation in `GET /operation`, as far as the demonstration reads it; wei as decimal text. */
export interface ListedOperation {
  readonly state: string;
  readonly reason: string | null;
  readonly expectedCostWei: string | null;
  readonly actualCostWei: string | null;
  readonly gasCostWei: string | null;
  readonly transactionHash: string | null;
}

/** The dashboard's REST operations that the local world uses, refusals as errors. */
export class DashboardClient {
  constructor(
    private readonly baseUrl: string,
    private readonly authToken: string,
  ) {}

  listPaymasters(): Promise<Array<{ name: string; chainId: number; apiKey: string }>> {
    return this.call('GET', 'paymaster');
  }

  createPaymaster(body: { name: string; type: string; chainId: number; version: string }): Promise<{ apiKey: string }> {
    return this.call('POST', 'paymaster', { body });
  }

  listContracts(apiKey: string): Promise<Array<{ address: string }>> {
    return this.call('GET', 'smart-contract', { apiKey });
  }

  createContract(
    apiKey: string,
    body: { name: string; address: string; abi: string; whitelistedMethods: readonly string[] },
  ): Promise<void> {
    return this.call('POST', 'smart-contract', { apiKey, body });
  }

  fundingMessage(apiKey: string): Promise<{ fundingMessage: string; paymasterId: string }> {
    return this.call('GET', 'funding-message', { apiKey });
  }

  setFundingWallet(apiKey: string, proof: { paymasterId: string; signature: string; address: string }): Promise<void> {
    return this.call('PATCH', 'paymaster', { apiKey, body: { type: 'paymasterFundingId', ...proof } });
  }

  changeSettings(apiKey: string, body: Readonly<Record<string, boolean | number>>): Promise<void> {
    return this.call('PATCH', 'paymaster-settings', { apiKey, body });
  }

  listPolicies(apiKey: string): Promise<Array<{ name: string }>> {
    return this.call('GET', 'paymaster-policy', { apiKey });
  }

  createPolicy(apiKey: string, body: { name: string; policyType: string; policyData: object }): Promise<void> {
    return this.call('POST', 'paymaster-policy', { apiKey, body });
  }

  /** The newest operations that match: those of a sender, or the one of a hash. */
  async listOperations(
    apiKey: string,
    filter: { userOpHash: string } | { sender: string; state: string },
  ): Promise<readonly ListedOperation[]> {
    const path = `operation?${new URLSearchParams(filter).toString()}`;
    return (await this.call<{ operations: ListedOperation[] }>('GET', path, { apiKey })).operations;
  }

  private async call<T>(method: string, path: string, options: { apiKey?: string; body?: object } = {}): Promise<T> {
    const response = await fetch(`${this.baseUrl}/api/v2/public/sdk/${path}`, {
      method,
      headers: {
        authToken: this.authToken,
        ...(options.apiKey ? { apiKey: options.apiKey } : {}),
        ...(options.body ? { 'content-type': 'application/json' } : {}),
      },
      body: options.body && JSON.stringify(options.body),
      signal: AbortSignal.timeout(60_000),
    });
    const answer = (await response.json()) as { message: string; data: T };
    if (!response.ok) throw new Error(`dashboard: ${method} ${path} answered ${response.status} ${answer.message}`);
    return answer.data;
  }
}
