import { toAuditFilter } from './to-audit-filter';

describe('toAuditFilter', () => {
  it('takes what the URL says, and includes both days of a period', () => {
    const search = { paymaster: 'p', subject: 'apiKey', who: ' 1f0c3a5e ', from: '2026-11-25', to: '2026-11-25' };
    const { from, to, ...filter } = toAuditFilter(search);
    expect(filter).toEqual({ paymasterId: 'p', subject: 'apiKey', actor: '1f0c3a5e' });
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(24 * 60 * 60 * 1_000);
  });

  it('drops what is no subject and no day', () => {
    const filter = toAuditFilter({ subject: 'toString', who: ' ', from: 'yesterday' });
    expect(Object.values(filter).filter((value) => value !== undefined)).toEqual([]);
  });
});
