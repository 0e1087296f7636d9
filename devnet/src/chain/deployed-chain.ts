import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseEther } from 'viem';
import * as contractAbis from '@paymaster/contract-abis';
import { startAnvil, type Anvil } from '../processes/anvil';
import { deployCanonicalContracts } from './canonical-contracts';
import { deployDemoTokens } from './demo-tokens';
import { connectDevChain } from './dev-chain';
import { DEV_KEYS } from './dev-keys';
import { BLOCK_GAS_LIMIT } from './neighbours';
import { deployDemoContract, deployPaymasters } from './paymaster-contracts';

const ROOT = join(__dirname, '../../..');
/** All tests of a file ask from one network, which may use a part of the wallet: it is a large one. */
const FUNDING_WEI = parseEther('1000');
const CACHE = join(ROOT, 'node_modules/.cache/paymaster-devnet');

/**
 * A local chain on which the canonical contracts, our paymasters and the demo contracts lie already: whoever deploys
 * them finds them. For tests, each of which has a chain of its own: to deploy them takes five blocks, to load them none.
 */
export async function startDeployedChain(): Promise<Anvil> {
  const file = join(CACHE, `chain-${fingerprint()}.json`);
  if (!existsSync(file)) await deployInto(file);
  const anvil = await startAnvil({ initialStateFile: file, blockGasLimit: BLOCK_GAS_LIMIT });
  // The file's last block is as old as the file.
  const { reader } = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
  await reader.request({ method: 'evm_mine' as never, params: [] as never });
  return anvil;
}

/** Of our contracts' code, of what deploys, and of the packages that the other contracts and the chain itself come from. */
function fingerprint(): string {
  const codes = Object.values(contractAbis).filter((each) => typeof each === 'string');
  const sources = readdirSync(__dirname).sort();
  const files = [join(ROOT, 'package-lock.json'), ...sources.map((name) => join(__dirname, name))];
  const parts = [...codes, ...files.map((file) => readFileSync(file, 'utf8'))];
  return createHash('sha256').update(parts.join()).digest('hex').slice(0, 16);
}

async function deployInto(file: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  // Somebody else may be at it too; whose is last is as good.
  const unfinished = `${file}.${randomUUID()}`;
  try {
    const anvil = await startAnvil({ stateFile: unfinished, blockGasLimit: BLOCK_GAS_LIMIT });
    try {
      const chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
      await deployCanonicalContracts(chain);
      const { signer, fundingWallet } = DEV_KEYS;
      await deployPaymasters(chain, {
        signer: signer.address,
        fundingWallet: fundingWallet.address,
        fundingWei: FUNDING_WEI,
      });
      await Promise.all([deployDemoContract(chain), deployDemoTokens(chain)]);
    } finally {
      await anvil.stop();
    }
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
