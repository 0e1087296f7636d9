import { alertLines, draftOf, isWhole, NEW_ALERT, sendableAlert, type Alert } from './alert-draft';

const STORED: Alert = {
  ...{ alertId: 'a', version: 3, name: 'On call', kind: 'TELEGRAM', destination: 'chat 5', active: true },
  ...{ about: ['walletLow', 'walletBraked'], walletBelowWei: '500000000000000000', limitPercents: [] },
  quietHours: { from: '23:00', to: '06:30', timeZone: 'Asia/Kathmandu' },
};

describe('an alert in a form', () => {
  it('keeps where it goes, when that is left empty', () => {
    expect(sendableAlert(draftOf(STORED))).toEqual({
      ...{ name: 'On call', about: ['walletLow', 'walletBraked'], walletBelowWei: '500000000000000000' },
      quietHours: STORED.quietHours,
    });
    expect(sendableAlert({ ...draftOf(STORED), chatId: ' 7 ', url: 'https://x', isQuiet: false })).toMatchObject({
      ...{ chatId: '7', quietHours: null },
    });
    expect(sendableAlert({ ...draftOf(STORED), url: 'https://x' })).not.toHaveProperty('url');
  });

  it('is whole with a name, something to tell and a place to tell it', () => {
    const mail = { ...NEW_ALERT, name: 'n', mail: 'a@b.c' };
    expect(isWhole(mail, true)).toBe(true);
    expect(isWhole({ ...mail, mail: ' ' }, true)).toBe(false);
    expect(isWhole({ ...mail, mail: '' }, false)).toBe(true);
    expect(isWhole({ ...mail, name: ' ' }, true)).toBe(false);
    expect(isWhole({ ...mail, about: [] }, true)).toBe(false);
    expect(isWhole({ ...mail, limitPercents: [] }, true)).toBe(false);
    expect(isWhole({ ...mail, kind: 'TELEGRAM', botToken: 't' }, true)).toBe(false);
  });

  it('is said in sentences', () => {
    expect(alertLines(draftOf(STORED), 'ETH')).toEqual([
      'The wallet runs low: below 0.5 ETH',
      'The spending brake stopped the paymaster',
      'Quiet from 23:00 to 06:30, Asia/Kathmandu',
    ]);
  });
});
