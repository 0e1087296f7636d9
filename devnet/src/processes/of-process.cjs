/** What all test files of a process share; see account-command.ts. */
module.exports = {};
