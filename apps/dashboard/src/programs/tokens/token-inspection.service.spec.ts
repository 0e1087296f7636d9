import { StateOverridesUnsupportedError } from '@paymaster/chain';
import { DependencyUnavailableError } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { TokenProbe, TokenRefusedError } from '@paymaster/gas';
import type { SupportedChains } from '../../platform/chains/supported-chains';
import { errorRowOf } from '../../platform/http/error-table';
import { TokenInspection } from './token-inspection.service';

const CHAIN_ID = 31337;
const chains = {
  find: (chainId: number) => (chainId === CHAIN_ID ? { chainId, rpcUrls: ['http://127.0.0.1:1'] } : undefined),
} as unknown as SupportedChains;

describe('TokenInspection', () => {
  const token = randomAddress();
  afterEach(() => jest.restoreAllMocks());

  it.each<[string, Error, number, string]>([
    ['a token that is refused', new TokenRefusedError(token, 'TAKES_A_FEE'), 400, 'address: a transfer does not move'],
    [
      'nodes without state overrides',
      new StateOverridesUnsupportedError(CHAIN_ID),
      400,
      'Tokens cannot be verified on',
    ],
    ['a chain that is down', new DependencyUnavailableError('chain', 'down'), 503, 'The chain cannot be read at the'],
  ])('says what %s comes to, with its status', async (_title, error, status, sentence) => {
    jest.spyOn(TokenProbe.prototype, 'inspect').mockRejectedValue(error);
    const refusal: unknown = await new TokenInspection(chains).describe(CHAIN_ID, token).catch((caught) => caught);
    expect(refusal).toMatchObject({ message: expect.stringContaining(sentence), cause: error });
    expect(errorRowOf(refusal)).toEqual({ httpStatus: status, bodyStatusCode: status });
  });

  it('reads no chain that the operator has dropped', async () => {
    await expect(new TokenInspection(chains).describe(1, token)).rejects.toThrow('Chain ID not supported');
  });
});
