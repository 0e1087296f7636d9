/** The Postgres schema that the dashboard owns. */
export const SCHEMA = 'dashboard';
