import { randomAddress } from '@paymaster/domain/testing';
import type { InvalidBodyError } from '../../platform/http/dashboard-errors';
import type { PolicyType } from './policy';
import { PolicyDataParser } from './policy-data.parser';

const parser = new PolicyDataParser({ maxLimitsPerPolicy: 3, webhookAllowInsecure: false });
const parse = (policyType: PolicyType, policyData: unknown) =>
  parser.parse({ policyType, policyData, where: 'policyData' }).policyData;

function problemOf(policyType: PolicyType, policyData: unknown): string | undefined {
  try {
    parse(policyType, policyData);
    return undefined;
  } catch (error) {
    return (error as InvalidBodyError).message;
  }
}

const A = randomAddress();
const B = randomAddress();
const upper = (address: string) => address.toUpperCase().replace('0X', '0x');
const IS_ADDRESS = 'must be an address: 0x and 40 hexadecimal digits';
const FINE = 'above zero; as text where it has more than 15 digits';

/** In mixed case, and not that of EIP-55. */
const WRONG_CHECKSUM = '0xE31b0BcBda693bfF2529F4a1d9f7e8f6D924C6Ab';
const HAS_WRONG_CHECKSUM = 'has a wrong checksum (EIP-55): check its digits, or send it in lower case';

describe('a PAYMASTER_SA_LIMIT', () => {
  const limit = { type: 'PAYMASTER', cycleDuration: { value: 3, unit: 'hour' }, threshold: 10, thresholdType: 'COUNT' };

  it('comes back with its cycle, in the order in which existing clients know it', () => {
    const before = Date.now();
    const data = parse('PAYMASTER_SA_LIMIT', limit) as { startTimeInEpoch: number };
    expect(Object.entries(data)).toEqual([
      ['type', 'PAYMASTER'],
      ['startTimeInEpoch', expect.any(Number)],
      ['durationInMs', 10_800_000],
      ['cycleDuration', { value: 3, unit: 'hour' }],
      ['threshold', 10],
      ['thresholdType', 'COUNT'],
    ]);
    expect(data.startTimeInEpoch - before).toBeLessThan(1_000);
  });

  it.each([
    ['text of digits', { threshold: '0010' }, { threshold: 10 }],
    ['half a coin', { threshold: 0.5, thresholdType: 'NATIVE_ASSET' }, { threshold: 0.5 }],
    ['one wei', { threshold: 1e-18, thresholdType: 'NATIVE_ASSET' }, { threshold: 1e-18 }],
    ['days', { cycleDuration: { value: 366, unit: 'day' } }, { durationInMs: 366 * 86_400_000 }],
    ['what it was shown with', { startTimeInEpoch: 1, durationInMs: 5 }, { durationInMs: 10_800_000 }],
    [
      'more digits than a number keeps',
      { threshold: '1.100000000000000001', thresholdType: 'NATIVE_ASSET' },
      { threshold: '1.100000000000000001' },
    ],
  ])('takes %s', (_title, changes, expected) => {
    expect(parse('PAYMASTER_SA_LIMIT', { ...limit, ...changes })).toMatchObject(expected);
  });

  const count = `policyData: threshold must be a whole number of operations, ${FINE}`;
  const native = `policyData: threshold must be a decimal number with at most 18 decimals of native units, ${FINE}`;
  it.each<[string, object, string]>([
    [
      'an unknown type',
      { type: 'USER' },
      'policyData: type must be one of the following values: PAYMASTER, SMART_ACCOUNT',
    ],
    ['no cycle', { cycleDuration: undefined }, 'policyData: cycleDuration must be an object'],
    [
      'a cycle of 0',
      { cycleDuration: { value: 0, unit: 'hour' } },
      'policyData.cycleDuration: value must not be less than 1',
    ],
    [
      'half an hour',
      { cycleDuration: { value: 0.5, unit: 'hour' } },
      'policyData.cycleDuration: value must be an integer number',
    ],
    [
      'a cycle as text',
      { cycleDuration: { value: '3', unit: 'hour' } },
      'policyData.cycleDuration: value must be an integer number',
    ],
    [
      'more than a year of days',
      { cycleDuration: { value: 367, unit: 'day' } },
      'policyData.cycleDuration: value must not be greater than 366',
    ],
    [
      'more than a year of hours',
      { cycleDuration: { value: 8_785, unit: 'hour' } },
      'policyData.cycleDuration: value must not be greater than 8784',
    ],
    [
      'minutes',
      { cycleDuration: { value: 3, unit: 'minute' } },
      'policyData.cycleDuration: unit must be one of the following values: hour, day',
    ],
    ['an unknown key', { limit: 1 }, 'policyData: property limit should not exist'],
    [
      'an unknown key in the cycle',
      { cycleDuration: { value: 3, unit: 'hour', start: 1 } },
      'policyData.cycleDuration: property start should not exist',
    ],
    ['no threshold', { threshold: undefined }, count],
    ['a threshold of 0', { threshold: 0 }, count],
    ['a negative threshold', { threshold: -1 }, count],
    ['half an operation', { threshold: 1.5 }, count],
    ['an exponent', { threshold: '1e3' }, count],
    ['a threshold too large for a number', { threshold: 2 ** 53 + 2 }, count],
    ['a threshold of 78 digits', { threshold: '9'.repeat(78) }, count],
    ['a list of thresholds', { threshold: [10] }, count],
    ['19 decimals', { thresholdType: 'NATIVE_ASSET', threshold: '0.0000000000000000001' }, native],
    ['19 decimals as a number', { thresholdType: 'NATIVE_ASSET', threshold: 1e-19 }, native],
    ['what floats made of it', { thresholdType: 'NATIVE_ASSET', threshold: 0.1 + 0.2 }, native],
    [
      'an unknown thresholdType',
      { thresholdType: 'USD' },
      'policyData: thresholdType must be one of the following values: COUNT, NATIVE_ASSET',
    ],
  ])('refuses %s', (_title, changes, problem) => {
    expect(problemOf('PAYMASTER_SA_LIMIT', { ...limit, ...changes })).toBe(problem);
  });

  it.each([null, 'text', [limit], 7])('refuses %p in its place', (value) => {
    expect(problemOf('PAYMASTER_SA_LIMIT', value)).toBe('policyData must be an object');
  });
});

describe('a WALLET_DEPLOYMENT', () => {
  it('needs nothing, and shows its operator', () => {
    for (const data of [{}, { operator: 'walletDeployment' }]) {
      expect(parse('WALLET_DEPLOYMENT', data)).toEqual({ operator: 'walletDeployment' });
    }
  });

  it('holds nothing else', () => {
    expect(problemOf('WALLET_DEPLOYMENT', { max: 1 })).toBe('policyData: property max should not exist');
    expect(problemOf('WALLET_DEPLOYMENT', { operator: 'x' })).toBe(
      'policyData: operator must be equal to walletDeployment',
    );
  });
});

describe('a WEBHOOK', () => {
  it('keeps its URL', () => {
    const url = 'https://hooks.example.org/bico?key=1';
    expect(parse('WEBHOOK', { url })).toEqual({ url });
  });

  const refused = (why: string) => `policyData: url is refused: the webhook's URL ${why}`;
  it.each<[string, unknown, string]>([
    ['no URL', undefined, 'policyData: url must be a string'],
    ['http', 'http://hooks.example.org/', refused('is not https')],
    ['another scheme', 'javascript:alert(1)', refused('is not https')],
    ['credentials', 'https://user:secret@hooks.example.org/', refused('holds credentials')],
    ['an address', 'https://169.254.169.254/latest', refused('names an IP address instead of a host')],
    ['a number as host', 'https://2130706433/', refused('names an IP address instead of a host')],
    ['a host of the cluster', 'https://postgres.svc.internal/', refused('names a host of a local network')],
    ['a bare host', 'https://localhost/', refused('names a host without a domain')],
    ['another port', 'https://hooks.example.org:22/', refused('names port 22; 443 and 8443 are allowed')],
    ['no URL at all', 'hooks.example.org', refused('is not a URL')],
    [
      'a URL of 2,049 characters',
      `https://a.example/${'a'.repeat(2_031)}`,
      'policyData: url must be shorter than or equal to 2048 characters',
    ],
    ['a URL that grows', `https://a.example/${'é'.repeat(1_000)}`, 'policyData: url is refused: it is too long'],
  ])('refuses %s', (_title, url, problem) => {
    expect(problemOf('WEBHOOK', { url })).toBe(problem);
  });

  it('may be local and insecure in a local world only', () => {
    const local = new PolicyDataParser({ maxLimitsPerPolicy: 3, webhookAllowInsecure: true });
    const request = {
      policyType: 'WEBHOOK',
      policyData: { url: 'http://127.0.0.1:9999/hook' },
      where: 'policyData',
    } as const;
    expect(local.parse(request).policyData).toEqual(request.policyData);
  });
});

describe('RULES', () => {
  it('may be none but the priority, which has a default', () => {
    expect(parse('RULES', {})).toEqual({ priority: 100 });
    expect(parse('RULES', { limits: null, senders: null, startsAt: null, priority: 0 })).toEqual({ priority: 0 });
  });

  it('come back in their one form', () => {
    const rules = {
      limits: [
        { scope: 'USER', measure: 'USD', amount: '5.500000', cycle: 'DAY' },
        { scope: 'OPERATION', measure: 'WEI', amount: 1000 },
        { scope: 'PAYMASTER', measure: 'COUNT', amount: 7, cycle: 'LIFETIME' },
      ],
      revertBreaker: { maxRevertPercent: 50, minOperations: 10, windowMinutes: 60 },
      accountFactories: [],
      eip7702Delegates: [upper(A), A],
      maxCallGasPercentOfEstimate: 150,
      maxFeePercentOfBaseFee: 200,
      arguments: [
        { contract: upper(A), method: 'mint(address,uint256)', index: 1, operator: 'LTE', value: '0x10' },
        { contract: B, method: 'mint(address,uint256)', index: 0, operator: 'IN', value: [upper(A), A, B] },
        { contract: B, method: 'set(bool,bytes4,(string,uint8[])[])', index: 1, operator: 'NEQ', value: '0xABCDEF01' },
        { contract: B, method: 'set(bool,bytes4,(string,uint8[])[])', index: 0, operator: 'EQ', value: true },
        { contract: B, method: 'shift(int8)', index: 0, operator: 'GT', value: -128 },
      ],
      maxTotalValueWei: '0',
      maxCallValueWei: '1',
      senders: { deny: [upper(B)], allow: [A] },
      endsAt: 2_000_000_000,
      startsAt: 1_900_000_000,
      priority: 3,
    };
    expect(parse('RULES', rules)).toEqual({
      priority: 3,
      startsAt: 1_900_000_000,
      endsAt: 2_000_000_000,
      senders: { allow: [A], deny: [B] },
      maxCallValueWei: '1',
      maxTotalValueWei: '0',
      arguments: [
        { contract: A, method: 'mint(address,uint256)', index: 1, operator: 'LTE', value: '16' },
        { contract: B, method: 'mint(address,uint256)', index: 0, operator: 'IN', value: [A, B] },
        { contract: B, method: 'set(bool,bytes4,(string,uint8[])[])', index: 1, operator: 'NEQ', value: '0xabcdef01' },
        { contract: B, method: 'set(bool,bytes4,(string,uint8[])[])', index: 0, operator: 'EQ', value: 'true' },
        { contract: B, method: 'shift(int8)', index: 0, operator: 'GT', value: '-128' },
      ],
      maxFeePercentOfBaseFee: 200,
      maxCallGasPercentOfEstimate: 150,
      eip7702Delegates: [A],
      accountFactories: [],
      revertBreaker: { maxRevertPercent: 50, minOperations: 10, windowMinutes: 60 },
      limits: [
        { scope: 'USER', measure: 'USD', amount: '5.5', cycle: 'DAY' },
        { scope: 'OPERATION', measure: 'WEI', amount: '1000' },
        { scope: 'PAYMASTER', measure: 'COUNT', amount: '7', cycle: 'LIFETIME' },
      ],
    });
    expect(parse('RULES', parse('RULES', rules))).toEqual(parse('RULES', rules));
  });

  it.each<[string, object, string]>([
    ['an unknown rule', { maxGas: 1 }, 'policyData: property maxGas should not exist'],
    ['null as priority', { priority: null }, 'policyData: priority must be an integer number'],
    ['a negative priority', { priority: -1 }, 'policyData: priority must not be less than 0'],
    ['a priority over 10,000', { priority: 10_001 }, 'policyData: priority must not be greater than 10000'],
    [
      'a time in milliseconds',
      { startsAt: 1_700_000_000_000 },
      'policyData: startsAt must not be greater than 253402300799',
    ],
    ['a time as text', { endsAt: '2030-01-01' }, 'policyData: endsAt must be an integer number'],
    ['an end before the start', { startsAt: 5, endsAt: 5 }, 'policyData: endsAt must be later than startsAt'],
    ['an empty allow list', { senders: { allow: [] } }, 'policyData.senders: allow should not be empty'],
    ['senders as a list', { senders: [A] }, 'policyData: senders must be an object'],
    ['an unknown sender list', { senders: { only: [A] } }, 'policyData.senders: property only should not exist'],
    [
      'a sender that is none',
      { senders: { deny: [A, '0x12'] } },
      `policyData.senders: each value in deny ${IS_ADDRESS}`,
    ],
    ['a sender of null', { senders: { deny: [null] } }, `policyData.senders: each value in deny ${IS_ADDRESS}`],
    [
      '1,001 senders',
      { senders: { deny: Array(1_001).fill(A) } },
      'policyData.senders: deny must contain no more than 1000 elements',
    ],
    ['no calls at all', { maxCallsPerOperation: 0 }, 'policyData: maxCallsPerOperation must not be less than 1'],
    ['129 calls', { maxCallsPerOperation: 129 }, 'policyData: maxCallsPerOperation must not be greater than 128'],
    ['wei as a number', { maxCallValueWei: 1 }, 'policyData: maxCallValueWei must be a string of decimal digits'],
    ['wei in hex', { maxTotalValueWei: '0x1' }, 'policyData: maxTotalValueWei must be a string of decimal digits'],
    [
      'a fee ceiling below the base fee',
      { maxFeePercentOfBaseFee: 20 },
      'policyData: maxFeePercentOfBaseFee must not be less than 100',
    ],
    [
      'a fraction of a percent',
      { maxCallGasPercentOfEstimate: 110.5 },
      'policyData: maxCallGasPercentOfEstimate must be an integer number',
    ],
    ['a factory that is none', { accountFactories: ['x'] }, `policyData: each value in accountFactories ${IS_ADDRESS}`],
    [
      'a factory with a wrong checksum',
      { accountFactories: [A, WRONG_CHECKSUM] },
      `policyData.accountFactories.1 ${HAS_WRONG_CHECKSUM}`,
    ],
    [
      'a sender with a wrong checksum',
      { senders: { allow: [WRONG_CHECKSUM] } },
      `policyData.senders.allow.0 ${HAS_WRONG_CHECKSUM}`,
    ],
    [
      'an argument with a wrong checksum',
      { arguments: [{ contract: A, method: 'mint(address)', index: 0, operator: 'EQ', value: WRONG_CHECKSUM }] },
      `policyData.arguments.0: value ${HAS_WRONG_CHECKSUM}`,
    ],
    ['a delegate as text', { eip7702Delegates: A }, 'policyData: eip7702Delegates must be an array'],
    [
      'half a breaker',
      { revertBreaker: { maxRevertPercent: 50 } },
      'policyData.revertBreaker: minOperations must be an integer number',
    ],
    [
      'a breaker over 100 %',
      { revertBreaker: { maxRevertPercent: 101, minOperations: 1, windowMinutes: 1 } },
      'policyData.revertBreaker: maxRevertPercent must not be greater than 100',
    ],
    [
      'a breaker over more than a week',
      { revertBreaker: { maxRevertPercent: 1, minOperations: 1, windowMinutes: 10_081 } },
      'policyData.revertBreaker: windowMinutes must not be greater than 10080',
    ],
  ])('refuse %s', (_title, rules, problem) => {
    expect(problemOf('RULES', rules)).toBe(problem);
  });

  const argument = { contract: A, method: 'mint(address,uint256)', index: 1, operator: 'LTE', value: '5' };
  const at = 'policyData.arguments.0';
  const form = `${at}: method must be a full signature in its canonical form: mint(address,uint256)`;
  it.each<[string, object | null, string]>([
    ['null', null, 'policyData: each value in arguments must be an object'],
    ['no contract', { contract: undefined }, `${at}: contract must be a string`],
    ['a name alone', { method: 'mint' }, form],
    ['space in the signature', { method: 'mint(address, uint256)' }, form],
    ['names of arguments', { method: 'mint(address to,uint256 amount)' }, form],
    ['an alias', { method: 'mint(address,uint)' }, form],
    ['an unknown type', { method: 'mint(address,uint7)' }, form],
    ['a modifier', { method: 'mint(address,uint256)view' }, form],
    ['brackets that do not match', { method: 'mint((address,uint256)' }, form],
    [
      'a signature of 501 characters',
      { method: `mint(${'a'.repeat(495)})` },
      `${at}: method must be shorter than or equal to 500 characters`,
    ],
    [
      'an index beyond the arguments',
      { index: 2 },
      `${at}: index must be that of an argument of mint(address,uint256)`,
    ],
    ['a negative index', { index: -1 }, `${at}: index must not be less than 0`],
    [
      'an argument of changing length',
      { method: 'set(string)', index: 0 },
      `${at}: index must be that of a number, address, bool or bytes1 to bytes32; it is string`,
    ],
    [
      'an array',
      { method: 'set(uint256[2])', index: 0 },
      `${at}: index must be that of a number, address, bool or bytes1 to bytes32; it is uint256[2]`,
    ],
    [
      'a tuple',
      { method: 'set((uint256,uint256))', index: 0 },
      `${at}: index must be that of a number, address, bool or bytes1 to bytes32; it is (uint256,uint256)`,
    ],
    [
      'an unknown operator',
      { operator: 'LIKE' },
      `${at}: operator must be one of the following values: EQ, NEQ, LT, LTE, GT, GTE, IN, NOT_IN`,
    ],
    [
      'an address that is less',
      { index: 0, operator: 'LT', value: A },
      `${at}: operator LT is for numbers; it is address`,
    ],
    ['no value', { value: undefined }, `${at}: value should not be null or undefined`],
    ['a value of another type', { index: 0, operator: 'EQ', value: '5' }, `${at}: value must be of type address`],
    ['a number over its type', { value: (2n ** 256n).toString() }, `${at}: value must be of type uint256`],
    ['a negative uint', { value: '-1' }, `${at}: value must be of type uint256`],
    ['a number that floats', { value: 1.5 }, `${at}: value must be of type uint256`],
    ['an unsafe number', { value: 2 ** 53 }, `${at}: value must be of type uint256`],
    ['a list without IN', { value: ['5'] }, `${at}: value must be of type uint256`],
    ['IN without a list', { operator: 'IN' }, `${at}: value must be a list of 1 to 100 values for IN`],
    ['IN of nothing', { operator: 'IN', value: [] }, `${at}: value must be a list of 1 to 100 values for IN`],
    ['an object as value', { value: { toString: 1 } }, `${at}: value must be of type uint256`],
    ['an unknown key', { values: ['5'] }, `${at}: property values should not exist`],
  ])('refuse an argument rule with %s', (_title, changes, problem) => {
    expect(problemOf('RULES', { arguments: [changes && { ...argument, ...changes }] })).toBe(problem);
  });

  const limit = { scope: 'USER', measure: 'WEI', amount: '5', cycle: 'DAY' };
  it.each<[string, object, string]>([
    ['an unknown scope', { scope: 'ALL' }, 'scope must be one of the following values: OPERATION, USER, PAYMASTER'],
    ['an unknown measure', { measure: 'ETH' }, 'measure must be one of the following values: WEI, USD, COUNT'],
    [
      'an unknown cycle',
      { cycle: 'YEAR' },
      'cycle must be one of the following values: HOUR, DAY, WEEK, MONTH, LIFETIME',
    ],
    ['no cycle', { cycle: null }, 'cycle must be sent for scope USER'],
    ['a cycle of one operation', { scope: 'OPERATION' }, 'cycle must be left out for scope OPERATION'],
    [
      'a count of one operation',
      { scope: 'OPERATION', cycle: null, measure: 'COUNT' },
      'measure COUNT is for scope USER and PAYMASTER',
    ],
    ['an amount of 0', { amount: 0 }, `amount must be a whole number of wei, ${FINE}`],
    ['half a wei', { amount: '0.5' }, `amount must be a whole number of wei, ${FINE}`],
    [
      '7 decimals of USD',
      { measure: 'USD', amount: '0.0000001' },
      `amount must be a decimal number with at most 6 decimals of USD, ${FINE}`,
    ],
    ['an id of its own', { id: 'mine' }, 'property id should not exist'],
  ])('refuse a limit with %s', (_title, changes, problem) => {
    expect(problemOf('RULES', { limits: [{ ...limit, ...changes }] })).toBe(`policyData.limits.0: ${problem}`);
  });

  it('refuse two limits of one budget, and more than the operator allows', () => {
    const cycles = ['HOUR', 'DAY', 'WEEK', 'MONTH'].map((cycle) => ({ ...limit, cycle }));
    expect(problemOf('RULES', { limits: [limit, { ...limit, amount: '6' }] })).toBe(
      'policyData.limits.1: scope, measure and cycle are those of a limit before',
    );
    expect(problemOf('RULES', { limits: cycles })).toBe('policyData: limits must contain no more than 3 elements');
    expect(problemOf('RULES', { limits: cycles.slice(1) })).toBeUndefined();
    expect(problemOf('RULES', { limits: [[limit]] })).toBe('policyData: each value in limits must be an object');
  });
});
