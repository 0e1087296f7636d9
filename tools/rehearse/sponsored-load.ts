import { createPublicKey } from 'node:crypto';
import { createDigestHasher } from '@paymaster/chain';
