/** What the gateway can be asked, and in whose words. A new dialect is a folder beside these and a line here. */
import type { Dialect } from '../json-rpc/rpc-method';
import { biconomy } from './biconomy';
import { alchemy } from './alchemy';
import { candide } from './candide';
import { erc7677 } from './erc7677';
import { pimlico } from './pimlico';
import { zerodev } from './zerodev';

/** Where several have a method of one name, the first whose schema takes the params answers: narrow ones stand first. */
export const DIALECTS: readonly Dialect[] = [biconomy, pimlico, erc7677, candide, zerodev, alchemy];
