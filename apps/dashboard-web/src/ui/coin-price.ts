import { createContext } from 'react';

/** What a whole coin of the chain is worth now, in USD as decimal text; undefined where that is not known. */
export const CoinPrice = createContext<string | undefined>(undefined);
