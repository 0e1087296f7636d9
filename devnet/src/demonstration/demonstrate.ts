import type { Stack } from '../stack/stack-file';
import { demonstrateSponsorship } from './demonstrate-sponsorship';
import { demonstrateTokenPayment } from './demonstrate-token-payment';

/**
 * What the platform is for: accounts without coin have their operations sponsored, then pay for them in tokens.
 *
 * @param print takes the lines for the terminal
 * @throws {DemonstrationError} when anything seen on chain is not as it must be
 */
export async function demonstrate(stack: Stack, print: (line: string) => void): Promise<void> {
  await demonstrateSponsorship(stack, print);
  await demonstrateTokenPayment(stack, print);
}
