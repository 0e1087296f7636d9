import type { OperationSummary } from '../../api/queries';
import { rowTexts } from './row-texts';

const NOW = Date.parse('2026-11-26T14:00:00Z');
const COUNTER = `0x${'cc'.repeat(20)}`;
const USDX = `0x${'dd'.repeat(20)}`;
const known = {
  contracts: [
    {
      ...{ name: 'Counter', address: COUNTER, whitelistedMethods: [], methods: ['add'] },
      abi: JSON.stringify([
        { type: 'function', name: 'add', inputs: [{ type: 'uint256' }], outputs: [], stateMutability: 'nonpayable' },
      ]),
    },
  ],
  policies: new Map([['p1', 'Two a day']]),
  tokens: [{ address: USDX, symbol: 'USDx' }],
};
const operation: OperationSummary = {
  ...{ id: 'o', state: 'granted', success: null, reason: null, message: null, mode: 'sponsored', token: null },
  ...{ entryPointVersion: '0.7', sender: USDX, createdAt: '', bundler: null, policyId: 'p1' },
  ...{ call: { to: COUNTER, selector: '0x1003e2d2' }, calls: 1, costWei: null, isPaid: false },
};
const texts = (change: Partial<OperationSummary> = {}) => rowTexts({ ...operation, ...change }, known, NOW);

describe('rowTexts', () => {
  it('names contract, method and policy', () => {
    expect(texts()).toEqual({
      ...{ contract: 'Counter', method: 'add(uint256)', policy: 'Two a day', payment: 'sponsored' },
    });
    expect(texts({ calls: 3 }).method).toBe('add(uint256) and 2 more');
  });

  it('shows the ids of what is not registered', () => {
    const call = { to: USDX, selector: '0x12345678' };
    expect(texts({ call, policyId: '3f2a0000-1', mode: 'token', token: COUNTER })).toEqual({
      ...{ contract: '0xdddd…dddd', method: '0x12345678', policy: 'policy 3f2a0000', payment: '0xcccc…cccc' },
    });
    expect(texts({ call: { to: COUNTER, selector: null } }).method).toBe('transfer of coin');
    expect(texts({ call: null, calls: 0 })).toMatchObject({ contract: 'no call', method: '' });
  });

  it('says why it was refused, what a bundler did with it, and what its user pays in', () => {
    expect(texts({ state: 'refused', reason: 'VALUE_TOO_HIGH', policyId: null }).policy).toBe('VALUE_TOO_HIGH');
    const bundler = {
      ...{ state: 'sent' as const, name: 'alto', message: null, userOpHash: '0x', at: '2026-11-26T13:59:00Z' },
    };
    expect(texts({ bundler }).policy).toBe('sent to alto 1 min ago, in no block yet; Two a day');
    expect(texts({ policyId: null }).policy).toBe('no policy');
    expect(texts({ mode: 'token', token: USDX }).payment).toBe('USDx');
    expect(texts({ mode: 'token' }).payment).toBe('a token');
  });
});
