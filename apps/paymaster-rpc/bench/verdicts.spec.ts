import { verdictTable } from './verdicts';

describe('verdictTable', () => {
  it('lists targets by their number, in columns, and says which were missed', () => {
    expect(
      verdictTable([
        { target: 7, what: 'hot / spread', value: '0.65', bound: '>= 0.70', met: false },
        { target: 5, what: 'growth', value: '1.1', bound: '<= 1.3', met: true },
      ]),
    ).toEqual(['#5  growth        1.1   <= 1.3   met', '#7  hot / spread  0.65  >= 0.70  MISSED']);
  });
});
