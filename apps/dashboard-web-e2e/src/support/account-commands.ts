import { AccountCommands } from '@paymaster/devnet';

export const accountCommands = new AccountCommands();
