import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandOf } from './command-of.ts';

describe('an address of the page equals a command', () => {
  const cases: readonly [address: string, command: string][] = [
    ['/', 'supervisor status'],
    ['/?q=is:bad age:<1d', "supervisor status is:bad 'age:<1d'"],
    ['/runs/78be', 'supervisor status 78be'],
    ['/runs/78be#attempt-3', 'supervisor logs 78be --attempt 3'],
    ['/runs/78be/review', 'supervisor diff 78be'],
    ['/plans', 'supervisor feature list'],
    ['/plans/78be', 'supervisor feature show 78be'],
    ['/tree', 'supervisor tree --all'],
    ['/quota?by=role', 'supervisor metrics'],
    ['/agents', 'supervisor agents'],
  ];
  for (const [address, command] of cases)
    test(address, () => {
      const { pathname, search, hash } = new URL(address, 'http://localhost');
      assert.equal(commandOf(pathname, search, hash), command);
    });
});
