import { parseChains } from '@paymaster/chain';
import { toChainView } from './chain.view';

const [ENTRY_POINT, PAYMASTER] = [`0x${'AB'.repeat(20)}`, `0x${'9a'.repeat(20)}`];
const chain = (more: object = {}) => ({
  ...{ chainId: 5, name: 'a chain', rpcUrls: ['http://secret.example'], ...more },
  entryPoints: { '0.7': { entryPoint: ENTRY_POINT, paymaster: PAYMASTER } },
});
const viewsOf = (...chains: object[]) => parseChains({ chains }).map(toChainView);

describe('toChainView', () => {
  it('shows what clients may know of a chain, and none of its URLs', () => {
    const pricing = { native: { fixedUsd: '1' } };
    expect(
      viewsOf(
        chain({ nativeSymbol: 'POL', explorerUrl: 'https://scan.example', pricing, chainReads: true, testnet: true }),
      ),
    ).toEqual([
      {
        ...{ chainId: 5, name: 'a chain', explorerUrl: 'https://scan.example', nativeSymbol: 'POL' },
        ...{ tokenMode: true, chainReads: true, testnet: true },
        entryPoints: [{ version: '0.7', address: ENTRY_POINT.toLowerCase(), paymaster: PAYMASTER }],
      },
    ]);
  });

  it('leaves out the explorer where the operator names none, and says that no token is taken without prices', () => {
    const [view] = viewsOf(chain());
    expect(view).toMatchObject({ nativeSymbol: 'ETH', tokenMode: false, chainReads: false, testnet: false });
    expect(view).not.toHaveProperty('explorerUrl');
  });

  it.each(['javascript:alert(1)', 'https://scan.example/', 'https://scan.example/?x=', 'https://a@b.example'])(
    'is not reached by an explorer of %s',
    (explorerUrl) => expect(() => viewsOf(chain({ explorerUrl }))).toThrow('explorerUrl'),
  );
});
