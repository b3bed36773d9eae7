/**
 * Prints whether it owns the state, and stays until its input ends. Usage: holds-ownership.ts PATH
 */
import { acquireOwnership } from '../../../src/store/sqlite/owner-lock.ts';

const [path = ''] = process.argv.slice(2);
process.stdout.write(acquireOwnership(path) === undefined ? 'turned away\n' : 'owner\n');
process.stdin.resume();
