import { playInAWorld } from './play-in-a-world';
import { ROWS_OF_WHAT_SERVICES_USE } from './rows';

playInAWorld(ROWS_OF_WHAT_SERVICES_USE);
