import { loadConfig, type ConfigError } from '@paymaster/nest-kit';
import { SettlementConfig } from './settlement.config';

const NEEDED = {
  DATABASE_URL: 'postgres://127.0.0.1/paymaster',
  CHAINS_FILE: 'chains.json',
  NATS_URL: 'nats://127.0.0.1:4222',
};

const problemsWith = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(SettlementConfig, { ...NEEDED, ...env });
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

describe('the pause between two looks at a chain', () => {
  it('has a default below the default of the lease', () => {
    expect(problemsWith({})).toEqual([]);
  });

  it.each(['POLL_INTERVAL_MS', 'QUIET_POLL_INTERVAL_MS'])('%s is shorter than the lease', (variable) => {
    expect(problemsWith({ LEASE_TTL_SECONDS: '5', [variable]: '4999' })).toEqual([]);
    const [problem, ...others] = problemsWith({ LEASE_TTL_SECONDS: '5', [variable]: '5000' });
    expect(problem).toMatch(new RegExp(`^${variable} must be less than LEASE_TTL_SECONDS`));
    expect(others).toEqual([]);
  });

  it('is at most half a minute, as health reports a chain after a minute', () => {
    expect(problemsWith({ LEASE_TTL_SECONDS: '300', POLL_INTERVAL_MS: '30000' })).toEqual([]);
    const [problem] = problemsWith({ LEASE_TTL_SECONDS: '300', POLL_INTERVAL_MS: '30001' });
    expect(problem).toMatch(/^POLL_INTERVAL_MS must not be greater than 30000/);
  });

  it('is not named beside a lease that is no number', () => {
    const problems = problemsWith({ LEASE_TTL_SECONDS: 'long' });
    expect(problems.map((each) => each.split(' ')[0])).toEqual(['LEASE_TTL_SECONDS']);
  });
});
