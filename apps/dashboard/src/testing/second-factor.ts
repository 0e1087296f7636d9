import { Secret, TOTP } from 'otpauth';
import { databaseOf, type DashboardUnderTest, type TestAnswer } from './dashboard-under-test';
import { fromPage } from './people';

/** The code that a device shows. @param steps of 30 seconds from now: the dashboard takes -1, 0 and 1, each once, in this order */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

/** Asks for a secret, and has the answer. */
export async function beginSecondFactor(
  dashboard: DashboardUnderTest,
  cookie: string,
  body: object = {},
): Promise<{ secret: string; uri: string }> {
  const of = { method: 'POST', path: '/person/second-factor', headers: fromPage(cookie), body } as const;
  return (await dashboard.call(of)).body.data as { secret: string; uri: string };
}

export function confirmSecondFactor(dashboard: DashboardUnderTest, cookie: string, code: string): Promise<TestAnswer> {
  const headers = fromPage(cookie);
  return dashboard.call({ method: 'POST', path: '/person/second-factor/confirm', headers, body: { code } });
}

/** Adds a second factor as the page does, a step ago: the code of now is not spent by it. */
export async function addSecondFactor(
  dashboard: DashboardUnderTest,
  cookie: string,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = await beginSecondFactor(dashboard, cookie);
  const { data } = (await confirmSecondFactor(dashboard, cookie, codeOf(secret))).body;
  await databaseOf(dashboard).query(
    `UPDATE dashboard.second_factors SET last_step = last_step - 1
      WHERE last_step = $1 AND confirmed_at = (SELECT max(confirmed_at) FROM dashboard.second_factors)`,
    [Math.floor(Date.now() / 30_000)],
  );
  return { secret, recoveryCodes: data?.['recoveryCodes'] as string[] };
}
