/**
 * The dialects: which methods of which service the gateway answers. A new dialect is a folder beside these and a line
 * here.
 */
import type { Dialect } from '../json-rpc/rpc-method';
import { biconomy } from './biconomy';
import { alchemy } from './alchemy';
import { candide } from './candide';
import { chainReads } from './chain-reads';
import { circle } from './circle';
import { erc7677 } from './erc7677';
import { erc7769 } from './erc7769';
import { pimlico } from './pimlico';
import { rundler } from './rundler';
import { skandha } from './skandha';
import { thirdweb } from './thirdweb';
import { voltaire } from './voltaire';
import { zerodev } from './zerodev';

/**
 * If several dialects have a method of the same name, the first whose schema takes the params answers: strict schemas
 * first.
 */
export const DIALECTS: readonly Dialect[] = [
  ...[biconomy, pimlico, erc7677, candide, zerodev, alchemy],
  ...[erc7769, rundler, skandha, thirdweb, voltaire, circle, chainReads],
];
