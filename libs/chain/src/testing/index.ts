/** Builders and fakes for tests of code that talks to a chain. */
export * from './sponsor-fields.builder';
