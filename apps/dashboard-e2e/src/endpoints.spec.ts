import { readStack } from '@paymaster/devnet';
import { Wallet } from 'ethers';
import { accountCommand, freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import {
  contractBody,
  freshContract,
  freshPaymaster,
  fundingMessage,
  listContracts,
  only,
  paymasterBody,
  QUOTE_ABI,
  type ContractRecord,
  type PaymasterRecord,
} from './support/fixtures';

/** Service interface, part B: one case per row of the endpoints table. */
describe('dashboard endpoints', () => {
  let authToken: string;
  beforeAll(async () => ({ authToken } = await freshAccount()));

  it('1 lists the paymasters of the account', async () => {
    const { authToken: own } = await freshAccount();
    const { authToken: _, ...paymaster } = await freshPaymaster(own);
    const answer = await call<PaymasterRecord[]>({ method: 'GET', path: '/paymaster', authToken: own });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ statusCode: 200, message: 'DApp list fetched', data: [paymaster] });
  });

  it('2 creates a paymaster', async () => {
    const body = paymasterBody();
    const answer = await call<PaymasterRecord>({ method: 'POST', path: '/paymaster', authToken, body });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'DApp registered successfully',
      data: {
        name: body.name,
        chainId: body.chainId,
        apiKey: expect.stringMatching(
          /^[A-Za-z0-9_-]{9}\.[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        ),
      },
    });
  });

  it('3 creates a smart contract, and warns of an address without code', async () => {
    const keys = await freshPaymaster(authToken);
    const create = (address: string) =>
      call({ method: 'POST', path: '/smart-contract', ...only(keys), body: { ...contractBody(), address } });
    const created = { statusCode: 200, message: 'Smart contract registered successfully' };
    const answer = await create(readStack().demoContract.address);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(created);
    const warned = await create(contractBody().address);
    expect(warned.body).toEqual({ ...created, warnings: [expect.stringContaining('There is no contract at')] });
  });

  it('3 takes a contract without whitelistedMethods as one with none', async () => {
    const keys = await freshPaymaster(authToken);
    const { whitelistedMethods: _, ...body } = contractBody();
    await call({ method: 'POST', path: '/smart-contract', ...only(keys), body });
    expect((await listContracts(keys))[0]?.whitelistedMethods).toEqual([]);
  });

  it('4 lists the smart contracts, address in lower case and ABI as sent', async () => {
    const keys = await freshPaymaster(authToken);
    const abi = ` ${QUOTE_ABI}\n`;
    const body = { ...contractBody(), address: '0xe31B0BcBda693Bff2529F4A1d9f7E8f6D924c6aB', abi };
    await call({ method: 'POST', path: '/smart-contract', ...only(keys), body });
    const answer = await call<ContractRecord[]>({ method: 'GET', path: '/smart-contract', ...only(keys) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'Smart contract list fetched',
      data: [
        {
          name: body.name,
          address: '0xe31b0bcbda693bff2529f4a1d9f7e8f6d924c6ab',
          abi,
          whitelistedMethods: ['setQuote'],
          methods: ['setQuote', 'reset'],
        },
      ],
    });
  });

  it('5 updates the whitelisted methods', async () => {
    const keys = await freshPaymaster(authToken);
    const { name, address, abi } = await freshContract(keys);
    const body = { address, whitelistedMethods: ['reset', 'setQuote(string)'] };
    const answer = await call({ method: 'PATCH', path: '/smart-contract', ...only(keys), body });
    const record = {
      name,
      address,
      abi,
      whitelistedMethods: ['reset', 'setQuote(string)'],
      methods: ['setQuote', 'reset'],
    };
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ statusCode: 200, message: 'Smart contract updated', data: record });
    expect(await listContracts(keys)).toEqual([record]);
  });

  it('6a gives a funding message, by path and by apiKey', async () => {
    const keys = await freshPaymaster(authToken);
    const { paymasterId } = await fundingMessage(keys);
    const answer = await call({ method: 'GET', path: `/funding-message/${paymasterId}`, ...only(keys) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'Funding message sent',
      data: { fundingMessage: expect.stringContaining(keys.name), paymasterId },
    });
  });

  it('6b updates the funding wallet', async () => {
    const keys = await freshPaymaster(authToken);
    const wallet = Wallet.createRandom();
    const { fundingMessage: message, paymasterId } = await fundingMessage(keys);
    const signature = await wallet.signMessage(message);
    const body = { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address };
    const answer = await call({ method: 'PATCH', path: '/paymaster', ...only(keys), body });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'Paymaster updated successfully',
      data: { name: keys.name, chainId: keys.chainId, apiKey: keys.apiKey, paymasterId },
    });
  });

  it('7 deletes a smart contract', async () => {
    const keys = await freshPaymaster(authToken);
    const { address } = await freshContract(keys);
    const answer = await call({ method: 'DELETE', path: '/smart-contract', ...only(keys), body: { address } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ statusCode: 200, message: 'Smart contract deleted' });
    expect(await listContracts(keys)).toEqual([]);
  });

  it('accepts a doubled slash before api', async () => {
    const answer = await call({ method: 'GET', path: '//api/v2/public/sdk/paymaster', authToken });
    expect(answer.status).toBe(200);
  });

  it('shows and changes paymaster settings', async () => {
    const keys = await freshPaymaster(authToken);
    const before = await call<object>({ method: 'GET', path: '/paymaster-settings', ...only(keys) });
    expect(before.body).toEqual({
      statusCode: 200,
      message: 'Paymaster settings fetched',
      data: {
        sponsorAnyContract: false,
        sponsorNativeTransfers: false,
        sponsorDeployments: 'withCall',
        allowUnknownFactories: false,
        requireKnownAccounts: false,
        onRefusal: 'error',
        explainToClients: false,
        maxExpirySeconds: 600,
        defaultExpirySeconds: 300,
        maxOperationCostWei: null,
        allowedOrigins: ['*'],
        tokenMode: 'anyCall',
        tokenChargingWays: ['allowance', 'permit', 'batchApproval'],
        tokenFeeReceiver: null,
        maxLiveSignaturesPerSender: 4,
        maxLiveSignaturesPerClient: 100,
        maxLiveSignaturesTotal: 10_000,
        clientSharePercent: 50,
        spendingBrake: true,
        brakeReleasedAt: null,
        sponsorName: null,
        sponsorIcon: null,
        onLimitReached: 'refuse',
        allowEqualFees: true,
        allowCallDataSuffix: true,
        servers: [],
        ignoreForeignPolicyIds: false,
        allowBatchApprovalWithoutRules: false,
        signWhenSent: false,
        requestLogDays: 7,
        requestLogGrantsPercent: 0,
      },
    });
    const changes = { onRefusal: 'userPays', maxOperationCostWei: (2n ** 200n).toString() };
    const after = await call({ method: 'PATCH', path: '/paymaster-settings', ...only(keys), body: changes });
    expect(after.body).toEqual({
      statusCode: 200,
      message: 'Paymaster settings updated',
      data: { ...before.body.data, ...changes },
    });
  });

  it('forgets a token that was revoked', async () => {
    const account = await freshAccount();
    await accountCommand('revoke', account.tokenId);
    expect((await call({ method: 'GET', path: '/paymaster', authToken: account.authToken })).status).toBe(401);
    expect(await accountCommand('list')).toMatch(new RegExp(`${account.tokenId} .* revoked .*${account.accountName}`));
  });
});
