import { playInAWorld } from './play-in-a-world';
import { ROWS_OF_STORES } from './rows';

playInAWorld(ROWS_OF_STORES);
